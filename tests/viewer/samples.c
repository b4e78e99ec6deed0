/* Writes results files of known motions, in the layout of the results writer, for the tests of the viewer:
 *
 *     viewer_samples DIR         DIR/pendulum.h5, damped.h5, fourbar.h5, crane.h5, cart.h5, long.h5, chain.h5
 *     viewer_samples page OUT RESULT...    the page, without the program
 *
 * The formulas are repeated in browser.mjs, which asks the page where the bodies are. */
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "io/view/view.h"

typedef struct sample {
    const char *name, *title, *scene;
    double end;
    int rows, nbody, nchannel;
    void (*pose)(double t, int body, double pose[7]);
    void (*channels)(double t, double *row);
    void (*body_name)(int body, char *name);
    void (*channel_name)(int channel, char *name, char *unit);
} sample;

enum { NAME = 64, LINKS = 200 };
static const double PI = 3.14159265358979323846;

static void text_attribute(hid_t object, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, &text);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
}

static void string_list(hid_t file, const char *name, int n, char (*strings)[NAME])
{
    hsize_t size = (hsize_t)n;
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &size, NULL);
    H5Tset_size(type, NAME);
    hid_t data = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, strings);
    H5Dclose(data);
    H5Sclose(space);
    H5Tclose(type);
}

static void numbers(hid_t file, const char *name, int rank, const hsize_t *size, const double *values)
{
    hid_t space = H5Screate_simple(rank, size, NULL);
    hid_t data = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(data);
    H5Sclose(space);
}

static int write_sample(const sample *s, const char *folder)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s.h5", folder, s->name);
    size_t n = (size_t)s->rows, nbody = (size_t)s->nbody, nchannel = (size_t)s->nchannel;
    double *time = calloc(n, sizeof *time), *pose = calloc(n * nbody + 1, 7 * sizeof *pose);
    double *data = calloc(n * nchannel + 1, sizeof *data);
    char(*bodies)[NAME] = calloc(nbody + 1, NAME), (*channels)[NAME] = calloc(nchannel + 1, NAME);
    char(*units)[NAME] = calloc(nchannel + 1, NAME);
    if (!time || !pose || !data || !bodies || !channels || !units) return 1;
    for (size_t i = 0; i < n; i++) {
        time[i] = s->end * (double)i / (double)(n - 1);
        for (size_t b = 0; b < nbody; b++) s->pose(time[i], (int)b, pose + (i * nbody + b) * 7);
        s->channels(time[i], data + i * nchannel);
    }
    for (size_t b = 0; b < nbody; b++) s->body_name((int)b, bodies[b]);
    for (size_t c = 0; c < nchannel; c++) s->channel_name((int)c, channels[c], units[c]);

    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (file < 0) return 1;
    text_attribute(file, "title", s->title);
    text_attribute(file, "status", "ok");
    text_attribute(file, "coordinates", "lie");
    text_attribute(file, "constraints", "index3");
    text_attribute(file, "integrator", "generalized-alpha");
    text_attribute(file, "verge_version", "0.1.0");
    text_attribute(file, "statistics",
                   "{\"steps\": 1000, \"newton_iterations\": 2210, \"solve_seconds\": 0.0123}");
    text_attribute(file, "model_text", "verge: 1\ntitle: \"</script><b>not a tag</b>\"\n");
    hsize_t size[3] = {n, nchannel, 0};
    numbers(file, "time", 1, size, time);
    numbers(file, "data", 2, size, data);
    string_list(file, "channels", s->nchannel, channels);
    string_list(file, "units", s->nchannel, units);
    hid_t view = H5Gcreate2(file, "view", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hsize_t cube[3] = {n, nbody, 7};
    numbers(file, "view/poses", 3, cube, pose);
    string_list(file, "view/bodies", s->nbody, bodies);
    text_attribute(view, "scene", s->scene);
    H5Gclose(view);
    H5Fclose(file);
    free(time), free(pose), free(data), free(bodies), free(channels), free(units);
    return 0;
}

static void planar_pose(double x, double y, double angle, double pose[7])
{
    const double p[7] = {x, y, 0, cos(angle / 2), 0, 0, sin(angle / 2)};
    memcpy(pose, p, sizeof p);
}

