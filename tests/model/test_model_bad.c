/* Every file of tests/bad is refused with the message that stands in its first line, at that place. */
#include <dirent.h>
#include <stdlib.h>

#include "model/model.h"
#include "test.h"

#define FOLDER VERGE_SOURCE_DIR "/tests/bad"

static void check_file(const char *name)
{
    char path[1000], first[1000] = "";
    snprintf(path, sizeof path, "%s/%s", FOLDER, name);
    FILE *f = fopen(path, "r");
    CHECK(f && fgets(first, sizeof first, f) && strncmp(first, "# ", 2) == 0);
    if (f) fclose(f);
    first[strcspn(first, "\n")] = 0;
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_model_load(path, NULL, 0, diag);
    CHECK(m == NULL);
    CHECK(vg_diag_errors(diag) > 0);
    const char *line = vg_diag_line(diag, 0);
    if (line && strncmp(line, FOLDER "/", strlen(FOLDER) + 1) == 0) line += strlen(FOLDER) + 1;
    CHECK_STR(line, first + 2);
    CHECK(line && strncmp(line, first + 2, strlen(first + 2)) == 0);
    vg_model_free(m);
    vg_diag_free(diag);
}

TEST(every_bad_file)
{
    DIR *d = opendir(FOLDER);
    int n = 0;
    CHECK(d != NULL);
    for (struct dirent *e; d && (e = readdir(d));) {
        size_t length = strlen(e->d_name);
        if (length < 5 || strcmp(e->d_name + length - 5, ".yaml") != 0) continue;
        check_file(e->d_name);
        n++;
    }
    if (d) closedir(d);
    CHECK(n >= 45);
}

static int lines(const char *text, vgDiag *diag)
{
    vgModel *m = vg_model_parse(text, strlen(text), "m", NULL, 0, diag);
    CHECK(m == NULL);
    vg_model_free(m);
    return vg_diag_errors(diag);
}

TEST(all_errors_in_one_go)
{
    vgDiag *diag = vg_diag_new();
    int n = lines("verge: 1\n"
                  "bodies:\n"
                  "  a: {mass: -1, inertia: [1, 1, 1]}\n"
                  "  b: {mass: 1, inertia: [1, 1, 9], colour: red}\n"
                  "joints:\n"
                  "  J: {revolute: [a, c], axs: x}\n"
                  "forces:\n"
                  "  F: {spring: [a, b], stiffness: 1/0}\n"
                  "  G: {joint-torque: J, value: 1}\n",
                  diag);
    static const char *const places[] = {"m:3:13:", "m:4:36:", "m:6:21:", "m:6:25:", "m:8:35:"};
    CHECK_INT(n, 5); /* the torque along the wrong joint says nothing of its own */
    for (int i = 0; i < 5; i++) CHECK_STR(vg_diag_line(diag, i), places[i]);
    vg_diag_free(diag);
}

TEST(at_most_twenty)
{
    char text[4000] = "verge: 1\nbodies:\n";
    for (int i = 0; i < 60; i++)
        snprintf(text + strlen(text), 60, "  b%d: {mass: 0, inertia: [1, 1, 1]}\n", i);
    vgDiag *diag = vg_diag_new();
    lines(text, diag);
    CHECK(vg_diag_count(diag) <= 21);
    vg_diag_free(diag);
}

TEST_MAIN(every_bad_file, all_errors_in_one_go, at_most_twenty)
