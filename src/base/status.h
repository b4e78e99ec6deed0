/* Status codes. The list is public, so it lives in include/verge/status.h; rooms include this file. */
#ifndef VG_BASE_STATUS_H
#define VG_BASE_STATUS_H

#include "verge/status.h"

#endif