/* A pendulum that swings harmonically, and one that loses amplitude. */
static double swing(double t, double decay)
{
    return 1.2 * exp(-decay * t) * cos(3.6 * t);
}

static void pendulum_of(double t, double decay, double pose[7])
{
    double a = swing(t, decay);
    planar_pose(0.5 * sin(a), -0.5 * cos(a), a - PI / 2, pose);
}
static void pendulum_pose(double t, int body, double pose[7])
{
    (void)body, pendulum_of(t, 0, pose);
}
static void damped_pose(double t, int body, double pose[7])
{
    (void)body, pendulum_of(t, 0.12, pose);
}

static void pendulum_row(double t, double decay, double *row)
{
    double a = swing(t, decay), b = swing(t + 1e-6, decay), w = (b - a) / 1e-6;
    double kinetic = w * w / 6, potential = 9.81 * 0.5 * (1 - cos(a));
    const double r[9] = {a,
                         w,
                         9.81 * cos(a) + 0.5 * w * w,
                         4 * sin(a),
                         kinetic,
                         potential,
                         kinetic + potential,
                         1e-13 * (1.1 + sin(40 * t)),
                         1e-10 * (1.2 + cos(23 * t))};
    memcpy(row, r, sizeof r);
}
static void pendulum_channels(double t, double *row)
{
    pendulum_row(t, 0, row);
}
static void damped_channels(double t, double *row)
{
    pendulum_row(t, 0.12, row);
}
static void pendulum_body(int body, char *name)
{
    (void)body, strcpy(name, "rod");
}

static void pick_name(const char *const *list, int i, char *name, char *unit)
{
    strcpy(name, list[2 * i]);
    if (unit) strcpy(unit, list[2 * i + 1]);
}

static void pendulum_channel(int c, char *name, char *unit)
{
    static const char *const list[] = {
        "joint.O.angle",   "rad", "joint.O.rate",        "rad/s", "joint.O.force.x",     "N",
        "joint.O.force.y", "N",   "energy.kinetic",      "J",     "energy.potential",    "J",
        "energy.total",    "J",   "constraint.position", "m",     "constraint.velocity", "m/s"};
    pick_name(list, c, name, unit);
}

static const char pendulum_scene[] =
    "{\"planar\":true,\"gravity\":[0,-9.81,0],\"bodies\":[{\"name\":\"rod\",\"mass\":1,\"shapes\":[],"
    "\"markers\":[{\"name\":\"O\",\"position\":[-0.5,0,0]},{\"name\":\"tip\",\"position\":[0.5,0,0]}]}],"
    "\"joints\":[{\"name\":\"O\",\"kind\":\"revolute\",\"a\":\"ground\",\"b\":\"rod\",\"frameA\":{\"body\":"
    "\"ground\",\"position\":[0,0,0],\"quaternion\":[0.7071067811865476,0,0,-0.7071067811865476]},\"frameB\":"
    "{\"body\":\"rod\",\"position\":[-0.5,0,0],\"quaternion\":[1,0,0,0]}}],\"forces\":[]}";

/* A four-bar: crank 0.3, coupler 0.8, rocker 0.6, pivots 0.9 apart; the crank turns at 4 rad/s. */
static void fourbar_points(double t, double p[4][2])
{
    double q = 4 * t, ax = 0.3 * cos(q), ay = 0.3 * sin(q), dx = 0.9 - ax, dy = -ay, d2 = dx * dx + dy * dy;
    double d = sqrt(d2), s = (0.8 * 0.8 - 0.6 * 0.6 + d2) / (2 * d), h = sqrt(0.8 * 0.8 - s * s);
    const double all[4][2] = {
        {0, 0}, {ax, ay}, {ax + (s * dx - h * dy) / d, ay + (s * dy + h * dx) / d}, {0.9, 0}};
    memcpy(p, all, sizeof all);
}

static void fourbar_pose(double t, int body, double pose[7])
{
    double p[4][2];
    fourbar_points(t, p);
    const double *a = p[body], *b = p[body + 1];
    planar_pose((a[0] + b[0]) / 2, (a[1] + b[1]) / 2, atan2(b[1] - a[1], b[0] - a[0]), pose);
}

