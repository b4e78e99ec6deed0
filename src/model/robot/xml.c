#include "model/robot/xml.h"

#include <stdlib.h>
#include <string.h>

typedef struct reader {
    const char *at, *end;
    int file, line, col;
    vgPool *pool;
    vgDiag *diag;
    int elements, depth;
} reader;

enum { MAX_ATTRS = 200 }; /* of one element; robot files have a dozen */

static vgLoc here(const reader *r)
{
    return (vgLoc){r->file, r->line, r->col};
}

static int wrong(const reader *r, vgLoc at, const char *why)
{
    vg_diag_error(r->diag, at, "this is not XML: %s", why);
    return 0;
}

static void step(reader *r)
{
    unsigned char c = (unsigned char)*r->at++;
    if (c == '\n')
        r->line++, r->col = 1;
    else
        r->col += (c & 0xC0) != 0x80; /* bytes that continue a character have no column */
}

static int ahead(const reader *r, const char *text)
{
    size_t n = strlen(text);
    return (size_t)(r->end - r->at) >= n && memcmp(r->at, text, n) == 0;
}

static void skip(reader *r, size_t n)
{
    for (size_t i = 0; i < n && r->at < r->end; i++) step(r);
}

static int skip_past(reader *r, const char *text, const char *what)
{
    vgLoc at = here(r);
    while (r->at < r->end && !ahead(r, text)) step(r);
    if (r->at == r->end) return wrong(r, at, what);
    skip(r, strlen(text));
    return 1;
}

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void blanks(reader *r)
{
    while (r->at < r->end && is_blank(*r->at)) step(r);
}

static int is_name(char c, int first)
{
    int letter =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' || (unsigned char)c >= 0x80;
    return letter || (!first && ((c >= '0' && c <= '9') || c == '-' || c == '.'));
}

static const char *read_name(reader *r)
{
    const char *from = r->at;
    if (r->at == r->end || !is_name(*r->at, 1)) return NULL;
    while (r->at < r->end && is_name(*r->at, 0)) step(r);
    return vg_pool_strndup(r->pool, from, (size_t)(r->at - from));
}

static size_t put_utf8(unsigned long c, char *out)
{
    if (c < 0x80) return out[0] = (char)c, 1;
    if (c < 0x800) return out[0] = (char)(0xC0 | c >> 6), out[1] = (char)(0x80 | (c & 63)), 2;
    if (c < 0x10000)
        return out[0] = (char)(0xE0 | c >> 12), out[1] = (char)(0x80 | (c >> 6 & 63)),
               out[2] = (char)(0x80 | (c & 63)), 3;
    out[0] = (char)(0xF0 | c >> 18), out[1] = (char)(0x80 | (c >> 12 & 63)),
    out[2] = (char)(0x80 | (c >> 6 & 63)), out[3] = (char)(0x80 | (c & 63));
    return 4;
}

/* A reference at &: its characters, no longer than the reference itself. 0: wrong. */
static size_t reference(reader *r, char *out)
{
    static const struct {
        const char *text;
        char c;
    } known[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (!ahead(r, known[i].text)) continue;
        skip(r, strlen(known[i].text));
        *out = known[i].c;
        return 1;
    }
    if (ahead(r, "&#")) {
        int hex = r->end - r->at > 2 && r->at[2] == 'x';
        char *stop = NULL;
        unsigned long c = strtoul(r->at + (hex ? 3 : 2), &stop, hex ? 16 : 10);
        if (stop && stop < r->end && *stop == ';' && c > 0 && c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF)) {
            skip(r, (size_t)(stop + 1 - r->at));
            return put_utf8(c, out);
        }
    }
    wrong(r, here(r), "an unknown entity; &lt; &gt; &amp; &quot; &apos; and &#number; are understood");
    return 0;
}

/* Bytes of one character of UTF-8 at c; 0: it is none. */
static int utf8_length(const unsigned char *c, size_t room)
{
    const int n = c[0] < 0x80 ? 1 : c[0] < 0xC2 ? 0 : c[0] < 0xE0 ? 2 : c[0] < 0xF0 ? 3 : c[0] < 0xF5 ? 4 : 0;
    if (n == 0 || (size_t)n > room) return 0;
    for (int i = 1; i < n; i++)
        if ((c[i] & 0xC0) != 0x80) return 0;
    return n;
}

