/* A certificate (analysis/study/verify/verify.h) as JSON and as a table. */
#ifndef VERGE_IO_CERTIFICATE_H
#define VERGE_IO_CERTIFICATE_H

#include "analysis/study/verify/verify.h"
#include "base/text.h"
#include "io/json.h"

void vg_certificate_json(const vgCertificate *certificate, const char *key, vgJson *json);
/* The last line is the verdict. */
void vg_certificate_table(const vgCertificate *certificate, vgText *text);

#endif
