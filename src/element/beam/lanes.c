/* In and out of lanes; a single beam is four times the same. */
#include "element/beam/lanes.h"

#include <stddef.h>
#include <string.h>

static vgLane pick(const double *const at[VG_LANES])
{
    return (vgLane){*at[0], *at[1], *at[2], *at[3]};
}

/* n numbers at the same offset in four structures */
static void pick_all(const vgBeamGauss *const g[VG_LANES], const double *first, int n, vgLane *out)
{
    const ptrdiff_t offset = (const char *)first - (const char *)g[0];
    for (int i = 0; i < n; i++) {
        const double *at[VG_LANES];
        for (int k = 0; k < VG_LANES; k++) at[k] = (const double *)((const char *)g[k] + offset) + i;
        out[i] = pick(at);
    }
}

void vg_beam_pack(const vgBeam *const b[VG_LANES], vgBeamPack *out)
{
    const int nn = b[0]->narm + 1;
    out->head.nbody = nn;
    out->head.massive = b[0]->inertial;
    out->head.damped = b[0]->damping != 0;
    for (int i = 0; i < nn * nn; i++)
        out->head.mass[i] = (vgLane){b[0]->M[i], b[1]->M[i], b[2]->M[i], b[3]->M[i]};
    out->narm = b[0]->narm;
    out->damped = b[0]->damping != 0;
    out->coupled = b[0]->coupled;
    out->damping = (vgLane){b[0]->damping, b[1]->damping, b[2]->damping, b[3]->damping};
    for (int i = 0; i < out->narm; i++) {
        const vgBeamGauss *const g[VG_LANES] = {&b[0]->gauss[i], &b[1]->gauss[i], &b[2]->gauss[i],
                                                &b[3]->gauss[i]};
        vgLanePoint *p = &out->point[i];
        pick_all(g, g[0]->N, VG_BEAM_MAX_ARMS, p->N);
        pick_all(g, g[0]->dN, VG_BEAM_MAX_ARMS, p->dN);
        pick_all(g, &g[0]->Cnn.m[0][0], 9, &p->Cnn.m[0][0]);
        pick_all(g, &g[0]->Cnm.m[0][0], 9, &p->Cnm.m[0][0]);
        pick_all(g, &g[0]->Cmm.m[0][0], 9, &p->Cmm.m[0][0]);
        pick_all(g, &g[0]->gamma0.x, 3, &p->gamma0.x);
        pick_all(g, &g[0]->kappa0.x, 3, &p->kappa0.x);
    }
}

static void one_beam(const vgBeam *b, const vgKin *const *kin, int rates, vgBeamPack *pack,
                     vgLaneKin at[VG_BEAM_MAX_NODES])
{
    const vgBeam *const same[VG_LANES] = {b, b, b, b};
    vg_beam_pack(same, pack);
    for (int a = 0; a <= b->narm; a++) {
        const vgKin *const k[VG_LANES] = {kin[a], kin[a], kin[a], kin[a]};
        vg_lane_kin(k, rates, &at[a]);
    }
}

static void add_first(const vgLane *from, int nn, double *to)
{
    for (int u = 0; u < nn; u++)
        for (int v = 0; v < nn; v++, from += 36)
            for (int i = 0; i < 36; i++) to[(6 * u + i / 6) * 6 * nn + 6 * v + i % 6] += from[i][0];
}

void vg_beam_internal(const vgBeam *b, const vgKin *const *kin, vgForceOut *out)
{
    vgBeamPack pack;
    vgLaneKin at[VG_BEAM_MAX_NODES];
    vgLane f[6 * VG_BEAM_MAX_NODES], K[VG_BEAM_LANE_TANGENT], C[VG_BEAM_LANE_TANGENT];
    const int nn = b->narm + 1, damped = b->damping != 0 && out->C;
    one_beam(b, kin, b->damping != 0, &pack, at);
    memset(f, 0, sizeof f);
    if (out->K) memset(K, 0, sizeof K);
    if (damped) memset(C, 0, sizeof C);
    vg_beam_lanes(&pack, at, f, out->K ? K : NULL, damped ? C : NULL);
    for (int i = 0; i < 6 * nn; i++) out->f[i] += f[i][0];
    if (out->K) add_first(K, nn, out->K);
    if (damped) add_first(C, nn, out->C);
}

