/* main() where the program holds its code for two levels of processors (cmake/Levels.cmake). VERGE_LEVEL=v2 takes the
 * plain one anywhere: for tests that both give the same bits. */
#include <stdlib.h>
#include <string.h>

#include "base/level.h"

int main_v2(int argc, char **argv);
int main_v3(int argc, char **argv);

int main(int argc, char **argv)
{
    const char *asked = getenv("VERGE_LEVEL");
    int plain = asked && strcmp(asked, "v2") == 0;
    return vg_level_v3() && !plain ? main_v3(argc, argv) : main_v2(argc, argv);
}
