/* With d = P_B − P_A: φ = ½ (d·d − c²)/c, force λ d/c on P_B, φ̇ = d·ḋ/c, φ̈ = (ḋ·ḋ + d·d̈)/c. */
#include "system/native/rods.h"

#include "element/fours.h"
#include "system/native/fours.h"

static void add(vgRodFour *g, const vgPrim *p)
{
    int body[2] = {p->a, p->b};
    for (int k = g->n; k < VG_LANES; k++) {
        g->c[k] = p->c, g->inverse[k] = 1 / p->c;
        g->ra.x[k] = p->ra.x, g->ra.y[k] = p->ra.y, g->ra.z[k] = p->ra.z;
        g->rb.x[k] = p->rb.x, g->rb.y[k] = p->rb.y, g->rb.z[k] = p->rb.z;
        g->row[k] = p->row;
        for (int a = 0; a < 2; a++) g->body[VG_LANES * a + k] = body[a];
    }
    g->n++;
    for (int a = 0; a < 2; a++) g->shared[a] = g->n == VG_LANES && vg_four_shared(g->body + VG_LANES * a);
}

static int count_rods(const vgModel *m, const unsigned char *prim, int fast, int *chosen)
{
    int count = 0;
    *chosen = 0;
    for (int i = 0; i < m->nprim; i++) {
        *chosen += !prim || prim[i];
        count += (!prim || prim[i]) && vg_prim_is_rod(&m->prim[i]);
    }
    return !fast ? 0 : count - (count % VG_LANES == 1); /* without one that would be alone */
}

void vg_rods_place(vgRods *x, const vgModel *m, const unsigned char *prim, int fast, vgArena *a)
{
    int chosen, count = count_rods(m, prim, fast, &chosen);
    x->four = VG_TAKE(a, vgRodFour, (count + VG_LANES - 1) / VG_LANES);
    x->rest = VG_TAKE(a, int, chosen + 1);
}

void vg_rods_start(vgRods *x, const vgModel *m, const unsigned char *prim, int fast)
{
    int chosen, count = count_rods(m, prim, fast, &chosen), met = 0;
    x->n = (count + VG_LANES - 1) / VG_LANES;
    x->nrest = 0;
    for (int i = 0; i < m->nprim; i++) {
        if (prim && !prim[i]) continue;
        if (vg_prim_is_rod(&m->prim[i]) && met < count)
            add(&x->four[met++ / VG_LANES], &m->prim[i]);
        else
            x->rest[x->nrest++] = i;
    }
}

static void look_up(const vgRodFour *g, const vgKin *kin, int nbody, const vgKin *out[2 * VG_LANES])
{
    for (int i = 0; i < 2 * VG_LANES; i++) out[i] = &kin[g->body[i] < 0 ? nbody : g->body[i]];
}

void vg_rods_forces(const vgRods *x, const vgKin *kin, int nbody, const double *lambda, double *native,
                    double *phi)
{
    for (const vgRodFour *g = x->four, *end = g + x->n; g < end; g++) {
        const vgKin *at[2 * VG_LANES];
        vgLaneKin a, b;
        vgLane f[12], l = {lambda[g->row[0]], lambda[g->row[1]], lambda[g->row[2]], lambda[g->row[3]]};
        look_up(g, kin, nbody, at);
        vg_four_kin(at, 0, &a);
        vg_four_kin(at + VG_LANES, 0, &b);
        vgLane3 d = vg_lsub3(vg_ladd3(b.p, vg_lmv3(b.R, g->rb)), vg_ladd3(a.p, vg_lmv3(a.R, g->ra)));
        vgLane value = 0.5 * (vg_ldot3(d, d) * g->inverse - g->c);
        vgLane3 F = vg_lscale3(d, l * g->inverse), back = vg_lneg3(F);
        vg_four_put(back, vg_lcross3(g->ra, vg_lmtv3(a.R, back)), f);
        vg_four_put(F, vg_lcross3(g->rb, vg_lmtv3(b.R, F)), f + 6);
        for (int k = 0; k < g->n; k++) phi[g->row[k]] = value[k];
        for (int i = 0; i < 2; i++)
            vg_four_scatter(f + 6 * i, g->body + VG_LANES * i, g->n, g->shared[i], 1, native);
    }
}

/* The arm of a point in W with its derivatives, and the centre of mass added. */
VG_LANEWISE void point(const vgKin *const *kin, vgLane3 r, vgLane3 out[3])
{
    const double *const at[VG_LANES] = {&kin[0]->p.x, &kin[1]->p.x, &kin[2]->p.x, &kin[3]->p.x};
    vgLane x[24];
    if (kin[0] == kin[1] && kin[1] == kin[2] && kin[2] == kin[3])
        for (int i = 0; i < 24; i++) x[i] = vg_lane(at[0][i]);
    else
        for (int i = 0; i < 24; i += 4) vg_lane_gather(at, i, x + i);
    vgLane33 R = {{{x[3], x[4], x[5]}, {x[6], x[7], x[8]}, {x[9], x[10], x[11]}}};
    vgLane3 w = {x[15], x[16], x[17]}, dw = {x[21], x[22], x[23]}, wr = vg_lcross3(w, r);
    vgLane3 turned = vg_ladd3(vg_lcross3(dw, r), vg_lcross3(w, wr));
    out[0] = vg_ladd3((vgLane3){x[0], x[1], x[2]}, vg_lmv3(R, r));
    out[1] = vg_ladd3((vgLane3){x[12], x[13], x[14]}, vg_lmv3(R, wr));
    out[2] = vg_ladd3((vgLane3){x[18], x[19], x[20]}, vg_lmv3(R, turned));
}

void vg_rods_levels(const vgRods *x, const vgKin *kin, int nbody, double *phi, double *dot, double *ddot)
{
    for (const vgRodFour *g = x->four, *end = g + x->n; g < end; g++) {
        const vgKin *at[2 * VG_LANES];
        vgLane3 A[3], B[3];
        look_up(g, kin, nbody, at);
        point(at, g->ra, A);
        point(at + VG_LANES, g->rb, B);
        for (int i = 0; i < 3; i++) B[i] = vg_lsub3(B[i], A[i]);
        vgLane value = 0.5 * (vg_ldot3(B[0], B[0]) * g->inverse - g->c),
               rate = vg_ldot3(B[0], B[1]) * g->inverse;
        vgLane second = (vg_ldot3(B[1], B[1]) + vg_ldot3(B[0], B[2])) * g->inverse;
        for (int k = 0; k < g->n; k++) {
            phi[g->row[k]] = value[k];
            dot[g->row[k]] = rate[k];
            ddot[g->row[k]] = second[k];
        }
    }
}
