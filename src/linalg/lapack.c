#include "linalg/lapack.h"

/* Only OpenBLAS has it; weak, so that any other LAPACK will do. */
void openblas_set_num_threads(int threads) __attribute__((weak));

void vg_lapack_one_thread(void)
{
    if (openblas_set_num_threads) openblas_set_num_threads(1);
}
