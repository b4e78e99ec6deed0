#include "test.h"

#include "base/status.h"
#include "verge/version.h"

TEST(every_status_has_its_own_text)
{
    CHECK_INT(VG_OK, 0);
    for (int i = 0; i < VG_STATUS_COUNT; i++) {
        CHECK(vg_status_text((vgStatus)i)[0] != 0);
        for (int j = 0; j < i; j++) CHECK(strcmp(vg_status_text((vgStatus)i), vg_status_text((vgStatus)j)));
    }
    CHECK_STR(vg_status_text(VG_SINGULAR), "singular");
    CHECK_STR(vg_status_text(VG_INCONSISTENT), "contradict");
}

TEST(no_status_is_out_of_reach)
{
    CHECK_STR(vg_status_text(VG_STATUS_COUNT), "unknown");
}

TEST(version_is_that_of_the_header)
{
    char text[64];
    snprintf(text, sizeof text, "%d.%d.%d", VERGE_VERSION_MAJOR, VERGE_VERSION_MINOR, VERGE_VERSION_PATCH);
    CHECK(strcmp(vg_version(), text) == 0);
    CHECK(strcmp(VERGE_VERSION_STRING, text) == 0);
}

TEST_MAIN(every_status_has_its_own_text, no_status_is_out_of_reach, version_is_that_of_the_header)
