/* libmicrohttpd as a part (base/part/part.h), for serve.c: the functions that it calls. */
#ifndef VG_CLI_MICROHTTPD_PART_H
#define VG_CLI_MICROHTTPD_PART_H

#include <microhttpd.h>

#include "base/part/part.h"

#ifdef VERGE_LINK_PARTS
static inline const char *microhttpd_missing(void)
{
    return NULL;
}
#else
/* clang-format off */
#define MICROHTTPD_LIST(F) \
    F(MHD_add_response_header) \
    F(MHD_create_response_from_buffer) \
    F(MHD_destroy_response) \
    F(MHD_get_daemon_info) \
    F(MHD_lookup_connection_value) \
    F(MHD_queue_response) \
    F(MHD_start_daemon) \
    F(MHD_stop_daemon)
/* clang-format on */

VG_PART_TABLE(MicrohttpdTable, MICROHTTPD_LIST);
static MicrohttpdTable microhttpd;
static const char *const microhttpd_files[] = {VERGE_MICROHTTPD_FILES, NULL};
static const char *const microhttpd_symbols[] = {MICROHTTPD_LIST(VG_PART_NAME) NULL};
static vgPart microhttpd_part = {
    .title = "libmicrohttpd", .file = microhttpd_files, .symbol = microhttpd_symbols, .table = &microhttpd};

/* NULL: its functions can be called; else why not. */
static inline const char *microhttpd_missing(void)
{
    return vg_part_missing(&microhttpd_part);
}

#define MHD_add_response_header         (microhttpd.MHD_add_response_header)
#define MHD_create_response_from_buffer (microhttpd.MHD_create_response_from_buffer)
#define MHD_destroy_response            (microhttpd.MHD_destroy_response)
#define MHD_get_daemon_info             (microhttpd.MHD_get_daemon_info)
#define MHD_lookup_connection_value     (microhttpd.MHD_lookup_connection_value)
#define MHD_queue_response              (microhttpd.MHD_queue_response)
#define MHD_start_daemon                (microhttpd.MHD_start_daemon)
#define MHD_stop_daemon                 (microhttpd.MHD_stop_daemon)
#endif

#endif
