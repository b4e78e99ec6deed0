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

TEST_MAIN(bytes_of_models, numbers, counts, words, results, modes)
