/* Heights from a table over x. */
#include "element/road/road.h"
#include "element/law/table.h"

typedef struct vgRoadTable {
    const vgTable *of;
    double scale;
} vgRoadTable;

static const vgField fields[] = {
    {"of", VG_FIELD_TABLE, offsetof(vgRoadTable, of), "m", NULL, 0, 0,
     "heights over x; a cubic table keeps slopes continuous"},
    {"scale", VG_FIELD_NUMBER, offsetof(vgRoadTable, scale), "", "1", 0, 0, "factor of the heights"},
};

static void eval(const void *def, double x, double h[3])
{
    const vgRoadTable *s = def;
    double y[3];
    vg_table_eval(s->of, x, y);
    for (int i = 0; i < 3; i++) h[i] += s->scale * y[i];
}

static double corner(const void *def, double x)
{
    return vg_table_switch(((const vgRoadTable *)def)->of, x);
}

const vgRoadKind vg_road_table = {
    .name = "table",
    .doc = "Heights over x from a table of the model.",
    .fields = fields,
    .nfield = 2,
    .def_size = sizeof(vgRoadTable),
    .example = "track: {table: {of: survey}}",
    .eval = eval,
    .corner = corner,
};
