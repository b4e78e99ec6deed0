/* Groups of contacts: pairs against trying all of them, forces against one element a pair, tangents by differentiation,
 * momentum, and independence of what was looked at before. */
#include "element/contact/broad.h"
#include "element/contact/group.h"
#include "model/model.h"
#include "test.h"

#include <stdlib.h>

enum { MANY = 200 };

static double next_random(unsigned long long *seed)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

/* Balls of very different sizes, all pairs within the margin. */
TEST(grid_finds_every_pair)
{
    for (int round = 0; round < 6; round++) {
        unsigned long long seed = test_seed("broad", round);
        vgVec3 c[MANY];
        int body[MANY], want = 0, same = 0;
        double margin = 0.02 * round, radius[MANY];
        for (int i = 0; i < MANY; i++) {
            c[i] = vg_v3(next_random(&seed) - 0.5, next_random(&seed) - 0.5, next_random(&seed));
            radius[i] = 0.01 * pow(2, 5 * next_random(&seed) * (round % 2));
            body[i] = i / 2; /* two balls a body */
        }
        vgArena arena = {0};
        vgBroad x = {0};
        vg_broad_place(&x, MANY, MANY * MANY, &arena);
        CHECK(vg_arena_alloc(&arena, arena.used) == VG_OK);
        vg_broad_place(&x, MANY, MANY * MANY, &arena);
        x.wanted = MANY - 20;
        x.body = body;
        for (int i = 0; i < MANY; i++) x.radius[i] = radius[i];
        int found = vg_broad_find(&x, c, margin);
        for (int i = 0; i < MANY; i++)
            for (int j = i + 1; j < MANY; j++) {
                if (i / 2 == j / 2 || i >= MANY - 20) continue;
                if (vg_norm3(vg_sub3(c[i], c[j])) > radius[i] + radius[j] + margin) continue;
                same += want < found && x.pair[want].a == i && x.pair[want].b == j;
                want++;
            }
        CHECK(want > 0);
        CHECK_INT(found, want);
        CHECK_INT(same, want); /* in the same order */
        x.room = want - 1;
        CHECK_INT(vg_broad_find(&x, c, margin), -1);
        vg_arena_free(&arena);
    }
}

/* ---- a group of a model ---- */

typedef struct Setting {
    vgModel *model;
    const vgForce *group;
    vgKin *kin;
    vgArena arena;
    vgForceIn in;
} Setting;

static const char HEAD[] = "verge: 1\ngravity: 9.81\nbodies:\n"
                           "  tray: {mass: 2, inertia: [0.1, 0.1, 0.1], shape: [{box: [0.4, 0.4, 0.05]}, "
                           "{bar: [0.3, 0.02], position: [0, 0, 0.1]}]}\n";
static const char GROUP[] = "contacts:\n  g: {among: ['b*'], with: [tray], planes: [ground, tray.lid], "
                            "stiffness: 1e6, damping: 0.3, friction: 0.4, static: 0.5}\n";

