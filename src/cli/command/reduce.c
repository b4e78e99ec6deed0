/* verge reduce: files of modes from matrices (Craig–Bampton), or from a flexible body of a model. */
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "analysis/modes/reduce.h"
#include "cli/cli.h"
#include "model/model.h"
#include "model/read/spec.h"

typedef struct Source {
    vgPool *pool;
    vgDiag *diag;
    vgReduce in;
    double *K, *M;
} Source;

static const char *file_of(Source *s, const char *path, size_t *n)
{
    return vg_spec_read(s->pool, path, VG_NOWHERE, n, s->diag);
}

static int read_matrices(const vgArgs *args, Source *s)
{
    const char *path[2] = {vg_cli_value(args, "stiffness"), vg_cli_value(args, "mass")},
               *nodes = vg_cli_value(args, "nodes");
    double **to[2] = {&s->K, &s->M};
    int size[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        size_t n = 0;
        const char *text = file_of(s, path[k], &n);
        if (text) *to[k] = vg_reduce_matrix(text, n, path[k], s->diag, &size[k]);
        if (!*to[k]) return 0;
    }
    size_t n = 0;
    const char *text = file_of(s, nodes, &n), **name;
    vgVec3 *at;
    s->in.nnode = text ? vg_reduce_nodes(text, nodes, s->pool, s->diag, &name, &at) : -1;
    if (s->in.nnode < 0) return 0;
    s->in.name = name;
    s->in.at = at;
    s->in.K = s->K;
    s->in.M = s->M;
    s->in.per_node = size[0] / s->in.nnode;
    if (size[0] == size[1] && size[0] == s->in.nnode * s->in.per_node) return 1;
    vg_diag_error(s->diag, VG_NOWHERE,
                  "stiffness has %d rows, mass %d, and there are %d nodes: 3 or 6 rows a node are expected",
                  size[0], size[1], s->in.nnode);
    return 0;
}

static int read_boundary(const vgArgs *args, Source *s)
{
    int n = 0;
    char **part = vg_cli_split(vg_cli_value(args, "boundary"), &n);
    int *at = VG_NEW(s->pool, int, n + 1), ok = part && at;
    for (int i = 0; ok && i < n; i++) {
        int k = 0;
        while (k < s->in.nnode && strcmp(s->in.name[k], part[i]) != 0) k++;
        if (k == s->in.nnode) {
            vg_diag_error(s->diag, VG_NOWHERE, "there is no node '%s' for the boundary", part[i]);
            ok = 0;
        }
        at[i] = k;
    }
    s->in.boundary = at;
    s->in.nboundary = n;
    free(part);
    return ok;
}

static void tell(const vgModal *b, const double *w, int n)
{
    printf("  mass           %.9g kg, centre of mass at (%.6g, %.6g, %.6g) m\n", b->mass, b->com.x + 0.0,
           b->com.y + 0.0, b->com.z + 0.0); /* no −0 */
    printf("  shapes         %d, nodes %d\n", b->nmode, b->nnode);
    for (int i = 0; i < n; i++) printf("  mode %-4d      %.9g Hz\n", i + 1, w[i] / 6.28318530717958647692);
}

static int from_matrices(const vgArgs *args, Source *s, vgModal *out)
{
    static const char *const needed[] = {"stiffness", "mass", "nodes", "boundary"};
    long keep = 6;
    for (int i = 0; i < 4; i++)
        if (!vg_cli_value(args, needed[i])) return vg_cli_wrong("--%s is missing", needed[i]);
    if (vg_cli_count(args, "modes", 0, &keep) < 0) return VG_EXIT_INPUT;
    s->in.keep = (int)(keep > VG_REDUCE_MAX ? VG_REDUCE_MAX : keep);
    if (!read_matrices(args, s) || !read_boundary(args, s)) return VG_EXIT_INPUT;
    double *w = calloc((size_t)(6 * s->in.nboundary + s->in.keep) + 1, sizeof *w);
    vgStatus st = w ? vg_reduce(&s->in, s->pool, s->diag, out, w) : VG_NO_MEMORY;
    if (st == VG_OK) tell(out, w + 6, out->nmode);
    if (st != VG_OK && vg_diag_errors(s->diag) == 0)
        vg_diag_error(s->diag, VG_NOWHERE, "the reduction failed: %s", vg_status_text(st));
    free(w);
    return st == VG_OK ? VG_EXIT_OK : st == VG_BAD_INPUT ? VG_EXIT_INPUT : VG_EXIT_FAILED;
}

