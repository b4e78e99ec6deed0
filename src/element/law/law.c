/* Laws: gathering an expression's inputs from time, the element's own quantities and measured channels. */
#include "element/law/law.h"
#include "base/expect.h"

#include <math.h>
#include <stddef.h>

int vg_law_given(const vgLaw *law)
{
    return law->expr != NULL || !isnan(law->value);
}

int vg_law_nexternal(const vgLaw *law)
{
    int n = 0;
    if (law->expr)
        for (int i = 0; i < law->ninput; i++) n += law->slot[i] >= VG_LAW_LOCAL;
    return n;
}

int vg_law_is_time(const vgLaw *law)
{
    if (law->expr)
        for (int i = 0; i < law->ninput; i++)
            if (law->slot[i] != 0) return 0;
    return 1;
}

static void gather(const vgLaw *law, double t, int nlocal, const double *local, const double *inputs,
                   double *x)
{
    for (int i = 0; i < law->ninput; i++) {
        int s = law->slot[i];
        if (s >= VG_LAW_LOCAL)
            x[i] = inputs[i];
        else if (s == 0)
            x[i] = t;
        else
            x[i] = s <= nlocal ? local[s - 1] : 0;
    }
}

double vg_law_value(const vgLaw *law, double t, int nlocal, const double *local, const double *inputs,
                    const signed char *held)
{
    VG_EXPECT(nlocal >= 0 && (nlocal == 0 || local));
    double x[VG_LAW_MAX_INPUTS];
    if (!law->expr) return law->value;
    gather(law, t, nlocal, local, inputs, x);
    return held ? vg_expr_grad_held(law->expr, x, held, NULL) : vg_expr_value(law->expr, x);
}

int vg_law_switches(const vgLaw *law, double t, int nlocal, const double *local, const double *inputs,
                    double *out, int max)
{
    double x[VG_LAW_MAX_INPUTS];
    if (!law->expr) return 0;
    gather(law, t, nlocal, local, inputs, x);
    return vg_expr_switches(law->expr, x, out, max);
}

double vg_law_grad(const vgLaw *law, double t, int nlocal, const double *local, const double *inputs,
                   const signed char *held, double *dlocal, double *dext)
{
    VG_EXPECT(nlocal >= 0 && (nlocal == 0 || local));
    double x[VG_LAW_MAX_INPUTS], grad[VG_LAW_MAX_INPUTS];
    if (dlocal)
        for (int i = 0; i <= nlocal; i++) dlocal[i] = 0;
    if (!law->expr) return law->value;
    gather(law, t, nlocal, local, inputs, x);
    double value = held ? vg_expr_grad_held(law->expr, x, held, grad) : vg_expr_grad(law->expr, x, grad);
    for (int i = 0, ext = 0; i < law->ninput; i++) {
        int s = law->slot[i];
        if (s >= VG_LAW_LOCAL) {
            if (dext) dext[ext++] = grad[i];
        } else if (dlocal && s <= nlocal) {
            dlocal[s] += grad[i];
        }
    }
    return value;
}

void vg_law_time(const vgLaw *law, double t, double out[3])
{
    VG_EXPECT(vg_law_is_time(law) && out);
    if (law->expr) {
        vg_expr_time(law->expr, t, out);
        return;
    }
    out[0] = law->value;
    out[1] = out[2] = 0;
}