static Setting open_setting(int n, double size, int alone, unsigned long long seed)
{
    char *text = malloc(400 * ((size_t)n + 10));
    int at = sprintf(text, "%s", HEAD);
    for (int i = 0; i < n; i++)
        at += sprintf(text + at,
                      "  b%d: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [%.6f, %.6f, %.6f], shape: "
                      "[{sphere: %.6f}, {sphere: 0.02, position: [0.03, 0, 0.01]}]}\n",
                      i, size * (next_random(&seed) - 0.5), size * (next_random(&seed) - 0.5),
                      0.3 * size * next_random(&seed), 0.03 + 0.02 * next_random(&seed));
    sprintf(text + at, "%s",
            alone ? "contacts:\n  g: {among: ['b*'], stiffness: 1e6, damping: 0.3, friction: 0.4}\n" : GROUP);
    vgDiag *diag = vg_diag_new();
    Setting s = {0};
    /* a marker on the tray that looks down from above */
    char *with = malloc(strlen(text) + 200);
    const char *tray = "  tray: {";
    char *cut = strstr(text, tray);
    sprintf(with, "%.*s%smarkers: {lid: {position: [0, 0, 0.25], rotation: [3.1, 0, 0]}}, %s",
            (int)(cut - text), text, tray, cut + strlen(tray));
    s.model = vg_model_parse(with, strlen(with), "group", NULL, 0, diag);
    if (!s.model) printf("%s\n", vg_diag_line(diag, 0));
    vg_diag_free(diag);
    free(text);
    free(with);
    CHECK(s.model != NULL);
    if (!s.model) return s;
    s.group = &s.model->force[0];
    s.kin = calloc((size_t)s.model->nbody + 1, sizeof *s.kin);
    for (int i = 0; i < s.model->nbody; i++) {
        const vgBody *b = &s.model->body[i];
        vgVec3 turn = vg_v3(next_random(&seed), next_random(&seed), next_random(&seed));
        s.kin[i] = (vgKin){.p = b->p0, .R = vg_eye3()};
        /* Cayley's rotation (1 − S)⁻¹(1 + S), S = ã, (1 − S)⁻¹ = (1 + S + a aᵀ)/(1 + |a|²) */
        vgVec3 a = vg_scale3(turn, 0.3);
        vgMat3 A = vg_madd3(vg_eye3(), vg_skew3(a));
        vgMat3 inverse = vg_mscale3(vg_madd3(A, vg_outer3(a, a)), 1 / (1 + vg_dot3(a, a)));
        s.kin[i].R = vg_mm3(inverse, A);
        s.kin[i].v = vg_v3(next_random(&seed) - 0.5, next_random(&seed) - 0.5, next_random(&seed) - 0.5);
        s.kin[i].w = vg_v3(next_random(&seed), next_random(&seed) - 0.5, next_random(&seed) - 0.5);
    }
    s.kin[s.model->nbody].R = vg_eye3();
    s.group->kind->crowd->scratch(s.group->def, &s.arena);
    CHECK(vg_arena_alloc(&s.arena, s.arena.used) == VG_OK);
    s.in = (vgForceIn){.all = s.kin, .nall = s.model->nbody};
    s.in.scratch = s.group->kind->crowd->scratch(s.group->def, &s.arena);
    return s;
}

static void close_setting(Setting *s)
{
    vg_arena_free(&s->arena);
    vg_model_free(s->model);
    free(s->kin);
}

static void wrench(Setting *s, double *f)
{
    memset(f, 0, 6 * (size_t)s->model->nbody * sizeof *f);
    s->group->kind->crowd->add(s->group->def, &s->in, 1, f);
}

/* δξ of one body into the motion. */
static void move(vgKin *k, int at, double by)
{
    vgVec3 e = vg_scale3(vg_unit_axis3(at % 3), by);
    if (at < 3) {
        k->p = vg_add3(k->p, e);
    } else if (at < 6) {
        vgMat3 S = vg_skew3(e); /* exp to second order */
        k->R = vg_mm3(k->R, vg_madd3(vg_madd3(vg_eye3(), S), vg_mscale3(vg_mm3(S, S), 0.5)));
    } else if (at < 9) {
        k->v = vg_add3(k->v, e);
    } else {
        k->w = vg_add3(k->w, e);
    }
}

typedef struct Gather {
    vgCrowdTake take;
    double *K, *C;
    int n, pairs;
} Gather;

static void gather(vgCrowdTake *take, int a, int b, const double *K, const double *C)
{
    Gather *g = (Gather *)take;
    int body[2] = {a, b};
    g->pairs++;
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) {
            if (body[i / 6] < 0 || body[j / 6] < 0) continue;
            int at = (6 * body[i / 6] + i % 6) * g->n + 6 * body[j / 6] + j % 6;
            g->K[at] += K[12 * i + j];
            g->C[at] += C[12 * i + j];
        }
}