static void fourbar_channels(double t, double *row)
{
    double p[4][2];
    fourbar_points(t, p);
    row[0] = 4 * t;
    row[1] = atan2(p[2][1], p[2][0] - 0.9);
    row[2] = p[2][0];
    row[3] = p[2][1];
    row[4] = 30 * cos(4 * t);
    row[5] = 20 * sin(8 * t);
}

static void fourbar_body(int body, char *name)
{
    static const char *const names[] = {"crank", "coupler", "rocker"};
    strcpy(name, names[body]);
}

static void fourbar_channel(int c, char *name, char *unit)
{
    static const char *const list[] = {"joint.A.angle",
                                       "rad",
                                       "joint.D.angle",
                                       "rad",
                                       "marker.coupler.B.position.x",
                                       "m",
                                       "marker.coupler.B.position.y",
                                       "m",
                                       "joint.D.force.x",
                                       "N",
                                       "joint.D.force.y",
                                       "N"};
    pick_name(list, c, name, unit);
}

#define TURN0 "\"quaternion\":[1,0,0,0]"
static const char fourbar_scene[] =
    "{\"planar\":true,\"gravity\":[0,-9.81,0],\"bodies\":[{\"name\":\"crank\",\"mass\":1,\"shapes\":[{"
    "\"kind\":\"bar\",\"size\":[0.3,0],\"at\":{\"position\":[0,0,0]," TURN0
    "},\"color\":[0.75,0.3,0.2]}],\"markers\":[]},{\"name\":\"coupler\",\"mass\":2,\"shapes\":[],\"markers\":"
    "[{\"name\":\"A\",\"position\":[-0.4,0,0]},{\"name\":\"B\",\"position\":[0.4,0,0]},{\"name\":\"P\","
    "\"position\":[0.05,0.25,0]}]},{\"name\":\"rocker\",\"mass\":1.5,\"shapes\":[],\"markers\":[]}],"
    "\"joints\":[{\"name\":\"A\",\"kind\":\"revolute\",\"frameA\":{\"body\":\"ground\",\"position\":[0,0,0]"
    "," TURN0 "},\"frameB\":{\"body\":\"crank\",\"position\":[-0.15,0,0]," TURN0
    "}},{\"name\":\"B\",\"kind\":\"revolute\",\"frameA\":{\"body\":\"crank\",\"position\":[0.15,0,0]," TURN0
    "},\"frameB\":{\"body\":\"coupler\",\"position\":[-0.4,0,0]," TURN0
    "}},{\"name\":\"C\",\"kind\":\"revolute\",\"frameA\":{\"body\":\"coupler\",\"position\":[0.4,0,0]," TURN0
    "},\"frameB\":{\"body\":\"rocker\",\"position\":[-0.3,0,0]," TURN0
    "}},{\"name\":\"D\",\"kind\":\"revolute\",\"frameA\":{\"body\":\"ground\",\"position\":[0.9,0,0]," TURN0
    "},\"frameB\":{\"body\":\"rocker\",\"position\":[0.3,0,0]," TURN0
    "}}],\"forces\":[{\"name\":\"shock\",\"kind\":\"spring\",\"bodies\":[\"ground\",\"rocker\"],\"frames\":[{"
    "\"body\":\"ground\",\"position\":[1.3,0.75,0]," TURN0
    "},{\"body\":\"rocker\",\"position\":[-0.05,0,0]," TURN0 "}]}]}";

