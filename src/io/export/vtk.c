/* VTK: beams and cables of each frame as lines in a file of XML (FILE_0000.vtp …), and FILE.pvd, which names them with
 * their times. What each of them carries, where it was recorded, is data of its line: all of force.NAME.*. The list is
 * written last: without it nothing is read. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "io/export/motion.h"

enum { MOST_FRAMES = 200, MOST_NODES = 4096, MOST_QUANTITIES = 64 };

typedef struct beamLine {
    const char *name;
    int first, n; /* nodes */
} beamLine;

typedef struct beamLines {
    const vgMotion *m;
    beamLine *line;
    int nline, nnode;
    int *body;
    vgPose *at;
    const char *quantity[MOST_QUANTITIES]; /* "axial", "moment-z", … */
    int nquantity;
    int *column; /* nline × nquantity, −1: not recorded */
} beamLines;

/* Columns of the table that are quantities of a beam. */
static void find_columns(beamLines *b)
{
    const vgTableData *table = b->m->table;
    for (int pass = 0; pass < 2; pass++) {
        for (int c = 1; c < table->ncol; c++) {
            for (int i = 0; i < b->nline; i++) {
                size_t n = strlen(b->line[i].name);
                const char *name = table->name[c];
                if (strncmp(name, "force.", 6) != 0 || strncmp(name + 6, b->line[i].name, n) != 0 ||
                    name[6 + n] != '.')
                    continue;
                int q = 0;
                while (q < b->nquantity && strcmp(b->quantity[q], name + 7 + n) != 0) q++;
                if (pass == 0 && q == b->nquantity && q < MOST_QUANTITIES)
                    b->quantity[b->nquantity++] = name + 7 + n;
                if (pass == 1 && q < b->nquantity) b->column[i * b->nquantity + q] = c;
            }
        }
        if (pass == 1) return;
        size_t cells = (size_t)b->nline * (size_t)(b->nquantity + 1);
        b->column = malloc(cells * sizeof *b->column);
        if (!b->column) return;
        for (size_t k = 0; k < cells; k++) b->column[k] = -1;
    }
}

static vgStatus collect(beamLines *b)
{
    const vgJsonNode *forces = vg_json_first(vg_json_member(b->m->scene->root, "forces"));
    int n = 0;
    for (const vgJsonNode *f = forces; f; f = f->next) n++;
    b->line = calloc((size_t)n + 1, sizeof *b->line);
    int room = 0;
    for (const vgJsonNode *f = forces; f && b->line; f = f->next) {
        if (b->nnode + MOST_NODES > room) {
            room = 2 * room + 2 * MOST_NODES;
            int *body = realloc(b->body, (size_t)room * sizeof *body);
            if (body) b->body = body;
            vgPose *at = body ? realloc(b->at, (size_t)room * sizeof *at) : NULL;
            if (at) b->at = at;
            if (!at) return VG_NO_MEMORY;
        }
        int k = vg_motion_nodes(b->m, f, MOST_NODES, b->body + b->nnode, b->at + b->nnode);
        if (k < 2) continue;
        b->line[b->nline++] = (beamLine){vg_json_string(vg_json_member(f, "name")), b->nnode, k};
        b->nnode += k;
    }
    if (!b->line) return VG_NO_MEMORY;
    find_columns(b);
    return b->column ? VG_OK : VG_NO_MEMORY;
}

/* The row of the table at a time; frames are rows of it. */
static const double *row_at(const vgTableData *table, double t)
{
    long low = 0, high = table->nrow - 1;
    while (low < high) {
        long middle = low + (high - low) / 2;
        if (table->value[middle * table->ncol] < t)
            low = middle + 1;
        else
            high = middle;
    }
    return table->nrow ? table->value + low * table->ncol : NULL;
}

static void array(vgText *x, const char *type, const char *name, int components)
{
    vg_text_add(x, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"ascii\">", type,
                name, components);
}

static void number(vgText *x, double value)
{
    vg_text_number(x, isfinite(value) ? value : NAN);
    vg_text_put(x, " ", 1);
}

