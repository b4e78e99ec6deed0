/* A description is read element by element; comments and what is not asked for are passed over. */
#include "element/controller/fmu_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fmi/platform.h"

/* The next start tag at or behind `at`, as "<name …>"; NULL: none. */
static const char *next_tag(const char *at)
{
    while (at && (at = strchr(at, '<'))) {
        if (strncmp(at, "<!--", 4) == 0) {
            at = strstr(at + 4, "-->");
        } else if (at[1] == '/' || at[1] == '?' || at[1] == '!') {
            at++;
        } else {
            return at;
        }
    }
    return NULL;
}

static int is_tag(const char *tag, const char *name)
{
    const size_t n = strlen(name);
    return strncmp(tag + 1, name, n) == 0 && strchr(" \t\r\n/>", tag[1 + n]) && tag[1 + n];
}

static const char *const entity[][2] = {
    {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}};

/* The value of an attribute of a tag, without escapes. 0: it has none, or it is too long. */
static int attribute(const char *tag, const char *name, char out[VG_FMU_TEXT])
{
    const size_t n = strlen(name);
    const char *at = tag + 1 + strcspn(tag + 1, " \t\r\n/>");
    for (;;) {
        at += strspn(at, " \t\r\n");
        const size_t length = strcspn(at, "= \t\r\n/>");
        const char *is = at + length + strspn(at + length, " \t\r\n");
        if (length == 0 || *is != '=') return 0;
        is += 1 + strspn(is + 1, " \t\r\n");
        const char quote = *is, *end = quote == '"' || quote == '\'' ? strchr(is + 1, quote) : NULL;
        if (!end) return 0;
        if (length != n || strncmp(at, name, n) != 0) {
            at = end + 1;
            continue;
        }
        size_t used = 0;
        for (const char *c = is + 1; c < end; c++, used++) {
            if (used + 1 >= VG_FMU_TEXT) return 0;
            out[used] = *c;
            for (size_t k = 0; *c == '&' && k < sizeof entity / sizeof *entity; k++)
                if (strncmp(c, entity[k][0], strlen(entity[k][0])) == 0) {
                    out[used] = entity[k][1][0];
                    c += strlen(entity[k][0]) - 1;
                    break;
                }
        }
        out[used] = 0;
        return 1;
    }
}

static const char *tag_of(const char *xml, const char *name)
{
    const char *tag = next_tag(xml);
    while (tag && !is_tag(tag, name)) tag = next_tag(tag + 1);
    return tag;
}

const char *vg_fmu_read(const vgZip *zip, vgFmuRead *out, char **xml)
{
    char id[VG_FMU_TEXT], version[VG_FMU_TEXT];
    const int at = vg_zip_find(zip, "modelDescription.xml");
    size_t n;
    *xml = NULL;
    if (at < 0) return "is no FMU: it has no modelDescription.xml";
    errno = 0;
    *xml = (char *)vg_zip_take(zip, at, &n);
    if (!*xml && errno == ENOMEM) return "out of memory";
    if (!*xml || strlen(*xml) != n) return "is damaged: its modelDescription.xml cannot be read";
    const char *head = tag_of(*xml, "fmiModelDescription"), *simulation = tag_of(*xml, "CoSimulation");
    if (!head || !attribute(head, "fmiVersion", version))
        return "is no FMU: its modelDescription.xml has no version";
    if (version[0] != '2' && version[0] != '3') return "is of another version than FMI 2.0 or 3.0";
    out->version = version[0] - '0';
    if (!simulation) return "is not for co-simulation";
    if (!attribute(head, out->version == 2 ? "guid" : "instantiationToken", out->token) ||
        !attribute(simulation, "modelIdentifier", id))
        return "has no token or identifier";
    const vgFmiPlatform *here = vg_fmi_here();
    if (!here) return "cannot run here: the standard has no name for this system";
    const int written = snprintf(out->library, sizeof out->library, "binaries/%s/%.150s.%s",
                                 vg_fmi_folder(here, out->version), id, here->library);
    if (written < 0 || vg_zip_find(zip, out->library) < 0) return here->lacks;
    return NULL;
}

long vg_fmu_find(const char *xml, int version, const char *name, size_t n, const char *causality)
{
    char text[VG_FMU_TEXT];
    const char *tag = tag_of(xml, "ModelVariables");
    for (tag = tag ? next_tag(tag + 1) : NULL; tag && !is_tag(tag, "ModelStructure");
         tag = next_tag(tag + 1)) {
        if (!is_tag(tag, version == 2 ? "ScalarVariable" : "Float64")) continue;
        if (!attribute(tag, "name", text) || strlen(text) != n || strncmp(text, name, n) != 0) continue;
        if (causality && (!attribute(tag, "causality", text) || strcmp(text, causality) != 0)) return -1;
        const char *inner = next_tag(tag + 1);
        if (inner && is_tag(inner, "Real") != (version == 2) && version == 2) return -1;
        if (inner && version == 3 && is_tag(inner, "Dimension")) return -1;
        return attribute(tag, "valueReference", text) ? atol(text) : -1;
    }
    return -1;
}
