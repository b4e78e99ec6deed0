/* The 26 integrators of [Z]. */
#include "reproduce/z.h"

#include <stdio.h>
#include <string.h>

const char *const vg_z_group[3] = {"second order, ρ∞ = 0", "second order, ρ∞ = 0.6", "higher order, ρ∞ = 0"};

const vgZMethod vg_z_methods[VG_Z_METHODS] = {
    [VG_Z_LMS2] = {"LMS2 (0)", "lms2:rho=0", 0, VG_Z_MULTISTEP, 2, 0},
    {"LMS3 (0)", "lms3:rho=0", 0, VG_Z_MULTISTEP, 2, 0},
    {"LMS4 (0)", "lms4:rho=0", 0, VG_Z_MULTISTEP, 2, 0},
    [VG_Z_SS2] = {"SS2 (0)", "ss2:rho=0", 0, VG_Z_SINGLE, 2, "LMS2 (0)"},
    {"SS3 (0)", "ss3:rho=0", 0, VG_Z_SINGLE, 2, "LMS3 (0)"},
    {"SS4 (0)", "ss4:rho=0", 0, VG_Z_SINGLE, 2, "LMS4 (0)"},
    [VG_Z_BATHE] = {"Bathe (0)", "bathe:rho=0", 0, VG_Z_SUBSTEPS, 2, 0},
    {"MSSTC(3) (0)", "msstc3:rho=0", 0, VG_Z_SUBSTEPS, 2, 0},
    {"MSSTC(4) (0)", "msstc4:rho=0", 0, VG_Z_SUBSTEPS, 2, 0},
    {"MSSTC(5) (0)", "msstc5:rho=0", 0, VG_Z_SUBSTEPS, 2, 0},
    {"LMS2 (0.6)", "lms2:rho=0.6", 1, VG_Z_MULTISTEP, 2, 0},
    {"LMS3 (0.6)", "lms3:rho=0.6", 1, VG_Z_MULTISTEP, 2, 0},
    {"LMS4 (0.6)", "lms4:rho=0.6", 1, VG_Z_MULTISTEP, 2, 0},
    {"SS2 (0.6)", "ss2:rho=0.6", 1, VG_Z_SINGLE, 2, "LMS2 (0.6)"},
    {"SS3 (0.6)", "ss3:rho=0.6", 1, VG_Z_SINGLE, 2, "LMS3 (0.6)"},
    {"SS4 (0.6)", "ss4:rho=0.6", 1, VG_Z_SINGLE, 2, "LMS4 (0.6)"},
    {"Bathe (0.6)", "bathe:rho=0.6", 1, VG_Z_SUBSTEPS, 2, 0},
    {"MSSTC(3) (0.6)", "msstc3:rho=0.6", 1, VG_Z_SUBSTEPS, 2, 0},
    {"MSSTC(4) (0.6)", "msstc4:rho=0.6", 1, VG_Z_SUBSTEPS, 2, 0},
    {"MSSTC(5) (0.6)", "msstc5:rho=0.6", 1, VG_Z_SUBSTEPS, 2, 0},
    [VG_Z_MSSTH3] = {"MSSTH(3)", "mssth3:rho=0", 2, VG_Z_HIGHER, 3, 0},
    [VG_Z_MSSTH4] = {"MSSTH(4)", "mssth4:rho=0", 2, VG_Z_HIGHER, 4, 0},
    {"MSSTH(5)", "mssth5:rho=0", 2, VG_Z_HIGHER, 5, 0},
    [VG_Z_ESDIRK324] = {"ESDIRK3(2)4L[2]SA", "esdirk324", 2, VG_Z_HIGHER, 3, 0},
    [VG_Z_ESDIRK325] = {"ESDIRK3(2)5L[2]SA", "esdirk325", 2, VG_Z_HIGHER, 3, 0},
    [VG_Z_ESDIRK436] = {"ESDIRK4(3)6L[2]SA₂", "esdirk436-2", 2, VG_Z_HIGHER, 4, 0},
};

static const char *with(int i, const char *options, char text[VG_Z_TEXT])
{
    const char *name = vg_z_methods[i].integrator;
    snprintf(text, VG_Z_TEXT, "%s%c%siterations=50", name, strchr(name, ':') ? ',' : ':', options);
    return text;
}

const char *vg_z_as_printed(int i, char text[VG_Z_TEXT])
{
    static const char *const option[] = {
        [VG_Z_MULTISTEP] = "predictor=2,newton=full,",  /* (12) */
        [VG_Z_SINGLE] = "predictor=0,newton=full,",     /* (15) */
        [VG_Z_SUBSTEPS] = "guess=printed,newton=full,", /* (15), (12) */
        [VG_Z_HIGHER] =
            "guess=printed,newton=full,", /* (15), (12), in the last stage of orders 4 and 5 (16) */
    };
    return with(i, option[vg_z_methods[i].kind], text);
}

const char *vg_z_reference(int i, char text[VG_Z_TEXT])
{
    return with(i, "", text);
}

int vg_z_skipped(const vgExhibit *ex, int i)
{
    static const char named[VG_Z_METHODS + 1] = "x..x..x...xxx..x..x...xx.x";
    return ex->quick && named[i] != 'x';
}

void vg_z_run(vgExhibit *ex, const vgZProblem *p, int i, vgHistory *h)
{
    char method[VG_Z_TEXT];
    vgAsk ask = {.model = p->model,
                 .coordinates = p->coordinates,
                 .constraints = VG_Z_CONSTRAINTS,
                 .integrator = p->reference ? vg_z_reference(i, method) : vg_z_as_printed(i, method),
                 .step = p->per_stage * vg_method_stages(vg_z_methods[i].integrator),
                 .end = p->end,
                 .interval = p->interval,
                 .shared = p->shared};
    memcpy(ask.set, p->set, sizeof ask.set);
    for (int c = 0; c < 3; c++) ask.channel[c] = p->channel[c];
    vg_exhibit_run(ex, &ask, h);
}