/* A small crane in space: a turning arm, a ball on a spring below one end, a spinning wheel at the other. */
static void crane_pose(double t, int body, double pose[7])
{
    double yaw = 0.8 * t, c = cos(yaw), s = sin(yaw);
    const double half_yaw[2] = {cos(yaw / 2), sin(yaw / 2)};
    if (body == 0) {
        const double p[7] = {0.2 * c, 0.2 * s, 1, half_yaw[0], 0, 0, half_yaw[1]};
        memcpy(pose, p, sizeof p);
    } else if (body == 1) {
        double r = 0.8 + 0.1 * sin(2 * t);
        const double p[7] = {r * c, r * s, 0.45 + 0.12 * cos(5 * t), half_yaw[0], 0, 0, half_yaw[1]};
        memcpy(pose, p, sizeof p);
    } else { /* spin about the arm's x axis */
        double spin = 6 * t, cs = cos(spin / 2), ss = sin(spin / 2);
        const double p[7] = {-0.6 * c,         -0.6 * s,        1, half_yaw[0] * cs, half_yaw[0] * ss,
                             half_yaw[1] * ss, half_yaw[1] * cs};
        memcpy(pose, p, sizeof p);
    }
}
static void crane_channels(double t, double *row)
{
    row[0] = 0.8 * t;
    row[1] = 0.45 + 0.12 * cos(5 * t);
    row[2] = 20 * cos(5 * t);
}
static void crane_body(int body, char *name)
{
    static const char *const names[] = {"arm", "load", "wheel"};
    strcpy(name, names[body]);
}
static void crane_channel(int c, char *name, char *unit)
{
    static const char *const list[] = {"joint.mast.angle",   "rad", "body.load.position.z", "m",
                                       "joint.mast.force.z", "N"};
    pick_name(list, c, name, unit);
}
static const char crane_scene[] =
    "{\"planar\":false,\"gravity\":[0,0,-9.81],\"bodies\":[{\"name\":\"ground\",\"shapes\":[{\"kind\":"
    "\"cylinder\",\"size\":[0.05,0.95],\"at\":{\"position\":[0,0,0.475]," TURN0
    "}}],\"markers\":[]},{\"name\":\"arm\",\"mass\":5,\"shapes\":[{\"kind\":\"box\",\"size\":[1.3,0.07,0.07],"
    "\"at\":{\"position\":[-0.05,0,0]," TURN0
    "}}],\"markers\":[]},{\"name\":\"load\",\"mass\":2,\"shapes\":[{\"kind\":\"sphere\",\"size\":[0.1]}],"
    "\"markers\":[{\"name\":\"hook\",\"position\":[0,0,0.1]}]},{\"name\":\"wheel\",\"mass\":2,\"shapes\":[{"
    "\"kind\":\"disc\",\"size\":[0.22,0.05],\"at\":{\"position\":[0,0,0],\"quaternion\":[0.7071067811865476,"
    "0,0.7071067811865476,0]}}],\"markers\":[]}],\"joints\":[{\"name\":\"mast\",\"kind\":\"revolute\","
    "\"frameA\":{\"body\":\"ground\",\"position\":[0,0,1]," TURN0
    "},\"frameB\":{\"body\":\"arm\",\"position\":[-0.2,0,0]," TURN0
    "}},{\"name\":\"axle\",\"kind\":\"revolute\",\"frameA\":{\"body\":\"arm\",\"position\":[-0.8,0,0],"
    "\"quaternion\":[0.7071067811865476,0,0.7071067811865476,0]},\"frameB\":{\"body\":\"wheel\",\"position\":"
    "[0,0,0],\"quaternion\":[0.7071067811865476,0,0.7071067811865476,0]}}],\"forces\":[{\"name\":\"rope\","
    "\"kind\":\"spring\",\"bodies\":[\"arm\",\"load\"],\"frames\":[{\"body\":\"arm\",\"position\":[0.6,0,0]"
    "," TURN0 "},{\"body\":\"load\",\"position\":[0,0,0.1]," TURN0 "}]}]}";

/* A cart that goes far: the camera must go with it. */
static void cart_pose(double t, int body, double pose[7])
{
    double x = 5 * t;
    if (body == 0) {
        const double p[7] = {x, 0, 0.6 + 0.02 * sin(9 * t), 1, 0, 0, 0};
        memcpy(pose, p, sizeof p);
    } else {
        double turn = x / 0.3, wx = (body - 1) % 2 ? 0.8 : -0.8, wy = body > 2 ? 0.5 : -0.5;
        const double p[7] = {x + wx, wy, 0.3, cos(turn / 2), 0, sin(turn / 2), 0};
        memcpy(pose, p, sizeof p);
    }
}
static void cart_channels(double t, double *row)
{
    row[0] = 5 * t, row[1] = 0.6 + 0.02 * sin(9 * t);
}
static void cart_body(int body, char *name)
{
    sprintf(name, body ? "wheel%d" : "chassis", body);
}
static void cart_channel(int c, char *name, char *unit)
{
    static const char *const list[] = {"body.chassis.position.x", "m", "body.chassis.position.z", "m"};
    pick_name(list, c, name, unit);
}
#define WHEEL(n)                                                                                             \
    "{\"name\":\"wheel" n                                                                                    \
    "\",\"mass\":20,\"shapes\":[{\"kind\":\"disc\",\"size\":[0.3,0.15],\"at\":{\"position\":[0,0,0],"        \
    "\"quaternion\":[0.7071067811865476,0.7071067811865476,0,0]}}],\"markers\":[]}"