TEST(tangents_by_differentiation)
{
    enum { BALLS = 12 };
    Setting s = open_setting(BALLS, 0.25, 0, 11);
    if (!s.model) return;
    int nb = s.model->nbody, n = 6 * nb;
    double *K = calloc((size_t)(2 * n * n), sizeof *K), *C = K + n * n, *f = calloc(2 * (size_t)n, sizeof *f),
           worst = 0, size = 0;
    Gather g = {{gather}, K, C, n, 0};
    s.group->kind->crowd->tangent(s.group->def, &s.in, &g.take);
    CHECK(g.pairs > 10);
    for (int b = 0; b < nb; b++)
        for (int at = 0; at < 12; at++) {
            vgKin keep = s.kin[b];
            const double h = 1e-7;
            move(&s.kin[b], at, h);
            wrench(&s, f);
            s.kin[b] = keep;
            move(&s.kin[b], at, -h);
            wrench(&s, f + n);
            s.kin[b] = keep;
            const double *T = at < 6 ? K : C;
            for (int i = 0; i < n; i++) {
                double slope = (f[i] - f[n + i]) / (2 * h), exact = T[i * n + 6 * b + at % 6];
                worst = fmax(worst, fabs(slope - exact) / (1 + fabs(exact)));
                size = fmax(size, fabs(exact));
            }
        }
    CHECK(size > 1e3);
    CHECK_NEAR(worst, 0, 2e-4); /* rounding of the forces, 1e3 N, over h */
    free(K);
    free(f);
    close_setting(&s);
}

/* Without the ground nothing is pushed as a whole: Σ F = 0, Σ (p × F + R T) = 0. */
TEST(momentum_is_kept)
{
    Setting s = open_setting(40, 0.3, 1, 5);
    if (!s.model) return;
    double *f = calloc(6 * (size_t)s.model->nbody, sizeof *f), size = 0;
    vgVec3 F = vg_zero3(), T = vg_zero3();
    wrench(&s, f);
    for (int i = 0; i < s.model->nbody; i++) {
        vgVec3 Fi = vg_load3(f + 6 * i), Ti = vg_mv3(s.kin[i].R, vg_load3(f + 6 * i + 3));
        F = vg_add3(F, Fi);
        T = vg_add3(T, vg_add3(vg_cross3(s.kin[i].p, Fi), Ti));
        size += vg_norm3(Fi);
    }
    CHECK(size > 100);
    CHECK_NEAR(vg_norm3(F), 0, 1e-12 * size);
    CHECK_NEAR(vg_norm3(T), 0, 1e-12 * size);
    free(f);
    close_setting(&s);
}

/* The same bits at a motion, whatever was looked at before, and where there is no room for the pairs. */
TEST(history_does_not_matter)
{
    for (int dense = 0; dense < 2; dense++) {
        Setting s = open_setting(60, dense ? 0.02 : 0.5, 0, 3);
        if (!s.model) return;
        int n = 6 * s.model->nbody;
        double *f = calloc(2 * (size_t)n, sizeof *f);
        vgArena other = {0};
        s.group->kind->crowd->scratch(s.group->def, &other);
        CHECK(vg_arena_alloc(&other, other.used) == VG_OK);
        void *first = s.in.scratch, *second = s.group->kind->crowd->scratch(s.group->def, &other);
        for (int step = 0; step < 30; step++) {
            for (int i = 0; i < s.model->nbody; i++) s.kin[i].p = vg_axpy3(0.004, s.kin[i].v, s.kin[i].p);
            s.in.scratch = first;
            wrench(&s, f);
            if (step % 7 != 3) continue;
            s.in.scratch = second;
            wrench(&s, f + n);
            CHECK(memcmp(f, f + n, (size_t)n * sizeof *f) == 0);
        }
        free(f);
        vg_arena_free(&other);
        close_setting(&s);
    }
}

