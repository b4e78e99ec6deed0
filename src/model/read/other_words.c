/* Keys by the names that other programs and textbooks give them. Spelling cannot find them; a reader of an error message
 * should not have to search for the word. */
#include <stddef.h>
#include <string.h>

#include "model/read/reader.h"

typedef struct OtherWord {
    const char *word, *meant; /* meant: a key, or */
    const char *sentence;     /* how the same is said */
} OtherWord;

#define PLACE                                                                                                \
    "a place on a body is a marker: give the body 'markers: {P: [x, y, z]}' and write BODY.P in the list, "  \
    "or {body: BODY, position: [x, y, z]}"

static const OtherWord other_words[] = {
    {"frames", "markers", NULL},
    {"points", "markers", NULL},
    {"sites", "markers", NULL},
    {"attachments", "markers", NULL},
    {"m", "mass", NULL},
    {"weight", "mass", NULL},
    {"moi", "inertia", NULL},
    {"J", "inertia", NULL},
    {"I", "inertia", NULL},
    {"cog", "com", NULL},
    {"cg", "com", NULL},
    {"centre", "com", NULL},
    {"center", "com", NULL},
    {"pos", "position", NULL},
    {"origin", "position", NULL},
    {"location", "position", NULL},
    {"orientation", "rotation", NULL},
    {"euler", "rotation", NULL},
    {"quat", "quaternion", NULL},
    {"angular_velocity", "omega", NULL},
    {"angular-velocity", "omega", NULL},
    {"spin", "omega", NULL},
    {"vel", "velocity", NULL},
    {"speed", "velocity", NULL},
    {"geometry", "shape", NULL},
    {"visual", "shape", NULL},
    {"k", "stiffness", NULL},
    {"c", "damping", NULL},
    {"d", "damping", NULL},
    {"damper", "damping", NULL},
    {"l0", "length", NULL},
    {"rest_length", "length", NULL},
    {"rest-length", "length", NULL},
    {"free-length", "length", NULL},
    {"free_length", "length", NULL},
    {"natural_length", "length", NULL},
    {"pitch_radius", "radius", NULL},
    {"r", "radius", NULL},
    {"torque", "value", NULL},
    {"magnitude", "value", NULL},
    {"law", "value", NULL},
    {"function", "value", NULL},
    {"motion", "drive", NULL},
    {"motor", "drive", NULL},
    {"rate", "start", NULL},
    {"initial", "start", NULL},
    {"q0", "start", NULL},
    {"angle0", "start", NULL},
    {"dt", "step", NULL},
    {"h", "step", NULL},
    {"timestep", "step", NULL},
    {"t_end", "end", NULL},
    {"tend", "end", NULL},
    {"duration", "end", NULL},
    {"time", "end", NULL},
    {"solver", "integrator", NULL},
    {"method", "integrator", NULL},
    {"outputs", "record", NULL},
    {"channels", "record", NULL},
    {"constants", "parameters", NULL},
    {"variables", "parameters", NULL},
    {"links", "bodies", NULL},
    {"constraints", "joints", NULL},
    {"from", NULL, PLACE},
    {"to", NULL, PLACE},
    {"point", NULL, PLACE},
    {"point1", NULL, PLACE},
    {"point2", NULL, PLACE},
    {"anchor", NULL, PLACE},
    {"anchors", NULL, PLACE},
    {"marker", NULL, PLACE},
    {"marker1", NULL, PLACE},
    {"marker2", NULL, PLACE},
    {"frame", NULL, PLACE},
    {"frame1", NULL, PLACE},
    {"frame2", NULL, PLACE},
    {"offset", NULL, PLACE},
    {"position", NULL, PLACE},
};

static int among(const char *key, const char *const *keys, int n)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(keys[i], key)) return 1;
    return 0;
}

const char *vg_other_word(const char *word, const char *const *keys, int n, const char **sentence)
{
    *sentence = NULL;
    for (size_t i = 0; i < sizeof other_words / sizeof other_words[0]; i++) {
        const OtherWord *w = &other_words[i];
        if (strcmp(w->word, word)) continue;
        if (w->meant && among(w->meant, keys, n)) return w->meant;
        if (w->sentence) *sentence = w->sentence;
    }
    return NULL;
}
