/* Whatever the bytes, the reader answers with a model or with errors: no crash, no hang (sanitizers watch).
 */
#include <stdint.h>
#include <stdlib.h>

#include "model/model.h"
#include "test.h"

static uint64_t seed = 12345;

static uint32_t roll(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

static const char good[] =
    "verge: 1\n"
    "title: fuzz\n"
    "parameters: {a: b + 1, b: 2, N: 4, c: sin(a)/b}\n"
    "tables: {road: {x: [0, 1, 2], y: [0, 1, 0], interpolation: cubic}, s: [[0, 0], [1, 2]]}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  ground: {markers: {A: [0, 0, 1], B: {position: [1, 0, 0], rotation: [0, pi/2, 0]}}}\n"
    "  rod: &r {mass: a, inertia: [1, 2, 2.5], com: [0.1, 0, 0], position: [1, 0, 0], quaternion: [1, 0, 0, "
    "0], omega: {world: [0, 0, 1]}, markers: {E: [1, 0, 0]}, shape: [{box: [1, 1, 1], color: [1, 0, 0]}, "
    "{bar: [1, 0.1]}]}\n"
    "  twin: *r\n"
    "  bob: {mass: 1, point: true, position: [0, 0, 2]}\n"
    "joints:\n"
    "  O: {revolute: [ground.A, rod], axis: y, drive: {rate: \"if(t < 1, t, 1)\"}}\n"
    "  P: [{if: N > 9, spherical: [rod.E, twin]}, {universal: [rod.E, twin], axis: x}]\n"
    "  G: {gear: [O, P.angle1], ratio: 2}\n"
    "forces:\n"
    "  S: {spring: [ground.B, bob], force: \"-100*(x - 1) - v*table(road, x) + joint.O.angle\"}\n"
    "  T: {torsion: O, stiffness: 10}\n"
    "  C: {pid: O, target: sin(t), p: 10, i: 1}\n"
    "repeat:\n"
    "  - {index: i, to: N, bodies: {\"k{i}\": {density: 10, shape: {sphere: 0.1*i}, position: [i, 0, 0]}}, "
    "joints: {\"J{i}\": {spherical: [\"k{i-1}\", \"k{i}\"]}}, first: {joints: {\"J{i}\": {fixed: [ground, "
    "\"k{i}\"]}}}}\n"
    "run: {coordinates: lie, integrator: {generalized-alpha: {rho: 0.5}}, step: 1e-3, end: 1, output: "
    "{every: 2}}\n"
    "record: [joint.O.angle, body.*.position.x]\n";

static void feed(const char *text, size_t n)
{
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_model_parse(text, n, "fuzz", NULL, 0, diag);
    CHECK((m == NULL) == (vg_diag_errors(diag) > 0));
    vg_model_free(m);
    vg_diag_free(diag);
}

TEST(the_seed_is_good)
{
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_model_parse(good, sizeof good - 1, "good", NULL, 0, diag);
    for (int i = 0; i < vg_diag_count(diag); i++) printf("%s\n", vg_diag_line(diag, i));
    CHECK(m != NULL);
    CHECK_INT(m ? m->nbody : 0, 3 + 4 + 1); /* the controller's integral is a body too */
    vg_model_free(m);
    vg_diag_free(diag);
}

TEST(mutations)
{
    static const char *const words[] = {
        "1e999", "-1",    "0",      "{",     "}",    "[",     "]",      "*r",        "&r",
        ": ",    "rod",   "ground", "1/0",   "a",    "t",     "i",      "\"",        "'",
        "{i}",   "{i",    "\n",     "  ",    "null", "~",     "!!int",  "[[",        "{a: {",
        "#",     "---\n", "\xff",   "0x1p9", "if",   "first", "repeat", "999999999", "joint.O.angle",
        "force", "drive"};
    char text[2 * sizeof good + 2000];
    for (int round = 0; round < 3000; round++) {
        size_t n = sizeof good - 1;
        memcpy(text, good, n);
        for (uint32_t k = 1 + roll(4); k > 0; k--) {
            size_t at = roll((uint32_t)n);
            const char *word = words[roll(sizeof words / sizeof *words)];
            size_t w = strlen(word), cut = roll(2) ? 0 : roll(8);
            switch (roll(4)) {
            case 0:
                text[at] = (char)roll(256);
                break;
            case 1: /* put a word in place of a few bytes */
                if (cut > n - at) cut = n - at;
                memmove(text + at + w, text + at + cut, n - at - cut);
                memcpy(text + at, word, w);
                n = n + w - cut;
                break;
            case 2: /* remove a stretch */
                cut = roll(60);
                if (cut > n - at) cut = n - at;
                memmove(text + at, text + at + cut, n - at - cut);
                n -= cut;
                if (n == 0) n = 1;
                break;
            default: /* copy a stretch elsewhere */
                cut = roll(100);
                if (cut > n - at) cut = n - at;
                memmove(text + roll((uint32_t)(n - cut + 1)), text + at, cut);
            }
        }
        feed(text, n);
    }
}

TEST(truncations)
{
    for (size_t n = 0; n < sizeof good; n += 7) feed(good, n);
}

TEST(bombs)
{
    /* aliases of aliases: shared, not copied */
    char text[6000] = "verge: 1\na0: &a0 [1, 2]\n";
    for (int i = 1; i < 40; i++) {
        snprintf(text + strlen(text), 100, "a%d: &a%d [*a%d, *a%d, *a%d]\n", i, i, i - 1, i - 1, i - 1);
    }
    snprintf(text + strlen(text), 100, "bodies: {rod: {mass: *a39}}\n");
    feed(text, strlen(text));
    /* depth */
    size_t n = 0;
    for (int i = 0; i < 3000; i++) text[n++] = '[';
    feed(text, n);
    /* nested repeats */
    const char *nested = "verge: 1\nrepeat: {index: i, to: 100000, repeat: {index: j, to: 100000, repeat: "
                         "{index: k, to: 100000, bodies: {\"b{i}\": {if: 0, mass: 1}}}}}\n";
    feed(nested, strlen(nested));
    feed("", 0);
    feed("\0\0\0", 3);
    feed("verge: 1", 8);
}

TEST_MAIN(the_seed_is_good, mutations, truncations, bombs)