/* Against the contact elements themselves, one a pair of shapes. */
TEST(forces_are_those_of_single_elements)
{
    static const char text[] =
        "verge: 1\nbodies:\n"
        "  a: {mass: 1, inertia: [1, 1, 1], position: [0.011, 0.02, 0.049], shape: {sphere: 0.05}}\n"
        "  b: {mass: 1, inertia: [1, 1, 1], position: [0.09, 0.01, 0.06], shape: {sphere: 0.04}}\n"
        "  c: {mass: 1, inertia: [1, 1, 1], position: [0.05, 0.06, 0.028], shape: {box: [0.05, 0.06, "
        "0.07]}}\n"
        "forces:\n"
        "  ab: {contact-sphere-sphere: [a, b], first: 0.05, radius: 0.04, stiffness: 1e6, friction: 0.2}\n"
        "  ac: {contact-sphere-box: [c, a], size: [0.05, 0.06, 0.07], radius: 0.05, stiffness: 1e6, "
        "friction: 0.2}\n"
        "  bc: {contact-sphere-box: [c, b], size: [0.05, 0.06, 0.07], radius: 0.04, stiffness: 1e6, "
        "friction: 0.2}\n"
        "  ag: {contact-sphere-plane: [ground, a], radius: 0.05, stiffness: 1e6, friction: 0.2}\n"
        "  bg: {contact-sphere-plane: [ground, b], radius: 0.04, stiffness: 1e6, friction: 0.2}\n"
        "contacts:\n  g: {among: [a, b], with: c, planes: ground, stiffness: 1e6, friction: 0.2}\n";
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_model_parse(text, strlen(text), "pairs", NULL, 0, diag);
    if (!m) printf("%s\n", vg_diag_line(diag, 0));
    vg_diag_free(diag);
    CHECK(m != NULL);
    if (!m) return;
    vgKin kin[4] = {{.R = vg_eye3()}, {.R = vg_eye3()}, {.R = vg_eye3()}, {.R = vg_eye3()}};
    double sum[18] = {0}, f[18] = {0}, size = 0;
    for (int i = 0; i < 3; i++) {
        kin[i].p = m->body[i].p0;
        kin[i].v = vg_v3(0.1 * i, 0.3 - 0.2 * i, -0.1);
        kin[i].w = vg_v3(1, 2 - i, 0.5 * i);
    }
    for (int k = 0; k < 5; k++) {
        const vgForce *fo = &m->force[k];
        const vgKin *at[2];
        double w[12] = {0};
        for (int i = 0; i < 2; i++) at[i] = &kin[fo->setup.body[i] < 0 ? 3 : fo->setup.body[i]];
        fo->kind->eval(fo->def, &(vgForceIn){.nbody = 2, .kin = at}, &(vgForceOut){.f = w});
        double part = 0;
        for (int i = 0; i < 12; i++) {
            if (fo->setup.body[i / 6] >= 0) sum[6 * fo->setup.body[i / 6] + i % 6] += w[i];
            part += fabs(w[i]);
        }
        size += part;
        CHECK(part > 0 || k == 4); /* all touch but one */
    }
    const vgForce *group = &m->force[5];
    vgArena arena = {0};
    group->kind->crowd->scratch(group->def, &arena);
    CHECK(vg_arena_alloc(&arena, arena.used) == VG_OK);
    vgForceIn in = {.all = kin, .nall = 3, .scratch = group->kind->crowd->scratch(group->def, &arena)};
    group->kind->crowd->add(group->def, &in, 1, f);
    for (int i = 0; i < 18; i++) CHECK_NEAR(f[i], sum[i], 1e-13 * size);
    vg_arena_free(&arena);
    vg_model_free(m);
}

TEST_MAIN(grid_finds_every_pair, tangents_by_differentiation, momentum_is_kept, history_does_not_matter,
          forces_are_those_of_single_elements)
