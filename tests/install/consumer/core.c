/* A program on the core alone: a mass on a spring against its closed form, and what the core does not read. */
#include <math.h>
#include <stdio.h>
#include <verge/verge.h>

static const char spring[] =
    "verge: 1\nbodies: {ball: {mass: 2, point: true, position: [1, 0, 0]}}\n"
    "forces: {pull: {spring: [ground, ball], stiffness: 18, length: 0}}\nrun: {step: 1e-3}\n";
static const char robot[] = "<robot name=\"r\"><link name=\"l\"/></robot>\n";

int main(void)
{
    vgDiag *diag = vg_diag_new();
    vgModel *model = vg_parse(spring, sizeof spring - 1, "spring", NULL, diag);
    vgSim *sim = NULL;
    double x = 0;
    if (!model || vg_sim_new(model, NULL, diag, &sim) != VG_OK || vg_sim_advance(sim, 1) != VG_OK ||
        vg_sim_get(sim, "body.ball.position.x", &x) != VG_OK)
        return 1;
    const double wrong = fabs(x - cos(3.0)); /* x = cos √(k/m) t */
    vgModel *none = vg_parse(robot, sizeof robot - 1, "arm.urdf", NULL, diag);
    printf("%s\n", vg_diag_count(diag) > 0 ? vg_diag_line(diag, 0) : "no word");
    vg_sim_free(sim);
    vg_model_free(model);
    vg_diag_free(diag);
    return none || wrong > 1e-5 ? 2 : 0;
}
