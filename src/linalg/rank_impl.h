/* Shared by the dense and the sparse way of finding redundant rows. Not for other rooms. */
#ifndef VG_LINALG_RANK_IMPL_H
#define VG_LINALG_RANK_IMPL_H

#include "linalg/rank.h"

/* Room for m rows and nterm terms; the counts are the caller's to set. */
vgStatus vg_rank_room(int m, int nterm, vgRank *out);
/* The length up to which a row is empty, from the lengths of all. */
double vg_rank_empty(const double *length, int m);
/* Sorts the candidates by |share|, descending, and appends the largest as the terms of the next redundant
 * row. Shares are in units of unit-length rows: row = length · Σ share_i row_i / length_i. */
void vg_rank_explain(vgRank *out, int at, vgRankTerm *candidates, int count, const double *length,
                     double row_length);

#endif
