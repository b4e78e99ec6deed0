/* HDF5 prints its error stack unless told otherwise; what it was told is put back on the way out. */
#ifndef VG_BASE_H5_QUIET_H
#define VG_BASE_H5_QUIET_H

#include <hdf5.h>

typedef struct vgH5Quiet {
    H5E_auto2_t print;
    void *user;
} vgH5Quiet;

static inline vgH5Quiet vg_h5_quiet_begin(void)
{
    vgH5Quiet q = {0};
    H5Eget_auto2(H5E_DEFAULT, &q.print, &q.user);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return q;
}

static inline void vg_h5_quiet_end(vgH5Quiet q)
{
    H5Eset_auto2(H5E_DEFAULT, q.print, q.user);
}

#endif