/* 1: the next n bytes are UTF-8; else a report. Comments may hold anything. */
static int is_utf8(const reader *r, size_t n)
{
    for (size_t i = 0; i < n;) {
        const int k = utf8_length((const unsigned char *)r->at + i, n - i);
        if (k == 0)
            return wrong(r, here(r),
                         "it is not in UTF-8; convert it: iconv -f ISO-8859-1 -t UTF-8 FILE > NEW");
        i += (size_t)k;
    }
    return 1;
}

static const char *read_value(reader *r)
{
    char quote = r->at < r->end ? *r->at : 0;
    vgLoc at = here(r);
    if (quote != '"' && quote != '\'')
        return wrong(r, at, "the value of an attribute stands in quotes"), NULL;
    step(r);
    const char *close = memchr(r->at, quote, (size_t)(r->end - r->at));
    if (!close) return wrong(r, at, "the quote is not closed"), NULL;
    if (!is_utf8(r, (size_t)(close - r->at))) return NULL;
    char *out = vg_pool_alloc(r->pool, (size_t)(close - r->at) + 1), *to = out;
    if (!out) return vg_diag_no_memory(r->diag), NULL;
    while (r->at < close) {
        if (*r->at == '<')
            return wrong(r, here(r), "'<' inside a value; is the quote before it closed?"), NULL;
        if (*r->at == '&') {
            size_t n = reference(r, to);
            if (n == 0) return NULL;
            to += n;
        } else {
            *to++ = is_blank(*r->at) ? ' ' : *r->at;
            step(r);
        }
    }
    step(r);
    return out;
}

static int read_attrs(reader *r, vgXml *e)
{
    vgXmlAttr list[MAX_ATTRS];
    for (;;) {
        blanks(r);
        if (r->at == r->end) return wrong(r, e->loc, "the tag is not closed");
        if (*r->at == '>' || *r->at == '/') break;
        if (e->nattr == MAX_ATTRS) return wrong(r, here(r), "too many attributes");
        vgXmlAttr *a = &list[e->nattr];
        *a = (vgXmlAttr){.loc = here(r)};
        a->name = read_name(r);
        if (!a->name) return wrong(r, a->loc, "the name of an attribute was expected");
        for (int i = 0; i < e->nattr; i++)
            if (strcmp(list[i].name, a->name) == 0) return wrong(r, a->loc, "an attribute is there twice");
        blanks(r);
        if (r->at == r->end || *r->at != '=')
            return wrong(r, here(r), "'=' was expected after the attribute's name");
        step(r);
        blanks(r);
        a->value = read_value(r);
        if (!a->value) return 0;
        e->nattr++;
    }
    e->attr = VG_NEW(r->pool, vgXmlAttr, e->nattr + 1);
    if (!e->attr) return vg_diag_no_memory(r->diag), 0;
    memcpy(e->attr, list, (size_t)e->nattr * sizeof *list);
    return 1;
}

static vgXml *read_element(reader *r);

/* Comments, instructions, CDATA and text between elements; 1: at '<' of a tag, 0: an error. */
static int skip_between(reader *r, vgLoc open)
{
    for (;;) {
        while (r->at < r->end && *r->at != '<') step(r);
        if (r->at == r->end) return wrong(r, open, "the element that begins here is not closed");
        if (ahead(r, "<!--")) {
            if (!skip_past(r, "-->", "the comment is not closed")) return 0;
        } else if (ahead(r, "<?")) {
            if (!skip_past(r, "?>", "the instruction is not closed")) return 0;
        } else if (ahead(r, "<![CDATA[")) {
            if (!skip_past(r, "]]>", "the text is not closed")) return 0;
        } else {
            return 1;
        }
    }
}

static const char *text_before(const reader *r)
{
    const char *from = r->at, *to = r->at;
    while (to < r->end && *to != '<') to++;
    while (from < to && is_blank(*from)) from++;
    while (to > from && is_blank(to[-1])) to--;
    const char *kept = to > from ? vg_pool_strndup(r->pool, from, (size_t)(to - from)) : "";
    return kept ? kept : "";
}

static int read_children(reader *r, vgXml *e)
{
    vgXml **to = &e->child;
    e->text = text_before(r);
    for (;;) {
        if (!skip_between(r, e->loc)) return 0;
        if (ahead(r, "</")) break;
        vgXml *c = read_element(r);
        if (!c) return 0;
        *to = c;
        to = &c->next;
    }
    vgLoc at = here(r);
    skip(r, 2);
    const char *name = read_name(r);
    blanks(r);
    if (!name || strcmp(name, e->name) != 0 || r->at == r->end || *r->at != '>') {
        vg_diag_error(r->diag, at,
                      "this is not XML: </%.60s> was expected for the element of line %d, got </%.60s>",
                      e->name, e->loc.line, name ? name : "");
        return 0;
    }
    step(r);
    return 1;
}

