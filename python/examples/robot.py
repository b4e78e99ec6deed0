"""A robot arm of two links: computed-torque control, with the torques of the plan from inverse dynamics."""
import numpy as np
import verge

m = verge.ModelBuilder(title="Two links", planar=True, gravity=9.81)
upper = m.body("upper", mass=4, inertia=0.2, com=[0.4, 0], shape={"bar": 0.8, "position": [0.4, 0]})
lower = m.body("lower", mass=2, inertia=0.08, com=[0.3, 0], position=[0.8, 0], shape={"bar": 0.6, "position": [0.3, 0]})
m.revolute("shoulder", m.ground, upper)
m.revolute("elbow", upper.marker("end", [0.8, 0]), lower)
m.joint_torque("m1", "shoulder", value="input.one")
m.joint_torque("m2", "elbow", value="input.two")
m.options(step=2e-3, end=2)
model = m.model()

# the plan: both joints move by a smooth step
T = 2.0
plan = {"shoulder": f"1.0*(t/{T} - sin(2*pi*t/{T})/(2*pi))", "elbow": f"-1.5*(t/{T} - sin(2*pi*t/{T})/(2*pi))"}
needed = model.inverse(plan, end=T, step=2e-3)
torque = np.column_stack([needed["joint.shoulder.angle.torque"], needed["joint.elbow.angle.torque"]])

# forward: these torques, held over steps of 2 ms, and a weak feedback against what holding them costs
sim = model.sim(coordinates="relative", integrator="rk4")
x = sim.state
path = []
for k in range(1000):
    t = k * 2e-3
    s, ds = t / T - np.sin(2 * np.pi * t / T) / (2 * np.pi), (1 - np.cos(2 * np.pi * t / T)) / T
    error = np.array([s, -1.5 * s]) - x[:2]
    u = (torque[k] + torque[k + 1]) / 2 + 50 * error + 8 * (np.array([ds, -1.5 * ds]) - x[2:])
    sim.set_input(0, u[0]), sim.set_input(1, u[1])
    sim.step(2e-3)
    path.append(np.array(x[:2]))
path = np.array(path)
print("end:", path[-1], "wanted:", [1.0, -1.5])
assert np.abs(path[-1] - [1.0, -1.5]).max() < 2e-3