void vg_beam_strain(const vgBeam *b, const vgKin *const *kin, int point, double strain[6], double rate[6])
{
    vgBeamPack pack;
    vgLaneKin at[VG_BEAM_MAX_NODES];
    vgLane e[6], d[6];
    one_beam(b, kin, rate != NULL, &pack, at);
    vg_beam_lanes_strain(&pack, at, point, e, rate ? d : NULL);
    for (int i = 0; i < 6; i++) {
        strain[i] = e[i][0];
        if (rate) rate[i] = d[i][0];
    }
}

/* ---- four at once ---- */

/* 1: the nodes' masses are apart from each other, so that each is a rigid part of its body. */
static int masses_apart(const vgBeam *b)
{
    const int nn = b->narm + 1;
    for (int i = 0; i < nn * nn; i++)
        if (b->inertial && i % (nn + 1) != 0 && b->M[i] != 0) return 0;
    return 1;
}

static int group(const void *def)
{
    const vgBeam *b = def;
    if (b->planar || (b->attached && (b->damping != 0 || !masses_apart(b)))) return 0;
    return 1 + b->coupled + 2 * (b->inertial != 0) + 4 * (b->attached != 0) + 8 * (b->damping != 0);
}

static void pack_beams(const void *const def[VG_LANES], vgLanePack *out)
{
    const vgBeam *const b[VG_LANES] = {def[0], def[1], def[2], def[3]};
    vgBeamPack *p = (vgBeamPack *)out;
    vg_beam_pack(b, p);
    p->attached = b[0]->attached;
    if (!p->attached) return;
    out->massive = 0;
    memset(out->mass, 0, sizeof out->mass);
    for (int a = 0; a <= p->narm; a++)
        for (int k = 0; k < VG_LANES; k++) {
            const vgBeamNode *d = &b[k]->node[a];
            p->r[a].x[k] = d->r.x, p->r[a].y[k] = d->r.y, p->r[a].z[k] = d->r.z;
            for (int i = 0; i < 9; i++) p->N[a].m[i / 3][i % 3][k] = d->N.m[i / 3][i % 3];
        }
}

VG_LANEWISE vgLane33 get(const vgLane *at)
{
    vgLane33 A;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) A.m[i][j] = at[6 * i + j];
    return A;
}

VG_LANEWISE void put(vgLane33 A, vgLane *at)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) at[6 * i + j] = A.m[i][j];
}

/* As vg_node_pull, in place: f ← Aᵀ f and K ← Aᵀ K A + ∂Aᵀ/∂q f; R: of the bodies. */
static void pull_nodes(const vgBeamPack *p, const vgLaneKin *body, vgLane *f, vgLane *K)
{
    const int nn = p->narm + 1;
    vgLane33 Rr[VG_BEAM_MAX_NODES];
    for (int a = 0; a < nn; a++) {
        Rr[a] = vg_lmat_cross3(body[a].R, p->r[a]);
        for (int u = 0; u < nn && K; u++)
            for (int half = 0; half < 36; half += 18) {
                vgLane *at = K + 36 * (nn * u + a) + half;
                put(vg_lmsub3(vg_lmmt3(get(at + 3), p->N[a]), vg_lmm3(get(at), Rr[a])), at + 3);
            }
    }
    for (int a = 0; a < nn; a++) {
        vgLane *fa = f + 6 * a, *own = K ? K + 36 * (nn + 1) * a + 21 : NULL;
        vgLane3 F = vg_lmtv3(body[a].R, (vgLane3){fa[0], fa[1], fa[2]});
        for (int v = 0; v < nn && K; v++)
            for (int half = 0; half < 6; half += 3) {
                vgLane *at = K + 36 * (nn * a + v) + half;
                put(vg_lmsub3(vg_lmm3(p->N[a], get(at + 18)), vg_lmtm3(Rr[a], get(at))), at + 18);
            }
        if (K) put(vg_lmadd3(get(own), vg_lcross_mat3(p->r[a], vg_lskew3(F))), own);
        vgLane3 t = vg_ladd3(vg_lmv3(p->N[a], (vgLane3){fa[3], fa[4], fa[5]}), vg_lcross3(p->r[a], F));
        fa[3] = t.x, fa[4] = t.y, fa[5] = t.z;
    }
}

