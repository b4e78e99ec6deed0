/* A pendulum pushed by a wind that the program supplies: the model in a text, a force in a function, a
 * checkpoint to come back to.
 *
 *     cc pendulum.c $(pkg-config --cflags --libs verge) -o pendulum && ./pendulum */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <verge/verge.h>

static const char model_text[] = "verge: 1\n"
                                 "title: A pendulum in the wind\n"
                                 "gravity: [0, 0, -9.81]\n"
                                 "bodies:\n"
                                 "  bob: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, -1],\n"
                                 "        markers: {hinge: [0, 0, 1]}}\n"
                                 "joints:\n"
                                 "  O: {revolute: [ground, bob.hinge], axis: y}\n"
                                 "forces:\n"
                                 "  wind: {callback: [ground, bob]}\n"
                                 "run: {step: 1e-3}\n";

/* Drag of air that blows along x: F = c (u − v). The same force acts the other way on the ground. */
static int wind(void *user, double t, const vgCallbackMotion motion[2], double wrench[12], double *jacobian)
{
    double speed = *(const double *)user, c = 0.5;
    (void)t, (void)jacobian;
    wrench[6] = c * (speed - motion[1].velocity[0]);
    wrench[0] = -wrench[6];
    return 0; /* derivatives by differences */
}

static void say(const vgDiag *diag)
{
    for (int i = 0; i < vg_diag_count(diag); i++) fprintf(stderr, "%s\n", vg_diag_line(diag, i));
}

static int swing(vgSim *sim)
{
    size_t size = vg_sim_checkpoint_size(sim);
    void *middle = malloc(size);
    double angle[2] = {0, 0};
    if (!middle) return 1;
    for (int i = 1; i <= 10; i++) {
        if (vg_sim_advance(sim, 0.5 * i) != VG_OK) break;
        vg_sim_get(sim, "joint.O.angle", &angle[0]);
        printf("t = %4.1f s   angle = %8.5f rad\n", vg_sim_time(sim), angle[0]);
        if (i == 5) vg_sim_save(sim, middle, size);
    }
    /* back to the middle and through the second half again: the same end */
    if (vg_sim_restore(sim, middle, size) == VG_OK && vg_sim_advance(sim, 5) == VG_OK) {
        vg_sim_get(sim, "joint.O.angle", &angle[1]);
    }
    free(middle);
    if (*vg_sim_error(sim)) fprintf(stderr, "%s\n", vg_sim_error(sim));
    return angle[0] == angle[1] && angle[0] != 0 ? 0 : 1;
}

int main(void)
{
    double speed = 3;
    vgDiag *diag = vg_diag_new();
    vgModel *model = vg_parse(model_text, strlen(model_text), "pendulum", NULL, diag);
    vgSim *sim = NULL;
    int code = 1;
    if (model && vg_model_set_callback(model, "wind", wind, &speed) == VG_OK &&
        vg_sim_new(model, NULL, diag, &sim) == VG_OK) {
        code = swing(sim);
    }
    say(diag);
    vg_sim_free(sim);
    vg_model_free(model);
    vg_diag_free(diag);
    return code;
}
