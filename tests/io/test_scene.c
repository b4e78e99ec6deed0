/* What the viewer is told of beams, contacts and bodies without shapes. */
#include <math.h>
#include <stdlib.h>

#include "analysis/channels/channels.h"
#include "analysis/run/simulation.h"
#include "io/scene.h"
#include "base/names.h"
#include "test.h"

static const char text[] =
    "verge: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  lump: {mass: 2, inertia: [1, 2, 2.5], position: [0, 3, 0]}\n"
    "  sled: {mass: 1, inertia: [1, 1, 1]}\n"
    "  flap: {mass: 1, inertia: [1, 1, 1]}\n"
    "mesh:\n"
    "  bar: {beam3: 2, start: {fixed: ground}, to: [0, 2, 0], rectangle: [0.02, 0.1],\n"
    "        orientation: [0, 0, 1], E: 2e11, rho: 7800}\n"
    "  rod: {beam: 2, from: [1, 0, 0], to: [1, 0, 3], EA: 12e6, GAy: 1e6, GJ: 1,\n"
    "        EIy: 4e4, EIz: 1e4, m: 1}\n"
    "forces:\n"
    "  push: {force: lump, value: [0, 0, 1], frame: body}\n"
    "  twist: {torque: lump, value: [0, 0, 1]}\n"
    "  floor: {contact-sphere-plane: [ground, lump], radius: 0.1, stiffness: 1e5}\n"
    "  rail: {contact-sphere-capsule: [sled, lump], length: 2, first: 0.3, axis: y, inside: true,\n"
    "         radius: 0.1, stiffness: 1e5}\n"
    "  slide: {torsion: S, stiffness: 1}\n"
    "  swing: {torsion: H, stiffness: 1}\n"
    "  hold: {pid: S, p: 1, i: 1}\n"
    "  wind: {pid: H, p: 1, i: 1}\n"
    "joints:\n"
    "  S: {prismatic: [ground, sled], axis: x}\n"
    "  H: {revolute: [sled, flap], axis: y}\n";

static const vgForce *force(const vgModel *m, const char *name)
{
    int i = vg_names_find(m->force_names, name);
    return i < 0 ? NULL : &m->force[i];
}

static vgModel *model(void)
{
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_model_parse(text, sizeof text - 1, "scene", NULL, 0, diag);
    for (int i = 0; i < vg_diag_count(diag); i++) puts(vg_diag_line(diag, i));
    vg_diag_free(diag);
    return m;
}

/* The nodes' frames have x along the beam and y where the model says; the section is as wide and high as it
 * was given, or as the rectangle of its stiffnesses. */
TEST(beams)
{
    vgModel *m = model();
    CHECK(m != NULL);
    int seen = 0;
    for (int i = 0; i < m->nforce; i++) {
        const vgForce *f = &m->force[i];
        if (!f->kind->look) continue;
        vgForceLook look = {0};
        f->kind->look(f->def, &look);
        if (!strncmp(f->name, "bar", 3)) {
            CHECK_INT(look.nnode, 3);
            CHECK(!look.round && !look.guess);
            CHECK_NEAR(look.width, 0.02, 0);
            CHECK_NEAR(look.height, 0.1, 0);
            for (int k = 0; k < look.nnode; k++) {
                int body = look.node[k].body;
                vgMat3 R = body < 0 ? vg_eye3() : m->body[body].R0;
                vgVec3 x = vg_mv3(R, vg_mv3(look.node[k].R, vg_v3(1, 0, 0))),
                       y = vg_mv3(R, vg_mv3(look.node[k].R, vg_v3(0, 1, 0)));
                CHECK_NEAR(x.y, 1, 1e-12);
                CHECK_NEAR(y.z, 1, 1e-12);
            }
            seen++;
        } else if (!strncmp(f->name, "rod", 3)) {
            CHECK_INT(look.nnode, 2);
            CHECK(look.guess);
            CHECK_NEAR(look.width, sqrt(12 * 1e4 / 12e6), 1e-12);
            CHECK_NEAR(look.height, sqrt(12 * 4e4 / 12e6), 1e-12);
            seen++;
        }
    }
    CHECK_INT(seen, 4);
    vgForceLook push = {0};
    const vgForce *f = force(m, "push");
    f->kind->look(f->def, &push);
    CHECK(push.follower && push.nnode == 0);
    vg_model_free(m);
}