static void add_inertia(const vgLanePack *pack, const vgKin *const *kin, vgVec3 g, vgLane *f)
{
    const int nn = pack->nbody;
    for (int c = 0; c < nn; c++) {
        const vgKin *const *k = kin + VG_LANES * c;
        const double *const dv[VG_LANES] = {&k[0]->dv.x, &k[1]->dv.x, &k[2]->dv.x, &k[3]->dv.x};
        vgLane acc[4];
        vg_lane_gather(dv, 0, acc);
        for (int a = 0; a < nn; a++) {
            const vgLane m = pack->mass[nn * a + c];
            f[6 * a] -= m * (acc[0] - g.x);
            f[6 * a + 1] -= m * (acc[1] - g.y);
            f[6 * a + 2] -= m * (acc[2] - g.z);
        }
    }
}

static void eval(const vgLanePack *pack, const vgKin *const *kin, vgVec3 gravity, vgLane *f, vgLane *K,
                 vgLane *C)
{
    const vgBeamPack *p = (const vgBeamPack *)pack;
    const int nn = pack->nbody;
    vgLaneKin at[VG_BEAM_MAX_NODES], node[VG_BEAM_MAX_NODES];
    vg_lane_kin(kin, pack->damped, &at[0]);
    for (int a = 1; a < nn; a++) vg_lane_kin(kin + VG_LANES * a, pack->damped, &at[a]);
    for (int a = 0; a < nn && p->attached; a++) {
        node[a].p = vg_ladd3(at[a].p, vg_lmv3(at[a].R, p->r[a]));
        node[a].R = vg_lmm3(at[a].R, p->N[a]);
    }
    vg_beam_lanes(p, p->attached ? node : at, f, K, C);
    if (p->attached) pull_nodes(p, at, f, K);
    if (pack->massive) add_inertia(pack, kin, gravity, f);
}

/* A mass m at r with the moments S, J about that place has the moments m r + S and
 * J − m [r]² − [r][S] − [S][r] about the origin. */
static void spin(const void *def, int a, double *m, vgVec3 *S, vgMat3 *J)
{
    const vgBeam *b = def;
    const vgBeamNode *d = &b->node[a];
    *m = 0, *S = vg_zero3(), *J = vg_mzero3();
    if (!b->inertial) return;
    *S = d->S, *J = d->J;
    if (!b->attached) return;
    *m = b->M[a * (b->narm + 2)];
    vgVec3 first = vg_mv3(d->N, d->S);
    vgMat3 r = vg_skew3(d->r), s = vg_skew3(first);
    *S = vg_axpy3(*m, d->r, first);
    *J = vg_mm3(d->N, vg_mmt3(d->J, d->N));
    *J = vg_msub3(*J, vg_madd3(vg_mscale3(vg_mm3(r, r), *m), vg_madd3(vg_mm3(r, s), vg_mm3(s, r))));
}

const vgForceLanes vg_beam_lane_ops = {.group = group,
                                       .pack_size = sizeof(vgBeamPack),
                                       .pack_used = offsetof(vgBeamPack, r),
                                       .pack = pack_beams,
                                       .eval = eval,
                                       .spin = spin};
