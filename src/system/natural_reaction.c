/* Natural coordinates: reactions. Rows say their own by their multipliers. What a joint holds by a shared
 * node has no multiplier: it is what the node passes on from one body to the other,
 *     R_b = Wᵀ (M ÿ − f − Σ …) + Gᵀλ      of body b at that node,
 * a force at a point, and the torque u × R at a vector u. */
#include <string.h>

#include "system/natural.h"

void vg_nat_reaction(const vgSystem *sys, vgWork *work, double t, const double *lambda, int joint,
                     double wrench[6])
{
    const vgNat *s = (const vgNat *)sys;
    vgNatWork *w = (vgNatWork *)work;
    (void)t;
    for (int r = 0; r < sys->model->nrow; r++)
        w->lambda_model[r] = s->model_row[r] >= 0 ? lambda[s->model_row[r]] : 0;
    vg_native_reaction(&w->all, w->lambda_model, joint, wrench);
}
