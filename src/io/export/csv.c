/* The channels of a results file as CSV. */
#include <string.h>

#include "io/export/export.h"
#include "io/results.h"

vgStatus vg_export_csv(const char *from, const char *to, const vgExportHow *how, vgDiag *diag)
{
    (void)how; /* a table has all rows */
    vgTableData *table = NULL;
    vgResults *results = NULL;
    vgStatus status = vg_data_read(from, diag, &table);
    if (status != VG_OK) return status == VG_NO_MEMORY ? status : VG_BAD_INPUT;
    const vgResultsHead head = {.nchannel = table->ncol - 1,
                                .channel = (const char *const *)table->name + 1,
                                .unit = (const char *const *)table->unit + 1};
    status = vg_results_create(to, &head, diag, &results);
    for (long i = 0; status == VG_OK && i < table->nrow; i++) {
        const double *row = table->value + i * table->ncol;
        status = vg_results_row(results, row[0], row + 1, NULL);
    }
    if (results) {
        vgStatus closed = vg_results_close(results, "ok", "{}", diag);
        if (status == VG_OK) status = closed;
    }
    vg_data_free(table);
    return status;
}
