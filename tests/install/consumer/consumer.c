/* A program of somebody else, in C. */
#include <stdio.h>
#include <string.h>

#include <verge/status.h>
#include <verge/version.h>

int main(void)
{
    printf("Verge %s, %s\n", vg_version(), vg_status_text(VG_OK));
    return strcmp(vg_version(), VERGE_VERSION_STRING) != 0;
}
