/* The list of road kinds: a new kind is a file road_*.c and one row here. */
#include "element/road/road.h"

#include <math.h>
#include <string.h>

#define VG_ROAD_LIST(X)                                                                                      \
    X(flat)                                                                                                  \
    X(cosine)                                                                                                \
    X(ramp)                                                                                                  \
    X(stairs)                                                                                                \
    X(table)                                                                                                 \
    X(law)

#define VG_ROAD_DECLARE(kind) extern const vgRoadKind vg_road_##kind;
VG_ROAD_LIST(VG_ROAD_DECLARE)

#define VG_ROAD_ROW(kind) &vg_road_##kind,
const vgRoadKind *const vg_road_kinds[] = {VG_ROAD_LIST(VG_ROAD_ROW) NULL};

const vgRoadKind *vg_road_kind(const char *name)
{
    for (int i = 0; vg_road_kinds[i]; i++)
        if (strcmp(vg_road_kinds[i]->name, name) == 0) return vg_road_kinds[i];
    return NULL;
}

void vg_road_eval(const vgRoad *road, double x, double h[3])
{
    h[0] = h[1] = h[2] = 0;
    for (; road; road = road->on) road->kind->eval(road->def, x, h);
}

double vg_road_switch(const vgRoad *road, double x)
{
    double product = 1;
    for (; road; road = road->on)
        if (road->kind->corner) product *= road->kind->corner(road->def, x);
    return product;
}

double vg_road_corner(int n, const double *corner, double x)
{
    double least = INFINITY;
    int before = 0;
    for (int i = 0; i < n; i++) {
        before += x > corner[i];
        least = fmin(least, fabs(x - corner[i]));
    }
    return before % 2 ? least : -least;
}

void vg_road_blend(double x, double s[3])
{
    s[1] = s[2] = 0;
    s[0] = x < 0.5 ? 0 : 1;
    if (x <= 0 || x >= 1) return;
    s[0] = x * x * (3 - 2 * x);
    s[1] = 6 * x * (1 - x);
    s[2] = 6 - 12 * x;
}
