/* Resolving names: a name is looked up through its member alone, a pattern is matched against all. */
#include "analysis/channels/channels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/channels/list.h"
#include "base/arena.h"
#include "base/expect.h"

enum { MAX_NAME = 256 };

struct vgChannels {
    vgPool *pool;
    vgProbe *probe;
    vgNames *taken;
    int n, size, steps, motion;
    vgChan *chan;
    const char **unit; /* units are kept in the pool; names in `taken` */
    int npath;
    vgWorkSum work;
};

/* One search through a family. */
typedef struct search {
    vgChanEmit emit; /* first: the callbacks get this pointer */
    vgChannels *into;
    const vgFamily *family;
    const char *member;  /* NULL: family without members */
    const char *pattern; /* NULL: everything */
    int exact;           /* pattern holds no star */
    int whole;           /* the components of the vector of that name: joint.O.force, body.b.position */
    int found;
    vgNames *suffixes; /* not NULL: collect suffixes instead (did you mean) */
    const char *below; /* what stands before them, without its dot; NULL: nothing */
    vgStatus status;
} search;

static int add(vgChannels *c, const char *name, const char *unit, vgChan chan)
{
    int index, existed;
    if (vg_names_add(c->taken, name, &index, &existed) != VG_OK) return 0;
    if (existed) return 1;
    if (c->n == c->size) {
        int size = c->size ? 2 * c->size : 64;
        vgChan *more = realloc(c->chan, (size_t)size * sizeof *more);
        if (more) c->chan = more;
        const char **units = realloc(c->unit, (size_t)size * sizeof *units);
        if (units) c->unit = units;
        if (!more || !units) return 0;
        c->size = size;
    }
    c->chan[c->n] = chan;
    c->unit[c->n] = vg_pool_strdup(c->pool, unit ? unit : "");
    c->steps |= chan.steps;
    return c->unit[c->n++] != NULL;
}

/* Is the name that of a component (x, y, z, w) of a vector whose name matches? */
static int component_of(const char *vector, const char *name)
{
    size_t n = strlen(name);
    char stem[MAX_NAME];
    if (n < 3 || n >= MAX_NAME || name[n - 2] != '.' || !strchr("xyzw", name[n - 1])) return 0;
    memcpy(stem, name, n - 2);
    stem[n - 2] = 0;
    return vg_name_matches(vector, stem);
}

static void take(vgChanEmit *emit, const char *suffix, const char *unit, vgChan chan)
{
    search *s = (search *)emit;
    if (s->status != VG_OK) return;
    if (s->suffixes) {
        char whole[MAX_NAME];
        snprintf(whole, sizeof whole, "%s%s%s", s->below ? s->below : "", s->below ? "." : "", suffix);
        s->status = vg_names_add(s->suffixes, whole, NULL, NULL);
        return;
    }
    char name[MAX_NAME];
    int n = snprintf(name, sizeof name, "%s%s%s%s%s", s->family->prefix, s->member ? "." : "",
                     s->member ? s->member : "", *suffix ? "." : "", suffix);
    if (n < 0 || n >= MAX_NAME) return;
    int hit = !s->pattern || (s->whole   ? component_of(s->pattern, name)
                              : s->exact ? strcmp(s->pattern, name) == 0
                                         : vg_name_matches(s->pattern, name));
    if (!hit) return;
    s->found++;
    if (!add(s->into, name, unit, chan)) s->status = VG_NO_MEMORY;
}

static void search_member(search *s, int member)
{
    const vgNames *members = s->family->members ? s->family->members(s->emit.sys->model) : NULL;
    s->member = members ? vg_names_at(members, member) : NULL;
    s->family->list(&s->emit, member);
}

/* 1 if both names have the same beginning, up to the length of the shorter. fixed: number of characters of the
 * first that are compared. */
static int agree(const char *text, size_t fixed, const char *other)
{
    size_t n = strlen(other);
    return strncmp(text, other, fixed < n ? fixed : n) == 0;
}

/* Every member whose name can match: the pattern's text before the first star must be the family's and the
 * member's. */
static void search_all(search *s)
{
    const char *pattern = s->pattern ? s->pattern : "";
    size_t fixed = strcspn(pattern, "*");
    for (s->family = vg_families; s->family->prefix; s->family++) {
        size_t n = strlen(s->family->prefix) + 1;
        if (!agree(pattern, fixed, s->family->prefix)) continue;
        if (!s->family->members) {
            search_member(s, 0);
            continue;
        }
        const vgNames *members = s->family->members(s->emit.sys->model);
        for (int i = 0; members && i < vg_names_count(members) && s->status == VG_OK; i++)
            if (fixed <= n || agree(pattern + n, fixed - n, vg_names_at(members, i))) search_member(s, i);
    }
}