static vgXml *read_element(reader *r)
{
    vgLoc at = here(r);
    if (++r->elements > VG_XML_MAX_ELEMENTS || r->depth >= VG_XML_MAX_DEPTH) {
        vg_diag_error(r->diag, at, "the file has more than %d elements, or they are nested deeper than %d",
                      VG_XML_MAX_ELEMENTS, VG_XML_MAX_DEPTH);
        return NULL;
    }
    step(r);
    vgXml *e = VG_NEW(r->pool, vgXml, 1);
    if (!e) return vg_diag_no_memory(r->diag), NULL;
    e->loc = at;
    e->text = "";
    e->name = read_name(r);
    if (!e->name) return wrong(r, at, "the name of an element was expected after '<'"), NULL;
    if (!read_attrs(r, e)) return NULL;
    if (*r->at == '/') {
        step(r);
        if (r->at == r->end || *r->at != '>') return wrong(r, here(r), "'>' was expected"), NULL;
        step(r);
        return e;
    }
    step(r);
    r->depth++;
    int ok = read_children(r, e);
    r->depth--;
    return ok ? e : NULL;
}

/* <?xml … ?>, comments and a document type without declarations; then the root. */
static int skip_prolog(reader *r)
{
    if (ahead(r, "\xEF\xBB\xBF")) r->at += 3;
    for (;;) {
        blanks(r);
        if (r->at == r->end) return wrong(r, here(r), "there is no element in the file");
        if (*r->at != '<') return wrong(r, here(r), "an element was expected");
        if (!skip_between(r, here(r))) return 0;
        if (!ahead(r, "<!")) return 1;
        vgLoc at = here(r);
        while (r->at < r->end && *r->at != '>' && *r->at != '[') step(r);
        if (r->at == r->end || *r->at == '[') {
            vg_diag_error(r->diag, at,
                          "a document type with declarations is not read: entities are not expanded and "
                          "nothing is fetched; remove it");
            return 0;
        }
        step(r);
    }
}

vgXml *vg_xml_parse(vgPool *pool, const char *text, size_t n, int file, vgDiag *diag)
{
    reader r = {.at = text, .end = text + n, .file = file, .line = 1, .col = 1, .pool = pool, .diag = diag};
    if (n > VG_XML_MAX_BYTES) {
        vg_diag_error(diag, (vgLoc){file, 0, 0}, "the file is larger than %d MB", VG_XML_MAX_BYTES >> 20);
        return NULL;
    }
    if (memchr(text, 0, n)) {
        vg_diag_error(diag, (vgLoc){file, 1, 1}, "the file holds zero bytes; robot files are text in UTF-8");
        return NULL;
    }
    if (!skip_prolog(&r)) return NULL;
    vgXml *root = read_element(&r);
    if (!root) return NULL;
    for (blanks(&r); r.at < r.end; blanks(&r)) {
        vgLoc at = here(&r);
        if (!ahead(&r, "<!--") && !ahead(&r, "<?"))
            return wrong(&r, at, "there is something behind the root element"), NULL;
        if (!skip_past(&r, ahead(&r, "<?") ? "?>" : "-->", "the comment is not closed")) return NULL;
    }
    return root;
}

vgXmlAttr *vg_xml_attr(const vgXml *e, const char *name)
{
    for (int i = 0; e && i < e->nattr; i++)
        if (strcmp(e->attr[i].name, name) == 0) return &e->attr[i];
    return NULL;
}

const char *vg_xml_get(vgXml *e, const char *name)
{
    vgXmlAttr *a = vg_xml_attr(e, name);
    if (!a) return NULL;
    a->used = 1;
    return a->value;
}

static vgXml *named(vgXml *e, const char *name)
{
    while (e && strcmp(e->name, name) != 0) e = e->next;
    return e;
}

vgXml *vg_xml_child(const vgXml *e, const char *name)
{
    return e ? named(e->child, name) : NULL;
}

vgXml *vg_xml_next(const vgXml *e, const char *name)
{
    return e ? named(e->next, name) : NULL;
}
