/* Field tables: one row says everything about one key of a model file. The reader fills a struct through the
 * rows, the reference page is generated from them, and "did you mean" looks through their keys. */
#ifndef VG_BASE_FIELD_H
#define VG_BASE_FIELD_H

#include <stddef.h>

typedef enum vgFieldType {
    VG_FIELD_NUMBER,
    VG_FIELD_INT,
    VG_FIELD_BOOL,
    VG_FIELD_STRING,
    VG_FIELD_NAME,
    VG_FIELD_VEC3,
    VG_FIELD_MAT3,
    VG_FIELD_VEC6,
    VG_FIELD_NUMBERS, /* list of numbers */
    VG_FIELD_LAW,     /* expression of t and channels */
    VG_FIELD_FRAME,   /* body or body.marker */
    VG_FIELD_AXIS,    /* x, y, z, -x, ... or a vector */
    VG_FIELD_ROTATION,
    VG_FIELD_MAP,
    VG_FIELD_LIST,
    VG_FIELD_TABLE,
    VG_FIELD_LAW3, /* [law, law, law] */
    VG_FIELD_ROAD, /* a road of the model */
    VG_FIELD_ROWS, /* a matrix by rows */
    VG_FIELD_PATH, /* the path of a tendon */
    VG_FIELD_TYPE_COUNT
} vgFieldType;

typedef struct vgField {
    const char *key;
    vgFieldType type;
    size_t offset;        /* in the struct that the row fills */
    const char *unit;     /* "m", "kg*m^2", "" = none */
    const char *fallback; /* default as written in the file, NULL = required, "" = absent */
    double min, max;      /* closed range; min == max == 0: any */
    const char *doc;
} vgField;

#endif
