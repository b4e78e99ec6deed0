/* Columns of a sparse matrix that follow from the others: B x = b is solved for the chosen ones. */
#ifndef VG_LINALG_COLUMN_CHOICE_H
#define VG_LINALG_COLUMN_CHOICE_H

#include <stddef.h>

#include "linalg/rank.h"

/* Memory for matrices m × n. It grows with the first choice, and then no more after vg_column_choice_fix. */
typedef struct vgColumnChoice vgColumnChoice;
vgStatus vg_column_choice_new(int m, int n, int entries, vgColumnChoice **out);
void vg_column_choice_free(vgColumnChoice *x);
/* Four times the room that the largest choice needed, and no more from here on. */
vgStatus vg_column_choice_fix(vgColumnChoice *x);

/* As many rows and columns as the rank of the rows, whose lengths are about one: the submatrix B_D of both is regular and
 * every entry of B_D⁻¹ B is small as far as a search among few entries finds. row[m], col[n]: k for the k-th pivot, 1 …
 * rank, and 0 for the others; in that order the factors of B_D have little fill. A row that has less than `least` left
 * counts for nothing. Rows with a larger number in wait[m] (NULL: none) come after those with a smaller one that have more than
 * VG_RANK_CLEAR left. VG_LIMIT: more room is needed than there is. */
vgStatus vg_column_choice_find(vgColumnChoice *x, const vgSparseRows *b, const unsigned char *wait,
                               double least, double *row, double *col);
/* Entries of the factors L and U in that order, at most. */
void vg_column_choice_fill(const vgColumnChoice *x, size_t *lower, size_t *upper);

#endif