/* The member whose name begins text: the longest that ends at a dot. −1: none. */
static int member_of(const vgNames *members, const char *text)
{
    for (size_t n = strlen(text); members && n > 0; n--) {
        if (text[n] != '.' && text[n] != 0) continue;
        int at = vg_names_find_n(members, text, n);
        if (at >= 0) return at;
    }
    return -1;
}

/* What stands behind "family.", or NULL when the name is not of this family. */
static const char *behind(const vgFamily *f, const char *name)
{
    size_t n = strlen(f->prefix);
    if (strncmp(name, f->prefix, n) != 0) return NULL;
    return name[n] == '.' ? name + n + 1 : name[n] == 0 ? name + n : NULL;
}

static double measure_value(const vgChanContext *c, vgChan *chan)
{
    return vg_probe_measure(c->probe, chan->index, 0)->value;
}

static void search_exact(search *s)
{
    for (s->family = vg_families; s->family->prefix && s->status == VG_OK; s->family++) {
        const char *rest = behind(s->family, s->pattern);
        if (!rest) continue;
        if (!s->family->members) {
            search_member(s, 0);
        } else {
            int member = member_of(s->family->members(s->emit.sys->model), rest);
            if (member >= 0) search_member(s, member);
        }
        if (s->found) return;
    }
    /* measures that the model made for laws have names of their own */
    const vgModel *m = s->emit.sys->model;
    int measure = m->measure_names ? vg_names_find(m->measure_names, s->pattern) : -1;
    if (measure < 0 || s->status != VG_OK) return;
    vgChan chan = {.eval = measure_value, .index = measure, .watch = measure + 1};
    s->found = 1;
    if (!add(s->into, s->pattern, m->measure[measure].unit, chan)) s->status = VG_NO_MEMORY;
}

/* ---- did you mean ---- */

/* Where the model asks for the channel; nowhere: the command line does. */
static vgLoc place_of(const search *s)
{
    const vgModel *m = s->emit.sys->model;
    for (int i = 0; i < m->nrecord; i++)
        if (strcmp(m->record[i], s->pattern) == 0) return m->record_at[i];
    return VG_NOWHERE;
}

static void say(const search *s, vgDiag *diag, const char *before, const char *near)
{
    if (near) {
        vg_diag_error(diag, place_of(s), "unknown channel '%s'; did you mean '%s%s'?", s->pattern, before,
                      near);
    } else {
        vg_diag_error(diag, place_of(s), "unknown channel '%s'; verge list channels MODEL shows them all",
                      s->pattern);
    }
}

/* The first of the names whose last part is the word: force.x for x. NULL: none. */
static const char *ends_in(const char *word, const vgNames *names)
{
    for (int i = 0; i < vg_names_count(names); i++) {
        const char *name = vg_names_at(names, i), *dot = strrchr(name, '.');
        if (strcmp(dot ? dot + 1 : name, word) == 0) return name;
    }
    return NULL;
}

/* The family's suffixes of a member, and of the members whose names it begins: those of rail's drive for rail. */
static void collect(search *s, const vgNames *members, int member)
{
    search_member(s, member);
    const char *name = member >= 0 ? vg_names_at(members, member) : "";
    size_t n = strlen(name);
    for (int i = 0; n > 0 && i < vg_names_count(members); i++) {
        const char *other = vg_names_at(members, i);
        if (strncmp(other, name, n) != 0 || other[n] != '.') continue;
        s->below = other + n + 1;
        search_member(s, i);
    }
    s->below = NULL;
}

