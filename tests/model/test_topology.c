/* The spanning tree: which joints are in it, which close loops. */
#include "base/names.h"
#include "test.h"

#include "model/topology.h"

static vgModel *parse(const char *text)
{
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_model_parse(text, strlen(text), "text", NULL, 0, diag);
    if (!m) printf("%s\n", vg_diag_line(diag, 0));
    vg_diag_free(diag);
    return m;
}

/* Parents come first, every body once, every tree joint once. */
static void check_tree(const vgModel *m, const vgTopology *t)
{
    int in_tree = 0;
    CHECK_INT(t->nnode, m->nbody);
    for (int i = 0; i < t->nnode; i++) {
        const vgTreeNode *n = &t->node[i];
        CHECK(n->parent < i);
        CHECK_INT(t->node_of[n->body], i);
        if (n->joint < 0) continue;
        const vgJoint *j = &m->joint[n->joint];
        int parent = n->parent < 0 ? -1 : t->node[n->parent].body;
        CHECK_INT(n->flipped ? j->a : j->b, n->body);
        CHECK_INT(n->flipped ? j->b : j->a, parent);
        CHECK_INT(t->closure[n->joint], 0);
        in_tree++;
    }
    for (int j = 0; j < m->njoint; j++) in_tree -= !t->closure[j];
    CHECK_INT(in_tree, 0);
}

static int closing_rows(const vgModel *m, const vgTopology *t)
{
    int n = 0;
    for (int j = 0; j < m->njoint; j++) n += t->closure[j] ? m->joint[j].nrow : 0;
    return n;
}

static const char four_bar[] =
    "verge: 1\nplanar: true\nbodies:\n  a: {mass: 1, inertia: 1, markers: {E: [0, 1]}}\n"
    "  b: {mass: 1, inertia: 1, position: [0, 1], markers: {E: [1, 0]}}\n"
    "  c: {mass: 1, inertia: 1, position: [1, 0], markers: {E: [0, 1]}}\n"
    "  ground: {markers: {C: [1, 0]}}\njoints:\n  A: {revolute: [ground, a]%s}\n  B: {revolute: [a.E, b]}\n"
    "  C: {revolute: [b.E, c.E]}\n  D: {revolute: [ground.C, c]}\n";

TEST(a_loop_is_cut_in_its_middle)
{
    char text[1000];
    snprintf(text, sizeof text, four_bar, "");
    vgModel *m = parse(text);
    vgTopology *t = NULL;
    CHECK_INT(vg_topology_new(m, &t), VG_OK);
    check_tree(m, t);
    CHECK_INT(t->nloop, 1);
    CHECK_INT(closing_rows(m, t), 2);
    CHECK_INT(t->closure[vg_names_find(m->joint_names, "A")], 0); /* both branches start at the ground */
    CHECK_INT(t->closure[vg_names_find(m->joint_names, "D")], 0);
    vg_topology_free(t);
    vg_model_free(m);
}

TEST(the_user_may_say_where)
{
    char text[1000];
    snprintf(text, sizeof text, four_bar, ", cut: true");
    vgModel *m = parse(text);
    vgTopology *t = NULL;
    CHECK_INT(vg_topology_new(m, &t), VG_OK);
    check_tree(m, t);
    CHECK_INT(t->closure[vg_names_find(m->joint_names, "A")], 1);
    CHECK_INT(t->nloop, 1);
    vg_topology_free(t);
    vg_model_free(m);
}

/* Spherical (3 rows) rather than revolute (5) closes a spatial loop; a rod of constant length always does. */
TEST(loops_are_cut_where_it_is_cheapest)
{
    vgModel *m =
        parse("verge: 1\nbodies:\n"
              "  a: {mass: 1, inertia: [1, 1, 1], markers: {E: [0, 1, 0]}}\n"
              "  b: {mass: 1, inertia: [1, 1, 1], position: [0, 1, 0], markers: {E: [1, 0, 0]}}\n"
              "  c: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0], markers: {E: [0, 1, 0]}}\n"
              "  ground: {markers: {C: [1, 0, 0]}}\njoints:\n  A: {spherical: [ground, a]}\n"
              "  B: {revolute: [a.E, b]}\n  C: {revolute: [b.E, c.E]}\n  D: {revolute: [ground.C, c]}\n"
              "  R: {distance: [ground.C, b], length: 1}\n");
    vgTopology *t = NULL;
    CHECK_INT(vg_topology_new(m, &t), VG_OK);
    check_tree(m, t);
    CHECK_INT(t->closure[vg_names_find(m->joint_names, "A")], 1);
    CHECK_INT(t->closure[vg_names_find(m->joint_names, "R")], 1);
    CHECK_INT(t->nloop, 1);
    CHECK_INT(closing_rows(m, t), 4);
    vg_topology_free(t);
    vg_model_free(m);
}

TEST(what_floats_hangs_on_its_heaviest_body)
{
    vgModel *m =
        parse("verge: 1\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\n"
              "  b: {mass: 5, inertia: [1, 1, 1]}\n  c: {mass: 2, inertia: [1, 1, 1]}\n"
              "  p: {mass: 3, point: true}\n"
              "joints:\n  J: {revolute: [a, b]}\n  K: {spherical: [b, c]}\n  L: {spherical: [c, p]}\n");
    vgTopology *t = NULL;
    CHECK_INT(vg_topology_new(m, &t), VG_OK);
    check_tree(m, t);
    CHECK_INT(t->node[t->node_of[vg_model_find_body(m, "b")]].joint, -1);
    CHECK_INT(t->node[t->node_of[vg_model_find_body(m, "a")]].flipped, 1);
    CHECK_INT(t->node[t->node_of[vg_model_find_body(m, "p")]].joint, -1); /* a point has no frame */
    CHECK_INT(t->closure[vg_names_find(m->joint_names, "L")], 1);
    vg_topology_free(t);
    vg_model_free(m);
}

TEST_MAIN(a_loop_is_cut_in_its_middle, the_user_may_say_where, loops_are_cut_where_it_is_cheapest,
          what_floats_hangs_on_its_heaviest_body)
