/* Every road kind: slope and curvature are the derivatives of the height; the shapes they promise. */
#include "element/force_rig.h"
#include "element/road/road.h"

typedef struct Sample {
    const char *kind;
    rigText text[6];
} Sample;

static const Sample samples[] = {
    {"flat", {{"height", "0.3"}}},
    {"cosine", {{"start", "1"}, {"length", "5"}, {"height", "0.2"}}},
    {"cosine", {{"start", "-1"}, {"length", "2"}, {"height", "-0.1"}}},
    {"ramp", {{"start", "2"}, {"length", "4"}, {"height", "0.8"}, {"edge", "1"}}},
    {"stairs", {{"start", "1"}, {"count", "3"}, {"run", "1.5"}, {"rise", "-0.1"}, {"edge", "0.4"}}},
    {"table", {{"of", "curve"}, {"scale", "0.01"}}},
    {"law", {{"height", "0.1*sin(x) + x^2/50"}}},
};
enum { NSAMPLE = sizeof samples / sizeof samples[0] };

/* A road made from the kind's fields, as the reader does it. The rig lends its laws. */
typedef struct Made {
    vgRoad road;
    Rig rig;
    vgStatus status;
} Made;

static Made make(const Sample *sample)
{
    static const char *const locals[] = {"x", NULL};
    static const vgForceKind lends = {.locals = locals};
    Made m = {.road = {.name = "r", .kind = vg_road_kind(sample->kind)}, .rig = {.kind = &lends}};
    const char *key, *why;
    m.rig.def = calloc(1, m.road.kind->def_size);
    for (int i = 0; i < m.road.kind->nfield; i++) {
        const vgField *field = &m.road.kind->fields[i];
        const char *text = field->fallback;
        for (const rigText *at = sample->text; at->key; at++)
            if (strcmp(at->key, field->key) == 0) text = at->text;
        if (field->type == VG_FIELD_INT)
            *(int *)((char *)m.rig.def + field->offset) = atoi(text);
        else
            rig_fill(&m.rig, field, text);
    }
    m.road.def = m.rig.def;
    m.status = m.road.kind->setup ? m.road.kind->setup(m.rig.def, &key, &why) : VG_OK;
    return m;
}

static void drop(Made *m)
{
    for (int i = 0; i < m->rig.nexpr; i++) vg_expr_free(m->rig.expr[i]);
    for (int i = 0; i < m->road.kind->nfield; i++)
        if (m->road.kind->fields[i].type == VG_FIELD_TABLE)
            vg_table_free(*(vgTable **)((char *)m->rig.def + m->road.kind->fields[i].offset));
    free(m->rig.def);
}

static double height(const vgRoad *road, double x)
{
    double h[3];
    vg_road_eval(road, x, h);
    return h[0];
}

/* Roads lie on each other: heights, slopes and curvatures add, whichever is above. */
TEST(roads_on_roads)
{
    for (int k = 0; k < NSAMPLE; k++)
        for (int j = 0; j < NSAMPLE; j++) {
            Made above = make(&samples[k]), below = make(&samples[j]);
            vgRoad both = above.road;
            both.on = &below.road;
            for (double x = -2.03; x < 9; x += 0.73) {
                double a[3], b[3], sum[3];
                vg_road_eval(&above.road, x, a);
                vg_road_eval(&below.road, x, b);
                vg_road_eval(&both, x, sum);
                for (int i = 0; i < 3; i++) CHECK_NEAR(sum[i], a[i] + b[i], 1e-14);
            }
            drop(&above);
            drop(&below);
        }
}

/* At places that are no corners of the curvature. */
TEST(derivatives_agree_with_differences)
{
    for (int k = 0; k < NSAMPLE; k++) {
        Made m = make(&samples[k]);
        CHECK_INT(m.status, VG_OK);
        for (double x = -2.03; x < 9; x += 0.0731) {
            const double d = 1e-4;
            double h[3], low[3], high[3];
            vg_road_eval(&m.road, x, h);
            vg_road_eval(&m.road, x - d, low);
            vg_road_eval(&m.road, x + d, high);
            CHECK_NEAR(h[1], (high[0] - low[0]) / (2 * d), 1e-6);
            if (fabs(high[2] - low[2]) < 0.02 * (1 + fabs(h[2])))
                CHECK_NEAR(h[2], (high[1] - low[1]) / (2 * d), 1e-5 * (1 + fabs(h[2])));
        }
        drop(&m);
    }
}

TEST(shapes_are_as_promised)
{
    Made flat = make(&samples[0]), bump = make(&samples[1]), ramp = make(&samples[3]),
         stairs = make(&samples[4]);
    CHECK_NEAR(height(&flat.road, 3), 0.3, 0);
    CHECK_NEAR(height(&bump.road, 3.5), 0.2, 1e-15);
    CHECK_NEAR(height(&bump.road, 6.1), 0, 0);
    CHECK_NEAR(height(&ramp.road, 4), 0.4, 1e-15);
    CHECK_NEAR(height(&ramp.road, 1.4), 0, 0);
    CHECK_NEAR(height(&ramp.road, 7), 0.8, 1e-15);
    CHECK_NEAR(height(&stairs.road, 1), -0.05, 1e-15);
    CHECK_NEAR(height(&stairs.road, 1.7), -0.1, 1e-15);
    CHECK_NEAR(height(&stairs.road, 9), -0.3, 1e-15);
    bump.road.on = &flat.road; /* laid upon: heights add */
    CHECK_NEAR(height(&bump.road, 3.5), 0.5, 1e-15);
    CHECK_NEAR(height(NULL, 3.5), 0, 0);
    drop(&flat);
    drop(&bump);
    drop(&ramp);
    drop(&stairs);
}

TEST(every_kind_is_complete)
{
    for (int i = 0; vg_road_kinds[i]; i++) {
        const vgRoadKind *kind = vg_road_kinds[i];
        int sampled = 0;
        for (int k = 0; k < NSAMPLE; k++) sampled += strcmp(samples[k].kind, kind->name) == 0;
        CHECK(sampled > 0 && kind->doc && kind->eval);
        CHECK_STR(kind->example, kind->name);
        for (int f = 0; f < kind->nfield; f++) CHECK(kind->fields[f].doc && kind->fields[f].unit);
    }
    CHECK(vg_road_kind("no-such-road") == NULL);
}

TEST(roads_that_make_no_sense_are_refused)
{
    Made ramp = make(&(Sample){"ramp", {{"length", "1"}, {"height", "1"}, {"edge", "2"}}});
    Made stairs = make(&(Sample){"stairs", {{"run", "1"}, {"rise", "1"}, {"edge", "1.1"}}});
    Made law = make(&(Sample){"law", {{"height", "x + t"}}});
    CHECK_INT(ramp.status, VG_BAD_INPUT);
    CHECK_INT(stairs.status, VG_BAD_INPUT);
    CHECK_INT(law.status, VG_BAD_INPUT);
    drop(&ramp);
    drop(&stairs);
    drop(&law);
}

TEST_MAIN(roads_on_roads, derivatives_agree_with_differences, shapes_are_as_promised, every_kind_is_complete,
          roads_that_make_no_sense_are_refused)
