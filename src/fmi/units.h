/* Units of channels ("N*m/rad", "m/s^2") as products of powers of SI units, as FMI defines them. */
#ifndef VG_FMI_UNITS_H
#define VG_FMI_UNITS_H

#include "base/text.h"

/* Attributes of FMI's BaseUnit: kg="1" m="2" s="-2". 0: there is a symbol that is not known. */
int vg_fmu_unit(const char *unit, vgText *attributes);

#endif