/* The family is right: is it the member or what comes behind it? */
static void explain(search *s, const vgFamily *f, vgDiag *diag)
{
    const char *rest = behind(f, s->pattern);
    const vgNames *members = f->members ? f->members(s->emit.sys->model) : NULL;
    int member = member_of(members, rest);
    char before[MAX_NAME];
    if (f->members && member < 0) {
        char word[MAX_NAME];
        snprintf(word, sizeof word, "%.*s", (int)strcspn(rest, "."), rest);
        const char *near =
            members ? vg_name_closest(word, vg_names_list(members), vg_names_count(members)) : NULL;
        if (!near) {
            vg_diag_error(diag, place_of(s), "unknown channel '%s': there is no %s '%s'", s->pattern,
                          f->prefix, word);
            return;
        }
        snprintf(before, sizeof before, "%s.%s%s", f->prefix, near, rest + strlen(word));
        say(s, diag, before, "");
        return;
    }
    s->suffixes = vg_names_new();
    if (!s->suffixes) return;
    s->family = f;
    collect(s, members, member);
    size_t skip = member >= 0 ? strlen(vg_names_at(members, member)) : 0;
    const char *suffix = rest[skip] == '.' ? rest + skip + 1 : rest + skip;
    snprintf(before, sizeof before, "%.*s", (int)(suffix - s->pattern), s->pattern);
    const char *const *list = vg_names_list(s->suffixes);
    const char *near = vg_name_closest(suffix, list, vg_names_count(s->suffixes));
    if (!near) near = ends_in(suffix, s->suffixes);
    if (near || vg_names_count(s->suffixes) == 0) {
        say(s, diag, before, near);
    } else {
        char some[MAX_NAME] = "";
        for (int i = 0, n = 0; i < vg_names_count(s->suffixes) && n < 120; i++) {
            n += snprintf(some + n, sizeof some - (size_t)n, "%s%.40s", i ? ", " : "", list[i]);
        }
        vg_diag_error(diag, place_of(s), "unknown channel '%s'; '%.*s' has %s …", s->pattern,
                      (int)(suffix - s->pattern), s->pattern, some);
    }
    vg_names_free(s->suffixes);
    s->suffixes = NULL;
}

static void unknown(search *s, vgDiag *diag)
{
    if (!s->exact) {
        vg_diag_error(diag, place_of(s), "no channel matches '%s'", s->pattern);
        return;
    }
    const char *names[16];
    int n = 0;
    const vgFamily *best = NULL; /* the one that knows the member, else the first of that prefix */
    for (const vgFamily *f = vg_families; f->prefix; f++) {
        names[n++] = f->prefix;
        const char *rest = behind(f, s->pattern);
        if (!rest) continue;
        int known = f->members && member_of(f->members(s->emit.sys->model), rest) >= 0;
        if (!best || known) best = f;
    }
    if (best) {
        explain(s, best, diag);
        return;
    }
    char family[MAX_NAME];
    size_t size = strcspn(s->pattern, ".");
    snprintf(family, sizeof family, "%.*s", (int)size, s->pattern);
    const char *near = vg_name_closest(family, names, n);
    char meant[MAX_NAME];
    snprintf(meant, sizeof meant, "%s%s", near ? near : "", s->pattern + size);
    say(s, diag, "", near ? meant : NULL);
}

/* ---- the object ---- */

void vg_channels_free(vgChannels *c)
{
    if (!c) return;
    vg_probe_free(c->probe);
    vg_names_free(c->taken);
    vg_pool_free(c->pool);
    free(c->chan);
    free(c->unit);
    free(c->work.path);
    free(c);
}

static vgChannels *empty(const vgSystem *sys)
{
    vgChannels *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->pool = vg_pool_new(0);
    c->taken = vg_names_new();
    for (int i = 0; i < sys->model->nforce; i++) c->npath += vg_energy_has_path(&sys->model->force[i]);
    c->work.path = calloc((size_t)c->npath + 1, sizeof *c->work.path);
    if (!c->pool || !c->taken || !c->work.path || vg_probe_new(sys, &c->probe) != VG_OK) {
        vg_channels_free(c);
        return NULL;
    }
    return c;
}

vgStatus vg_channels_new(const vgSystem *sys, const char *const *names, int n, vgDiag *diag, vgChannels **out)
{
    VG_EXPECT(sys && n >= 0 && out);
    *out = NULL;
    vgChannels *c = empty(sys);
    if (!c) return VG_NO_MEMORY;
    vgStatus status = VG_OK;
    for (int i = 0; i < n && status != VG_NO_MEMORY; i++) {
        search s = {
            .emit = {take, sys, c->probe}, .into = c, .pattern = names[i], .exact = !strchr(names[i], '*')};
        if (s.exact)
            search_exact(&s);
        else
            search_all(&s);
        if (s.status == VG_OK && !s.found) {
            s.whole = 1;
            if (s.exact)
                search_exact(&s);
            else
                search_all(&s);
        }
        if (s.status == VG_OK && !s.found) {
            unknown(&s, diag);
            s.status = VG_BAD_INPUT; /* continue, so that all wrong names are reported together */
        }
        if (s.status != VG_OK) status = s.status;
    }
    if (status != VG_OK) {
        vg_channels_free(c);
        return status;
    }
    *out = c;
    return VG_OK;
}

vgStatus vg_channels_all(const vgSystem *sys, vgChannels **out)
{
    *out = NULL;
    vgChannels *c = empty(sys);
    if (!c) return VG_NO_MEMORY;
    search s = {.emit = {take, sys, c->probe}, .into = c};
    search_all(&s);
    if (s.status != VG_OK) {
        vg_channels_free(c);
        return s.status;
    }
    *out = c;
    return VG_OK;
}

