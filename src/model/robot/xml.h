/* XML as robot files have it: a strict reader of elements and attributes, each with its file:line:column.
 *
 * Bounded on purpose: size of the text, number and depth of elements. There are no entities but the five of XML and
 * character numbers: a document type with declarations is refused, so that nothing expands and nothing is fetched. */
#ifndef VERGE_MODEL_ROBOT_XML_H
#define VERGE_MODEL_ROBOT_XML_H

#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"

typedef struct vgXmlAttr {
    const char *name, *value;
    vgLoc loc;
    int used; /* the reader of the format understood it */
} vgXmlAttr;

typedef struct vgXml vgXml;
struct vgXml {
    const char *name;
    vgLoc loc;
    int nattr;
    vgXmlAttr *attr;
    vgXml *child, *next; /* the first child; the next of the same parent */
    const char *text;    /* what stands before the first child, without blanks around it; "" */
    int used;            /* the reader of the format understood it; what stays 0 is reported */
};

enum { VG_XML_MAX_BYTES = 16 << 20, VG_XML_MAX_ELEMENTS = 400000, VG_XML_MAX_DEPTH = 200 };

/* The root element; NULL with diagnostics. */
vgXml *vg_xml_parse(vgPool *pool, const char *text, size_t n, int file, vgDiag *diag);

/* The value of an attribute, which counts as used from here on; NULL: not there. */
const char *vg_xml_get(vgXml *e, const char *name);
vgXmlAttr *vg_xml_attr(const vgXml *e, const char *name); /* NULL: not there */
vgXml *vg_xml_child(const vgXml *e, const char *name);    /* the first of that name; NULL: none */
vgXml *vg_xml_next(const vgXml *e, const char *name);     /* the next sibling of that name */

#endif
