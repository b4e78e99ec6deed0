/* Systems that FMUs have binaries for, by the names of the standards. */
#ifndef VG_BASE_FMI_PLATFORM_H
#define VG_BASE_FMI_PLATFORM_H

typedef struct vgFmiPlatform {
    const char *tuple;   /* FMI 3.0: architecture and system, a folder of binaries/ */
    const char *old;     /* that folder in FMI 2.0, where it has a name of its own; NULL: the tuple */
    const char *library; /* ending of a shared library */
    const char *words;
    const char *lacks; /* the same, of an FMU that has no binary for it */
} vgFmiPlatform;

/* Ends with tuple NULL. */
extern const vgFmiPlatform vg_fmi_platforms[];

/* By its tuple; NULL: not known. */
const vgFmiPlatform *vg_fmi_platform(const char *tuple, int length);
/* The one of this program; NULL: it has no name in the standards. */
const vgFmiPlatform *vg_fmi_here(void);
/* Its folder below binaries/. */
const char *vg_fmi_folder(const vgFmiPlatform *p, int version);

#endif
