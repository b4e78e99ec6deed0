/* The fuzz targets on inputs that are known to be awkward: they come back, with words and places. */
#include "targets.h"
#include "test.h"

#define BYTES(text) (const uint8_t *)(text), sizeof(text) - 1

static const char rod[] = "verge: 1\n"
                          "bodies: {rod: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.2, 0.2]}}\n"
                          "joints: {O: {revolute: [ground, rod], axis: y}}\n"
                          "run: {step: 1e-3, end: 1}\n";

/* The rod with one stretch replaced, or with more behind it. */
static void feed_rod(const char *old, const char *new)
{
    char text[20000];
    const char *at = old ? strstr(rod, old) : rod + sizeof rod - 1;
    CHECK(at != NULL);
    if (!at) return;
    int n = snprintf(text, sizeof text, "%.*s%s%s", (int)(at - rod), rod, new, at + (old ? strlen(old) : 0));
    fuzz_model((const uint8_t *)text, (size_t)n);
}

TEST(bytes_of_models)
{
    fuzz_model(BYTES(""));
    fuzz_model(BYTES("\0\0\0"));
    fuzz_model(BYTES("\xef\xbb\xbf"));
    fuzz_model(BYTES("\xff\xfev\0e\0"));
    fuzz_model(BYTES("verge: 1\nbodies: \xc3"));
    fuzz_model(BYTES("verge: 1\nbodies:\n\trod: 1\n"));
    fuzz_model(BYTES("verge: 1\r\nbodies: {\x01}\r\n"));
    fuzz_model(BYTES("verge: 1\n? [a]\n: 1\n"));
    fuzz_model(BYTES("%YAML 9.9\n---\n"));
    fuzz_model(BYTES("&a [*a]"));
    fuzz_model(BYTES("verge: 1\nbodies: &b {rod: *b}\n"));
}

TEST(numbers)
{
    static const char *const mass[] = {"1e308", "1e-308", "1e309",  "1e-400", "nan", ".inf",
                                       "0x10",  "1 kg",   "2^1024", "0/0",    "-0",  "1e",
                                       "1.2.3", "",       "[1]",    "{a: 1}"};
    for (size_t i = 0; i < sizeof mass / sizeof *mass; i++) {
        char text[60];
        snprintf(text, sizeof text, "mass: %s, com", mass[i]);
        feed_rod("mass: 1, com", text);
        snprintf(text, sizeof text, "[%s, 0, 0]", mass[i]);
        feed_rod("[0.5, 0, 0]", text);
        snprintf(text, sizeof text, "forces: {F: {force: rod, value: [%s, 0, 0]}}\n", mass[i]);
        feed_rod(NULL, text);
    }
    /* laws that end within the three steps */
    feed_rod(NULL, "forces: {F: {force: rod, value: [\"1/(t - 0.001)\", 0, 0]}}\n");
    feed_rod(NULL, "forces: {F: {force: rod, value: [\"sqrt(0.0015 - t)\", 0, 0]}}\n");
    feed_rod(NULL, "forces: {F: {torsion: O, stiffness: 1e308, damping: 1e308}}\n");
    feed_rod("axis: y", "axis: y, drive: {angle: \"if(t < 0.002, 0, 1/0*t)\"}");
}

TEST(counts)
{
    feed_rod(NULL, "repeat: {to: 1000000000, bodies: {\"b{i}\": {mass: 1}}}\n");
    feed_rod(NULL, "repeat: {from: -1000000000, to: 1000000000, bodies: {\"b{i}\": {mass: 1}}}\n");
    feed_rod(NULL, "mesh: {m: {beam: 1000000000, nodes: [[0, 0, 0], [1, 0, 0]], E: 1, circle: 1, rho: 1}}\n");
    feed_rod(NULL, "flexible: {f: {length: 1, modes: 1000000000, E: 1, circle: 1, rho: 1}}\n");
    feed_rod("end: 1", "end: 1e300, output: {interval: 1e-300}");
    feed_rod("step: 1e-3", "step: 1e-300, integrator: {bdf: {order: 1000000000}}");
    feed_rod("step: 1e-3", "step: 1e-3, integrator: {irk: {stages: 1000000000}}");
}

TEST(words)
{
    fuzz_words(BYTES("lie\nindex3\ngeneralized-alpha:rho=0.8\njoint.O.angle\na=2*b"));
    fuzz_words(BYTES("lie\nindex1\ndopri5:rtol=1e-300,atol=0\nbody.rod.position.x\na=sin(1)"));
    fuzz_words(BYTES("\n\n\n\n="));
    fuzz_words(BYTES("lie\nindex3\n:\n.\na="));
    fuzz_words(BYTES("lie\nindex3\ngeneralized-alpha:=,=,:,\n*.*.*\n=1"));
    fuzz_words(BYTES("lie\nindex3\ngeneralized-alpha:rho=nan\nbody.rod.position.w\na=1e999"));
    fuzz_words(BYTES("lie,se3\nindex3:beta=-1\nbdf:order=99\ninput.x\na=1;b=2"));
    fuzz_words(BYTES("relative\nindex3\nhht:alpha=1e308\njoint.O.\na=((((((((1"));
}

