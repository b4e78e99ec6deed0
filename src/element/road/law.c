/* Heights as an expression of x. */
#include "element/law/law.h"
#include "element/road/road.h"

typedef struct vgRoadLaw {
    vgLaw height;
} vgRoadLaw;

static const vgField fields[] = {
    {"height", VG_FIELD_LAW, offsetof(vgRoadLaw, height), "m", NULL, 0, 0, "h(x), an expression of x"},
};

/* Slots: 0 is time, 1 is x. A road stands still and sees no channels. */
static vgStatus setup(void *def, const char **key, const char **why)
{
    const vgRoadLaw *s = def;
    if (!s->height.expr || (s->height.ninput == 1 && s->height.slot[0] == 1)) return VG_OK;
    *key = "height";
    *why = "a road is a function of x alone";
    return VG_BAD_INPUT;
}

static void eval(const void *def, double x, double h[3])
{
    const vgRoadLaw *s = def;
    double out[3] = {s->height.value, 0, 0};
    if (s->height.expr) vg_expr_taylor2(s->height.expr, &x, (const double[1]){1}, (const double[1]){0}, out);
    for (int i = 0; i < 3; i++) h[i] += out[i];
}

static double corner(const void *def, double x)
{
    enum { MOST = 16 };
    const vgRoadLaw *s = def;
    double out[MOST], product = 1;
    int n = s->height.expr ? vg_expr_switches(s->height.expr, &x, out, MOST) : 0;
    for (int i = 0; i < n; i++) product *= out[i];
    return product;
}

static const char *const locals[] = {"x", NULL};

const vgRoadKind vg_road_law = {
    .name = "law",
    .doc = "Heights as an expression of x.",
    .locals = locals,
    .fields = fields,
    .nfield = 1,
    .def_size = sizeof(vgRoadLaw),
    .example = "waves: {law: {height: \"0.05*sin(2*pi*x/3)\"}}",
    .setup = setup,
    .eval = eval,
    .corner = corner,
};
