"""The families of mechanisms: each function makes one from a random stream."""
import families_carried as carried
import families_loops as loops
import families_more as more
import families_other as other
import families_rare as rare
import families_robots as robots
import families_trees as trees

# name, how often, function
FAMILIES = [
    ("tree planar", 3, trees.tree_planar),
    ("tree spatial", 5, trees.tree_spatial),
    ("four-bar", 2, loops.four_bar),
    ("slider-crank", 2, loops.slider_crank),
    ("parallelogram", 1, loops.parallelogram),
    ("spatial four-bar", 2, loops.spatial_four_bar),
    ("spatial slider-crank", 2, loops.spatial_slider_crank),
    ("loop closed by chance", 2, loops.random_loop),
    ("top", 2, trees.top),
    ("gimbal", 2, trees.gimbal),
    ("free spinner", 2, trees.free_spinner),
    ("wheel planar", 1, more.wheel_planar),
    ("disc", 1, more.rolling_disc),
    ("wheelset", 1, more.wheelset),
    ("robot on wheels", 1, more.wheeled_robot),
    ("skate", 1, more.skate),
    ("gears", 2, more.gears),
    ("planetary", 1, more.planetary),
    ("rack", 1, more.rack),
    ("driven arm", 2, trees.driven_arm),
    ("springs", 2, more.springs),
    ("bounce", 2, more.bounce),
    ("beam", 2, more.beam),
    ("cable", 1, more.cable),
    ("modes", 1, more.modes),
    ("five-bar", 1, other.five_bar),
    ("small or large", 2, other.small_or_large),
    ("rolling ball", 1, other.rolling_ball),
    ("beam between", 1, other.beam_between),
]

# Those that came later are drawn for mechanisms from LATER on (seeds of 1,100,000 and more), so that older seeds remain
# what they were.
LATER = 137500
MORE = [
    ("tendon", 2, robots.tendon),
    ("stops", 2, robots.stops),
    ("knuckles", 2, robots.knuckles),
    ("lag", 1, robots.lag),
    ("rubbing", 2, robots.rubbing),
    ("heap", 2, robots.heap),
    ("sampled", 1, robots.sampled),
    ("cam", 1, robots.cam),
]

# And these from mechanism RARER on (seeds of 1,300,000 and more).
RARER = 162500
RARE = [
    ("carried gyroscope", 3, carried.carried_gyro),
    ("shafts", 3, carried.shaft),
    ("slope", 3, carried.slope),
    ("long spin", 2, carried.long_spin),
    ("tyres", 1, carried.tyres),
    ("two clocks", 2, carried.two_clocks),
    ("placed", 3, rare.placed),
    ("placed loop", 2, rare.placed_loop),
    ("uneven", 3, rare.uneven),
    ("beam in a drive", 2, rare.beam_loop),
    ("platform", 2, rare.platform),
    ("digger", 3, rare.digger),
    ("directions", 2, rare.directions),
    ("weather", 2, rare.weather),
    ("ball and wall", 2, rare.ball_and_wall),
    ("rigid stops", 1, rare.rigid_stops),
]
