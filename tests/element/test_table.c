#include <stdlib.h>

#include "element/law/table.h"
#include "test.h"

TEST(linear_tables)
{
    double x[4] = {0, 1, 3, 4}, y[4] = {1, 3, -1, 0}, d[3];
    const double *knot;
    int bad;
    vgTable *hold, *extend;
    CHECK_INT(vg_table_new(4, x, y, VG_TABLE_LINEAR, VG_TABLE_HOLD, &bad, &hold), VG_OK);
    CHECK_INT(bad, -1);
    CHECK_INT(vg_table_new(4, x, y, VG_TABLE_LINEAR, VG_TABLE_EXTEND, NULL, &extend), VG_OK);
    for (int i = 0; i < 4; i++) CHECK_NEAR(vg_table_value(hold, x[i]), y[i], 0);
    vg_table_eval(hold, 2, d);
    CHECK_NEAR(d[0], 1, 1e-15);
    CHECK_NEAR(d[1], -2, 1e-15);
    vg_table_eval(hold, -2, d);
    CHECK_NEAR(d[0], 1, 0);
    CHECK_NEAR(d[1], 0, 0);
    vg_table_eval(extend, -2, d);
    CHECK_NEAR(d[0], -3, 1e-15);
    CHECK_NEAR(d[1], 2, 1e-15);
    vg_table_eval(extend, 6, d);
    CHECK_NEAR(d[0], 2, 1e-15);
    CHECK(isnan(vg_table_value(hold, NAN)));
    CHECK_INT(vg_table_corners(hold, &knot), 4);
    CHECK_NEAR(knot[2], 3, 0);
    vg_table_free(hold);
    vg_table_free(extend);
}

/* a cubic is reproduced, also by its slope beyond the ends */
TEST(cubic_tables)
{
    double x[6] = {0, 0.5, 1.1, 2, 2.7, 4}, y[6], d[3];
    const double *knot;
    vgTable *t;
    for (int i = 0; i < 6; i++) y[i] = x[i] * x[i] * (x[i] - 3);
    CHECK_INT(vg_table_new(6, x, y, VG_TABLE_CUBIC, VG_TABLE_EXTEND, NULL, &t), VG_OK);
    for (double v = 0; v < 4; v += 0.13) {
        vg_table_eval(t, v, d);
        CHECK_NEAR(d[0], v * v * (v - 3), 1e-13);
        CHECK_NEAR(d[1], 3 * v * v - 6 * v, 1e-13);
        CHECK_NEAR(d[2], 6 * v - 6, 1e-12);
    }
    vg_table_eval(t, 5, d);
    CHECK_NEAR(d[0], 16 + 24, 1e-12);
    CHECK_NEAR(d[2], 0, 0);
    CHECK_INT(vg_table_corners(t, &knot), 2);
    CHECK_NEAR(knot[1], 4, 0);
    vg_table_free(t);
}

TEST(bad_tables)
{
    double x[3] = {0, 1, 1}, y[3] = {1, 2, 3};
    int bad;
    vgTable *t;
    CHECK_INT(vg_table_new(3, x, y, VG_TABLE_LINEAR, VG_TABLE_HOLD, &bad, &t), VG_BAD_INPUT);
    CHECK_INT(bad, 2);
    CHECK(t == NULL);
    CHECK_INT(vg_table_new(1, x, y, VG_TABLE_LINEAR, VG_TABLE_HOLD, &bad, &t), VG_BAD_INPUT);
    y[1] = NAN;
    CHECK_INT(vg_table_new(2, x, y, VG_TABLE_CUBIC, VG_TABLE_HOLD, &bad, &t), VG_BAD_INPUT);
    CHECK_INT(bad, 1);
}

TEST_MAIN(linear_tables, cubic_tables, bad_tables)