int vg_channels_count(const vgChannels *c)
{
    return c->n;
}

const char *vg_channels_name(const vgChannels *c, int i)
{
    VG_EXPECT(i >= 0 && i < vg_channels_count(c));
    return vg_names_at(c->taken, i);
}

const char *vg_channels_unit(const vgChannels *c, int i)
{
    VG_EXPECT(i >= 0 && i < vg_channels_count(c));
    return c->unit[i];
}

const char *const *vg_channels_names(const vgChannels *c)
{
    return vg_names_list(c->taken);
}

const char *const *vg_channels_units(const vgChannels *c)
{
    return c->unit;
}

void vg_channels_watch(const vgChannels *c, vgWork *work)
{
    for (int i = 0; work->watch && i < c->n; i++) {
        if (c->chan[i].watch) work->watch[c->chan[i].watch - 1] = 1;
    }
}

int vg_channels_wants_steps(const vgChannels *c)
{
    return c->steps;
}

vgProbe *vg_channels_probe(vgChannels *c)
{
    return c->probe;
}

void vg_channels_restart(vgChannels *c)
{
    c->work = (vgWorkSum){.path = c->work.path};
}

size_t vg_channels_sums_size(const vgChannels *c)
{
    return sizeof c->work + (size_t)c->npath * sizeof *c->work.path;
}

void vg_channels_sums_keep(const vgChannels *c, void *bytes)
{
    vgWorkSum work = c->work;
    work.path = NULL; /* no address among bytes that are kept */
    memcpy(bytes, &work, sizeof work);
    memcpy((char *)bytes + sizeof work, c->work.path, (size_t)c->npath * sizeof *c->work.path);
}

void vg_channels_sums_bring_back(vgChannels *c, const void *bytes)
{
    vgEnergyPath *const path = c->work.path;
    memcpy(&c->work, bytes, sizeof c->work);
    c->work.path = path;
    memcpy(path, (const char *)bytes + sizeof c->work, (size_t)c->npath * sizeof *path);
}

void vg_channels_step(vgChannels *c, vgWork *work, const vgState *state)
{
    if (!c->steps) return;
    vg_probe_at(c->probe, work, state);
    vg_energy_sum(&c->work, c->probe);
}

void vg_channels_moved(vgChannels *c, vgWork *work, const vgState *state)
{
    const double dissipated = c->work.dissipated, drive = c->work.drive;
    vg_channels_restart(c);
    vg_channels_step(c, work, state);
    c->work.force = -dissipated;
    c->work.dissipated = dissipated;
    c->work.drive = drive;
}

void vg_channels_eval(vgChannels *c, vgWork *work, const vgState *state, double *row)
{
    VG_EXPECT(c && work && state && row);
    vgChanContext context = {c->probe, &c->work};
    vg_probe_at(c->probe, work, state);
    if (c->steps) vg_energy_sum(&c->work, c->probe); /* does nothing when this state was a step */
    for (int i = 0; i < c->n; i++) row[i] = c->chan[i].eval(&context, &c->chan[i]);
}

static double *copy_of(const double *x, int n)
{
    double *out = malloc(((size_t)n + 1) * sizeof *out);
    for (int i = 0; out && i < n; i++) out[i] = x[i];
    return out;
}

int vg_channels_find_motion(vgChannels *c, vgWork *work, const vgState *state)
{
    const vgSystem *sys = vg_probe_system(c->probe);
    void *sums = malloc(vg_channels_sums_size(c));
    double *row = calloc(2 * (size_t)c->n + 1, sizeof *row);
    vgState other = *state;
    other.a = copy_of(state->a, sys->nv);
    other.lambda = copy_of(state->lambda, sys->nphi);
    int sees = !(row && sums && other.a && other.lambda);
    if (sums) vg_channels_sums_keep(c, sums);
    if (!sees) {
        /* by amounts of no simple ratio, so that nothing that depends on them stays the same */
        for (int i = 0; i < sys->nv; i++) other.a[i] += 1 + 0.6180339887 * i;
        for (int i = 0; i < sys->nphi; i++) other.lambda[i] += 1 + 0.7320508075 * i;
        vg_channels_eval(c, work, state, row);
        vg_work_bind(work, &other);
        vg_channels_eval(c, work, &other, row + c->n);
        vg_work_bind(work, state);
        sees = memcmp(row, row + c->n, (size_t)c->n * sizeof *row) != 0;
    }
    if (sums) vg_channels_sums_bring_back(c, sums);
    c->motion = sees;
    free(sums);
    free(row);
    free(other.a);
    free(other.lambda);
    return sees;
}

int vg_channels_see_motion(const vgChannels *c)
{
    return c->motion;
}
