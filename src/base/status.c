#include "base/status.h"

#include "verge/version.h"

const char *vg_status_text(vgStatus status)
{
    static const char *const texts[] = {
#define STATUS_TEXT(name, text) text,
        VG_STATUS_LIST(STATUS_TEXT)
#undef STATUS_TEXT
    };
    int i = (int)status;
    return i >= 0 && i < VG_STATUS_COUNT ? texts[i] : "unknown status";
}

const char *vg_version(void)
{
    return VERGE_VERSION_STRING;
}
