/* Models with other parameters, made without reading their files again; and lists of what is in a model.
 *
 *     vgSource *source = vg_source_load("swing.yaml", diag);
 *     for (int i = 0; i < 100; i++) {
 *         vgSetting length = {"L", 0.5 + 0.01 * i, NULL};
 *         vgModel *model = vg_source_model(source, &length, 1, diag);
 *         …
 *         vg_model_free(model);
 *     }
 *     vg_source_free(source);
 *
 * Part of verge/verge.h, which says what holds for all functions. */
#ifndef VERGE_SOURCE_H
#define VERGE_SOURCE_H

#include <stddef.h>

#include "verge/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vgDiag vgDiag;
typedef struct vgModel vgModel;

/* ---- sources: the files of a model, parsed once ---- */

/* A source does not change. Threads may share it, and models outlive it. */
typedef struct vgSource vgSource;

/* A parameter of the model and its value. */
typedef struct vgSetting {
    const char *name;
    double value;
    const char *text; /* NULL, or an expression over other parameters that is used instead of value */
} vgSetting;

/* Reads a model file and what it includes, without making a model.
 *
 * Parameters:
 *   path  the YAML file
 *   diag  receives errors; or NULL
 * Returns: the source, to be freed with vg_source_free; NULL if a file cannot be read or is no YAML
 * Example:
 *     vgSource *source = vg_source_load("swing.yaml", diag);
 *     vg_source_free(source); */
vgSource *vg_source_load(const char *path, vgDiag *diag);

/* Reads the text of a model from memory, without making a model.
 *
 * Parameters:
 *   text  the model as YAML; need not end with a zero
 *   size  number of bytes
 *   name  stands for the file name in diagnostics
 *   diag  receives errors; or NULL
 * Returns: as vg_source_load
 * Example:
 *     const char text[] = "verge: 1\nparameters: {m: 1}\nbodies: {ball: {mass: m, inertia: [m, m, m]}}\n";
 *     vgSource *source = vg_source_parse(text, sizeof text - 1, "ball", diag);
 *     vg_source_free(source); */
vgSource *vg_source_parse(const char *text, size_t size, const char *name, vgDiag *diag);

/* Frees a source. Models made from it stay.
 *
 * Parameters:
 *   source  the source, or NULL
 * Returns: nothing
 * Example:
 *     vg_source_free(NULL); */
void vg_source_free(vgSource *source);

/* Makes a model. Files of modes that its flexible bodies name are read again; the model's own files are not.
 *
 * Parameters:
 *   source    the source
 *   settings  [n] parameters to set; NULL if n is 0
 *   n         their number
 *   diag      receives errors and warnings; or NULL
 * Returns: the model, to be freed with vg_model_free; NULL if it is wrong
 * Example:
 *     vgSource *source = vg_source_load("swing.yaml", diag);
 *     vgSetting set[] = {{"L", 0.6, NULL}, {"mass", 0, "2*L"}};
 *     vgModel *longer = vg_source_model(source, set, 2, diag); */
vgModel *vg_source_model(const vgSource *source, const vgSetting *settings, int n, vgDiag *diag);

/* ---- what is in a model ---- */

/* What can be listed. Bodies and joints are those that the model names: not the nodes' own helpers of beams and flexible
 * bodies, nor drives, which belong to their joint. */
typedef enum vgListed {
    VG_LIST_PARAMETERS,
    VG_LIST_BODIES,
    VG_LIST_JOINTS,
    VG_LIST_FORCES,
    VG_LIST_CONTROLLERS,
    VG_LIST_INPUTS
} vgListed;

/* One entry of a list. Texts are owned by the model. */
typedef struct vgListing {
    const char *name;
    const char *
        kind; /* of joints, forces, controllers: as in the model file; of bodies: "body", "planar", "point" */
    double value;      /* of parameters; of bodies: the mass, kg; else NAN */
    const char *first; /* joints: the bodies that it connects, "ground" among them; else NULL */
    const char *second;
} vgListing;

/* Counts the entries of a list.
 *
 * Parameters:
 *   model  the model
 *   what   the list
 * Returns: their number; 0 if model is NULL or what is no list
 * Example:
 *     int bodies = vg_model_count(model, VG_LIST_BODIES); */
int vg_model_count(const vgModel *model, vgListed what);

/* One entry of a list.
 *
 * Parameters:
 *   model  the model
 *   what   the list
 *   i      index from 0
 *   out    receives the entry
 * Returns: VG_OK; VG_BAD_INPUT if i is out of range
 * Example:
 *     vgListing joint;
 *     for (int i = 0; vg_model_listing(model, VG_LIST_JOINTS, i, &joint) == VG_OK; i++)
 *         printf("%s: %s\n", joint.name, joint.kind); */
vgStatus vg_model_listing(const vgModel *model, vgListed what, int i, vgListing *out);

/* Names and units of channels. */
typedef struct vgChannelList {
    int n;
    const char *const *name, *const *unit; /* [n]; the unit is "" where there is none */
} vgChannelList;

/* Lists channels: the numbers that vg_sim_get and vg_sim_watch know.
 *
 * Parameters:
 *   model     the model
 *   patterns  names; a * stands for any characters
 *   n         number of names; 0: all channels
 *   diag      receives the names that match nothing; or NULL
 *   out       receives the list; free it with vg_channel_list_free, before or after the model
 * Returns: VG_OK; VG_BAD_INPUT if a name matches no channel
 * Example:
 *     vgChannelList *list;
 *     if (vg_model_channels(model, NULL, 0, diag, &list) == VG_OK) printf("%s [%s]\n", list->name[0], list->unit[0]);
 *     vg_channel_list_free(list); */
vgStatus vg_model_channels(const vgModel *model, const char *const *patterns, int n, vgDiag *diag,
                           vgChannelList **out);

/* Frees a list of channels.
 *
 * Parameters:
 *   list  the list, or NULL
 * Returns: nothing
 * Example:
 *     vg_channel_list_free(NULL); */
void vg_channel_list_free(vgChannelList *list);

#ifdef __cplusplus
}
#endif

#endif