static const char urdf[] =
    "<robot name='r'><link name='w'/><joint name='j' type='revolute'><parent link='w'/><child "
    "link='p'/><origin xyz='0 0 1' rpy='0.1 0 0'/><axis xyz='0 1 0'/><limit lower='-1' upper='1' effort='1' "
    "velocity='1'/><dynamics damping='0.1' friction='0.1'/></joint><link name='p'><inertial><origin xyz='0.5 "
    "0 0'/><mass value='1'/><inertia ixx='0.1' ixy='0' ixz='0' iyy='0.1' iyz='0' "
    "izz='0.1'/></inertial></link><joint name='k' type='prismatic'><parent link='p'/><child link='q'/><mimic "
    "joint='j' multiplier='2'/></joint><link name='q'><inertial><mass value='1'/><inertia ixx='0.1' ixy='0' "
    "ixz='0' iyy='0.1' iyz='0' izz='0.1'/></inertial></link></robot>";
static const char mjcf[] =
    "<mujoco><compiler angle='degree' eulerseq='zyx'/><default><joint damping='1'/><default class='c'><geom "
    "size='0.1 0.2 0.3'/></default></default><worldbody><body name='a' pos='0 0 1' euler='1 2 3' "
    "childclass='c'><joint name='x'/><joint name='y' type='slide' ref='0.1'/><geom type='box'/><site "
    "name='s'/><body name='b'><joint type='ball'/><geom type='capsule' fromto='0 0 0 1 0 "
    "0'/></body></body><replicate count='3' offset='1 0 "
    "0'><body><freejoint/><geom/></body></replicate></worldbody><equality><connect body1='a' body2='b' "
    "anchor='0 0 0'/><joint joint1='x' joint2='y'/></equality><tendon><fixed name='t' stiffness='1'><joint "
    "joint='x' coef='1'/></fixed></tendon><actuator><motor joint='x' gear='2'/><position tendon='t' "
    "kp='3'/></actuator></mujoco>";

/* One byte in a few is another one, one that means something in the format as a rule; or a stretch is doubled or cut. */
static void feed_changed(const char *text, size_t n, unsigned seed)
{
    static const char odd[] = "<>/'\"&=- 019.e#zn";
    char *copy = malloc(2 * n);
    if (!copy) return;
    memcpy(copy, text, n);
    for (unsigned i = 0; i < 1 + seed % 4; i++) {
        seed = seed * 1664525u + 1013904223u;
        size_t at = (seed >> 8) % n, length = 1 + (seed >> 3) % 40;
        if (seed % 5 == 0 && at + length < n) {
            memmove(copy + at, copy + at + length, n - at - length);
            n -= length;
        } else {
            copy[at] = odd[(seed >> 16) % (sizeof odd - 1)];
        }
    }
    fuzz_model((const uint8_t *)copy, n);
    free(copy);
}

TEST(robots)
{
    fuzz_model(BYTES(urdf));
    fuzz_model(BYTES(mjcf));
    fuzz_model(BYTES("<"));
    fuzz_model(BYTES("<a"));
    fuzz_model(BYTES("<robot>"));
    fuzz_model(BYTES("<robot a=\"&#"));
    fuzz_model(BYTES("<robot a='&#xD800;'/>"));
    fuzz_model(BYTES("<!DOCTYPE a [<!ENTITY b '&b;&b;'>]><robot>&b;</robot>"));
    fuzz_model(BYTES("<mujoco><worldbody><replicate count='10000'><replicate "
                     "count='10000'><body/></replicate></replicate></worldbody></mujoco>"));
    for (unsigned i = 0; i < 300; i++) {
        feed_changed(urdf, sizeof urdf - 1, 2 * i);
        feed_changed(mjcf, sizeof mjcf - 1, 2 * i + 1);
    }
    char *deep = malloc(7 * 100000);
    for (int i = 0; deep && i < 100000; i++) memcpy(deep + 7 * i, "<robot>", 7);
    if (deep) fuzz_model((const uint8_t *)deep, 7 * 100000);
    free(deep);
}

TEST(results)
{
    fuzz_csv(BYTES(""));
    fuzz_csv(BYTES("\0"));
    fuzz_csv(BYTES("time"));
    fuzz_csv(BYTES("time,\"a\n1,2\n"));
    fuzz_csv(BYTES("time,a\n1, \n2\n"));
    fuzz_csv(BYTES("time,a\n\n  \n,\n"));
    fuzz_csv(BYTES("time [s,a]\n1,0x1p2000\n"));
    fuzz_h5(BYTES("\x89HDF\r\n\x1a\n"));
    fuzz_h5(BYTES("\x89HDF\r\n\x1a\n\0\0\0\0\0\x08\x08\0\x04\0\x10\0\0\0\0\0\0\0\0\0"));
}

TEST(modes)
{
    fuzz_modes(BYTES(""));
    fuzz_modes(BYTES("verge-modes 1\nmass 1e308\nmodes 63\n"));
    fuzz_modes(
        BYTES("verge-modes 1\nmass 1\ncentre 0 0 0\ninertia 1 1 1 0 0 0\nmodes 1000000000\nstiffness 1\n"));
    fuzz_modes(BYTES("verge-modes 1\nmodes 1\nproducts 9 1 1\nmass nan\n"));
    fuzz_modes(BYTES("\x89HDF\r\n\x1a\n"));
}

TEST_MAIN(bytes_of_models, numbers, counts, words, robots, results, modes)