TEST(json)
{
    vgModel *m = model();
    vgJson json = {0};
    vg_scene_write(m, &json);
    const char *out = vg_json_at(&json);
    CHECK_STR(out, "\"inertia\":[1,0,0,0,2,0,0,0,2.5]");
    CHECK_STR(out, "\"section\":{\"width\":0.02,\"height\":0.1,\"round\":false}");
    CHECK_STR(out, "\"follower\":true");
    CHECK_STR(out, "{\"kind\":\"plane\",\"size\":[0,0,0],\"axis\":[0,0,0],\"inside\":false,\"ball\":0.1}");
    CHECK_STR(out, "{\"kind\":\"bar\",\"size\":[2,0.3,0],\"axis\":[0,1,0],\"inside\":true,\"ball\":0.1}");
    vg_json_free(&json);
    vg_model_free(m);
}

/* Units of what elements tell: resultants of beams, forces of contacts, what goes along sliding and turning
 * joints. */
TEST(units)
{
    static const char *const want[][2] = {
        {"force.bar.1.axial", "N"},     {"force.bar.1.moment-z-start", "N*m"},
        {"force.bar.1.torsion", "N*m"}, {"force.bar.1.strain-energy", "J"},
        {"force.push.z", "N"},          {"force.twist.z", "N*m"},
        {"force.floor.force.z", "N"},   {"force.floor.depth", "m"},
        {"force.slide.torque", "N"},    {"force.swing.torque", "N*m"},
        {"force.slide.angle", "m"},     {"force.swing.angle", "rad"},
        {"force.slide.rate", "m/s"},    {"force.swing.rate", "rad/s"},
        {"force.hold.error", "m"},      {"force.wind.error", "rad"},
        {"force.hold.integral", "m*s"}, {"force.wind.integral", "rad*s"},
        {"joint.S.displacement", "m"},  {"joint.H.angle", "rad"},
        {"joint.S.rate", "m/s"},        {"joint.H.acceleration", "rad/s^2"}};
    vgModel *m = model();
    vgDiag *diag = vg_diag_new();
    vgSystem *sys = NULL;
    vgChannels *all = NULL;
    CHECK_INT(vg_system_new(m, NULL, NULL, diag, &sys), VG_OK);
    CHECK_INT(vg_channels_all(sys, &all), VG_OK);
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        int found = 0;
        for (int i = 0; i < vg_channels_count(all); i++) {
            if (strcmp(vg_channels_name(all, i), want[k][0]) != 0) continue;
            found = 1;
            CHECK(strcmp(vg_channels_unit(all, i), want[k][1]) == 0);
        }
        CHECK(found);
    }
    vg_channels_free(all);
    vg_system_free(sys);
    vg_diag_free(diag);
    vg_model_free(m);
}

/* A row of poses: places of the bodies' own frames, which need not be at their centres of mass, and their
 * quaternions. */
TEST(poses)
{
    static const char turned[] = "verge: 1\n"
                                 "bodies:\n"
                                 "  a: {mass: 1, inertia: [1, 1, 1], com: [0.3, -0.2, 0.1], position: [1, 2, "
                                 "3], quaternion: [0.1, 0.5, -0.7, 0.5]}\n"
                                 "  b: {mass: 1, point: true, position: [4, 5, 6]}\n"
                                 "  c: {mass: 2, inertia: [1, 1, 1], com: [0, 1, 0], position: [7, 8, 9]}\n"
                                 "joints: {H: {revolute: [ground, c], axis: z}}\n"
                                 "forces: {hold: {pid: H, p: 1, i: 1}}\n";
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_model_parse(turned, sizeof turned - 1, "poses", NULL, 0, diag);
    vgSimulation sim;
    vgChannels *all = NULL;
    double row[21];
    CHECK(m != NULL);
    CHECK_INT(vg_simulation_open(m, &(vgDials){NULL, NULL, NULL}, diag, &sim), VG_OK);
    CHECK_INT(vg_channels_all(sim.sys, &all), VG_OK);
    CHECK_INT(vg_poses_count(m), 3); /* the controller's coordinate is nowhere */
    double *value = malloc((size_t)vg_channels_count(all) * sizeof *value);
    vg_work_bind(sim.it->work, sim.state);
    vg_channels_eval(all, sim.it->work, sim.state, value);
    vg_poses_eval(vg_channels_probe(all), row);
    const double want[2][7] = {{1, 2, 3, 0.1, 0.5, -0.7, 0.5}, {4, 5, 6, 1, 0, 0, 0}};
    for (int i = 0; i < 14; i++) CHECK_NEAR(row[i], want[i / 7][i % 7], 1e-12);
    CHECK_NEAR(row[14] * row[14] + row[15] * row[15] + row[16] * row[16], 0, 1e-20); /* hung on the hinge */
    free(value);
    vg_channels_free(all);
    vg_simulation_close(&sim);
    vg_model_free(m);
    vg_diag_free(diag);
}

TEST_MAIN(beams, json, units, poses)