static int from_model(const vgArgs *args, Source *s, vgModel **model, vgModal *out)
{
    const char *body = vg_cli_value(args, "body");
    *model = vg_model_load(vg_cli_word(args, 0), NULL, 0, s->diag);
    if (!*model) return VG_EXIT_INPUT;
    const vgModel *m = *model;
    if (!body && m->nmodal != 1)
        return vg_cli_wrong("the model has %d flexible bodies: name one with --body", m->nmodal);
    for (int i = 0; i < m->nmodal; i++)
        if (!body || strcmp(m->modal[i].name, body) == 0) {
            *out = *m->modal[i].data;
            tell(out, NULL, 0);
            return VG_EXIT_OK;
        }
    return vg_cli_wrong("the model has no flexible body '%s'", body);
}

static int write_body(const vgModal *b, const char *to)
{
    const size_t n = strlen(to);
    if ((n > 3 && strcmp(to + n - 3, ".h5") == 0) || (n > 5 && strcmp(to + n - 5, ".hdf5") == 0)) {
        if (vg_modal_save_h5(b, to) != VG_OK) {
            vg_cli_wrong("'%s' could not be written: %s", to, vg_file_why(errno ? errno : ENOMEM));
            return VG_EXIT_FAILED;
        }
    } else {
        char *text = vg_modal_text(b);
        int ok = text && vg_cli_write(to, text);
        free(text);
        if (!ok) return VG_EXIT_FAILED;
    }
    printf("  written        %s\n", to);
    return VG_EXIT_OK;
}

static int run(const vgArgs *args)
{
    Source s = {.pool = vg_pool_new(0), .diag = vg_diag_new()};
    vgModel *model = NULL;
    vgModal b = {0};
    const char *to = vg_cli_value(args, "output");
    int code = VG_EXIT_FAILED;
    if (s.pool && s.diag)
        code = vg_cli_words(args) ? from_model(args, &s, &model, &b) : from_matrices(args, &s, &b);
    if (code == VG_EXIT_OK) code = write_body(&b, to ? to : "body.modes");
    vg_cli_say(s.diag);
    vg_model_free(model);
    free(s.K);
    free(s.M);
    vg_diag_free(s.diag);
    vg_pool_free(s.pool);
    return code;
}

static const vgOption options[] = {
    {"stiffness", 'k', "FILE", "stiffness matrix of the free body, Matrix Market"},
    {"mass", 'm', "FILE", "mass matrix, Matrix Market"},
    {"nodes", 'n', "FILE", "nodes by lines: name x y z; the matrices have 3 or 6 rows for each node"},
    {"boundary", 'b', "NAMES", "nodes with static shapes, which become nodes of the body"},
    {"modes", 0, "N", "number of modes with the boundary held (default 6)"},
    {"body", 0, "NAME", "with a model: the flexible body to write"},
    {"output", 'o', "FILE", "where to write (body.modes); in HDF5 where the name ends in .h5"},
    {0},
};

const vgCommand vg_cmd_reduce = {
    .name = "reduce",
    .usage = "[MODEL.yaml] [options]",
    .doc = "modes of a flexible body: by Craig-Bampton reduction of matrices, or from a model",
    .example = "  verge reduce --stiffness K.mtx --mass M.mtx --nodes nodes.txt --boundary A,B --modes 8 -o "
               "arm.modes\n"
               "  verge reduce models/slider-crank-flexible-modes.yaml --body rod -o rod.modes\n",
    .min = 0,
    .max = 1,
    .options = options,
    .run = run,
};