static const char cart_scene[] =
    "{\"planar\":false,\"gravity\":[0,0,-9.81],\"bodies\":[{\"name\":\"chassis\",\"mass\":500,\"shapes\":[{"
    "\"kind\":\"box\",\"size\":[2.2,0.8,0.3],\"at\":{\"position\":[0,0,0.1]," TURN0
    "}}],\"markers\":[]}," WHEEL("1") "," WHEEL("2") "," WHEEL("3") "," WHEEL(
        "4") "],\"joints\":[],\"forces\":[]}";

/* Many rows with one spike of one row: thinning must keep it. */
static void long_pose(double t, int body, double pose[7])
{
    (void)body, planar_pose(cos(t), sin(t), t, pose);
}
static void long_channels(double t, double *row)
{
    row[0] = sin(2 * t) + (fabs(t - 31.4159) < 2.5e-4 ? 50 : 0);
    row[1] = 1000 + 1e-9 * sin(t);
}
static void long_body(int body, char *name)
{
    (void)body, strcpy(name, "ring");
}
static void long_channel(int c, char *name, char *unit)
{
    static const char *const list[] = {"body.ring.acceleration.x", "m/s^2", "energy.total", "J"};
    pick_name(list, c, name, unit);
}

/* Two hundred bodies. */
static void chain_pose(double t, int body, double pose[7])
{
    double s = 0.2 * body;
    planar_pose(0.5 * body, 3 * sin(s + 3 * t), 0.5 * sin(0.1 * body + 2 * t), pose);
    pose[2] = 2 * cos(s + 2 * t);
}
static void chain_channels(double t, double *row)
{
    for (int i = 0; i < LINKS; i++) row[i] = 3 * sin(0.2 * i + 3 * t);
}
static void chain_body(int body, char *name)
{
    sprintf(name, "link%d", body);
}
static void chain_channel(int c, char *name, char *unit)
{
    sprintf(name, "body.link%d.position.y", c);
    strcpy(unit, "m");
}

static const sample samples[] = {
    {"pendulum", "Pendulum", pendulum_scene, 8, 801, 1, 9, pendulum_pose, pendulum_channels, pendulum_body,
     pendulum_channel},
    {"damped", "Pendulum", pendulum_scene, 8, 641, 1, 9, damped_pose, damped_channels, pendulum_body,
     pendulum_channel},
    {"fourbar", "Four-bar mechanism", fourbar_scene, 5, 1001, 3, 6, fourbar_pose, fourbar_channels,
     fourbar_body, fourbar_channel},
    {"crane", "Crane", crane_scene, 10, 1001, 3, 3, crane_pose, crane_channels, crane_body, crane_channel},
    {"cart", "Cart", cart_scene, 20, 2001, 5, 2, cart_pose, cart_channels, cart_body, cart_channel},
    {"long", "Many rows", "{\"planar\":true}", 100, 200001, 1, 2, long_pose, long_channels, long_body,
     long_channel},
    {"chain", "Chain of 200", "{\"planar\":false,\"gravity\":[0,0,-9.81]}", 20, 10000, LINKS, LINKS,
     chain_pose, chain_channels, chain_body, chain_channel},
};

static int write_page(int n, char **arguments)
{
    vgDiag *diag = vg_diag_new();
    vgStatus status = vg_view_write((const char *const *)arguments + 1, n - 1, arguments[0], diag);
    for (int i = 0; i < vg_diag_count(diag); i++) fprintf(stderr, "%s\n", vg_diag_line(diag, i));
    vg_diag_free(diag);
    return status == VG_OK ? 0 : status == VG_UNSUPPORTED ? 77 : 1;
}

int main(int n, char **arguments)
{
    if (n > 3 && !strcmp(arguments[1], "page")) return write_page(n - 2, arguments + 2);
    if (n != 2) return 2;
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++)
        if (write_sample(&samples[i], arguments[1])) return 1;
    return 0;
}
