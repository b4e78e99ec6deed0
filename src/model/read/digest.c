/* What a model is made of, as sums: one for each entry of its sections, each parameter and what else moves it. Two models
 * whose sums agree have the same equations of motion; where they differ, the part has a name. Left out is what does not
 * move anything: title, run, record and shapes. */
#include <string.h>

#include "model/read/reader.h"

static unsigned long long mix(unsigned long long h, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < n; i++) h = (h ^ at[i]) * 1099511628211ull; /* FNV-1a */
    return h;
}

static const unsigned long long start = 14695981039346656037ull;

/* Of a tree of values; a node that several anchors share is summed once. */
static unsigned long long sum_of(vgNode *node)
{
    if (node->summed) return node->sum;
    unsigned long long h = mix(start, &node->kind, sizeof node->kind);
    h = mix(h, &node->n, sizeof node->n);
    if (node->kind == VG_NODE_SCALAR) h = mix(h, node->text, strlen(node->text) + 1);
    for (int i = 0; i < node->n; i++) {
        vgNode *key = node->kind == VG_NODE_MAP ? node->pair[i].key : NULL;
        vgNode *value = node->kind == VG_NODE_MAP ? node->pair[i].value : node->item[i];
        if (key && key->kind == VG_NODE_SCALAR && strcmp(key->text, "shape") == 0) continue;
        unsigned long long part[2] = {key ? sum_of(key) : 0, sum_of(value)};
        h = mix(h, part, sizeof part);
    }
    node->summed = 1;
    return node->sum = h;
}

static void add(vgReader *r, const char *kind, const char *name, unsigned long long sum, int *n, int cap)
{
    if (*n == cap) return;
    vgModelPart *p = &((vgModelPart *)(size_t)r->m->part)[(*n)++];
    p->kind = kind;
    p->name = vg_read_keep(r, name);
    p->sum = sum;
}

/* Sections whose entries have names, and keys that stand for themselves. */
static const char *const sections[][2] = {{"bodies", "body"},
                                          {"joints", "joint"},
                                          {"forces", "force"},
                                          {"mesh", "mesh"},
                                          {"flexible", "flexible body"},
                                          {"controllers", "controller"},
                                          {"contacts", "group of contacts"},
                                          {"tables", "table"},
                                          {"roads", "road"}};
static const char *const keys[] = {"planar", "gravity", "repeat"};
enum { SECTIONS = sizeof sections / sizeof *sections, KEYS = sizeof keys / sizeof *keys };

/* Numbers of a flexible body, which may come from a file of their own. */
static unsigned long long sum_of_modal(const vgModal *b)
{
    size_t n = (size_t)b->nshape, m = (size_t)b->nmode;
    unsigned long long h = mix(start, &b->mass, sizeof b->mass);
    h = mix(mix(h, &b->com, sizeof b->com), &b->inertia, sizeof b->inertia);
    h = mix(mix(h, b->K, m * m * sizeof *b->K), b->M, n * n * sizeof *b->M);
    return mix(h, b->P, n * sizeof *b->P);
}

void vg_read_digest(vgReader *r)
{
    int n = 0, cap = r->m->nparam + r->m->nmodal + r->nfile * KEYS;
    for (int f = 0; f < r->nfile; f++)
        for (int s = 0; s < SECTIONS; s++) {
            const vgNode *map = vg_node_get(r->file[f], sections[s][0]);
            cap += map && map->kind == VG_NODE_MAP ? map->n : 0;
        }
    r->m->part = VG_NEW(r->pool, vgModelPart, cap + 1);
    if (!r->m->part) r->full = 1;
    for (int i = 0; i < r->m->nparam && !r->full; i++)
        add(r, "parameter", r->m->param_name[i], mix(start, &r->m->param_value[i], sizeof(double)), &n, cap);
    for (int f = 0; f < r->nfile && !r->full; f++) {
        for (int k = 0; k < KEYS; k++) {
            vgNode *value = vg_node_get(r->file[f], keys[k]);
            if (value) add(r, keys[k], "", sum_of(value), &n, cap);
        }
        for (int s = 0; s < SECTIONS; s++) {
            const vgNode *map = vg_node_get(r->file[f], sections[s][0]);
            for (int i = 0; map && map->kind == VG_NODE_MAP && i < map->n && !r->full; i++)
                if (map->pair[i].key->kind == VG_NODE_SCALAR)
                    add(r, sections[s][1], map->pair[i].key->text, sum_of(map->pair[i].value), &n, cap);
        }
    }
    for (int i = 0; i < r->m->nmodal && !r->full; i++)
        add(r, "numbers of the flexible body", r->m->modal[i].name, sum_of_modal(r->m->modal[i].data), &n,
            cap);
    r->m->npart = n;
}