static void frame(const beamLines *b, int k, vgText *x)
{
    const double *row = row_at(b->m->table, b->m->time[k]);
    vg_text_add(
        x,
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
        "<PolyData><Piece NumberOfPoints=\"%d\" NumberOfVerts=\"0\" NumberOfLines=\"%d\" "
        "NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n<CellData>\n",
        b->nnode, b->nline);
    array(x, "Int32", "line", 1);
    for (int i = 0; i < b->nline; i++) vg_text_add(x, "%d ", i);
    vg_text_add(x, "</DataArray>\n");
    for (int q = 0; q < b->nquantity && row; q++) {
        array(x, "Float64", b->quantity[q], 1);
        for (int i = 0; i < b->nline; i++) {
            int c = b->column[i * b->nquantity + q];
            number(x, c < 0 ? NAN : row[c]);
        }
        vg_text_add(x, "</DataArray>\n");
    }
    vg_text_add(x, "</CellData>\n<Points>");
    array(x, "Float64", "Points", 3);
    for (int i = 0; i < b->nnode; i++) {
        vgPose p = vg_motion_node(b->m, k, b->body[i], b->at[i]);
        for (int c = 0; c < 3; c++) number(x, p.at[c]);
    }
    vg_text_add(x, "</DataArray></Points>\n<Lines>");
    array(x, "Int32", "connectivity", 1);
    for (int i = 0; i < b->nnode; i++) vg_text_add(x, "%d ", i);
    vg_text_add(x, "</DataArray>\n");
    array(x, "Int32", "offsets", 1);
    for (int i = 0; i < b->nline; i++) vg_text_add(x, "%d ", b->line[i].first + b->line[i].n);
    vg_text_add(x, "</DataArray></Lines>\n</Piece></PolyData></VTKFile>\n");
}

/* "DIR/NAME.pvd", 12 → "DIR/NAME_0012.vtp" */
static void frame_name(vgText *x, const char *list, int k)
{
    const char *dot = strrchr(list, '.');
    vg_text_clear(x);
    vg_text_add(x, "%.*s_%04d.vtp", (int)(dot ? dot - list : (long)strlen(list)), list, k);
}

static void escaped(vgText *x, const char *name)
{
    for (; *name; name++) {
        const char *code = *name == '&' ? "&amp;" : *name == '<' ? "&lt;" : *name == '"' ? "&quot;" : NULL;
        if (code)
            vg_text_add(x, "%s", code);
        else
            vg_text_put(x, name, 1);
    }
}

static vgStatus put(const char *path, const vgText *x, vgDiag *diag)
{
    if (!vg_text_ok(x)) return VG_NO_MEMORY;
    if (vg_file_write(path, x->at, x->used)) return VG_OK;
    vg_diag_error(diag, VG_NOWHERE, "'%s' could not be written: %s", path, vg_file_why(errno));
    return VG_IO;
}

static vgStatus write_all(const beamLines *b, const char *to, vgDiag *diag)
{
    vgText x = {0}, list = {0}, name = {0};
    vgStatus status = VG_OK;
    vg_text_add(
        &list,
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
        "<Collection>\n");
    for (int k = 0; k < b->m->nframe && status == VG_OK; k++) {
        vg_text_clear(&x);
        frame(b, k, &x);
        frame_name(&name, to, k);
        const char *path = vg_text_at(&name), *slash = strrchr(path, '/');
        status = vg_text_ok(&name) ? put(path, &x, diag) : VG_NO_MEMORY;
        vg_text_add(&list, "<DataSet timestep=\"");
        vg_text_number(&list, b->m->time[k]);
        vg_text_add(&list, "\" part=\"0\" file=\"");
        escaped(&list, slash ? slash + 1 : path);
        vg_text_add(&list, "\"/>\n");
    }
    vg_text_add(&list, "</Collection></VTKFile>\n");
    if (status == VG_OK) status = put(to, &list, diag);
    vg_text_free(&x);
    vg_text_free(&list);
    vg_text_free(&name);
    return status;
}

vgStatus vg_export_vtk(const char *from, const char *to, const vgExportHow *how, vgDiag *diag)
{
    vgMotion m;
    vgStatus status = vg_motion_read(&m, from, how->frames ? how->frames : MOST_FRAMES, 1, diag);
    if (status != VG_OK) return status;
    beamLines b = {.m = &m};
    status = collect(&b);
    if (status == VG_OK && b.nline == 0) {
        vg_diag_error(diag, VG_NOWHERE, "%s: its model has no beams or cables; --gltf shows bodies", from);
        status = VG_BAD_INPUT;
    }
    if (status == VG_OK) status = write_all(&b, to, diag);
    free(b.line), free(b.body), free(b.at), free(b.column);
    vg_motion_free(&m);
    return status;
}
