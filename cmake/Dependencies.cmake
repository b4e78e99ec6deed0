# What Verge stands on. Sets VERGE_DEP_LIBRARIES, VERGE_DEP_INCLUDES, VERGE_DEFINITIONS for the library,
# VERGE_CLI_LIBRARIES, VERGE_CLI_INCLUDES, VERGE_CLI_DEFINITIONS for what only the program needs.
set(VERGE_DEFINITIONS _POSIX_C_SOURCE=200809L)
find_package(PkgConfig REQUIRED)

# Of SuiteSparse only KLU and what KLU needs (LGPL); the GPL parts are never linked, and a test looks.
find_path(KLU_INCLUDE klu.h PATH_SUFFIXES suitesparse REQUIRED)
foreach(name klu amd colamd btf suitesparseconfig)
  find_library(${name}_LIBRARY ${name} REQUIRED)
  list(APPEND VERGE_DEP_LIBRARIES ${${name}_LIBRARY})
endforeach()
list(APPEND VERGE_DEP_INCLUDES ${KLU_INCLUDE})

find_package(LAPACK REQUIRED)
list(APPEND VERGE_DEP_LIBRARIES ${LAPACK_LIBRARIES})

pkg_check_modules(YAML REQUIRED yaml-0.1)
list(APPEND VERGE_DEP_LIBRARIES ${YAML_LINK_LIBRARIES})
list(APPEND VERGE_DEP_INCLUDES ${YAML_INCLUDE_DIRS})

# Tests alone: the HDF5 library is the reference for what base/h5 reads and writes. Debian names the serial one apart
# from the MPI one; elsewhere CMake's own module finds it.
if(VERGE_TESTS)
  pkg_check_modules(HDF5_SERIAL QUIET hdf5-serial)
  if(HDF5_SERIAL_FOUND)
    set(VERGE_TEST_LIBRARIES ${HDF5_SERIAL_LINK_LIBRARIES})
    set(VERGE_TEST_INCLUDES ${HDF5_SERIAL_INCLUDE_DIRS})
  else()
    set(HDF5_PREFER_PARALLEL OFF)
    find_package(HDF5 REQUIRED COMPONENTS C)
    set(VERGE_TEST_LIBRARIES ${HDF5_C_LIBRARIES})
    set(VERGE_TEST_INCLUDES ${HDF5_INCLUDE_DIRS})
  endif()
  list(REMOVE_ITEM VERGE_TEST_INCLUDES /usr/include)
endif()

# SUNDIALS is optional: independent integrators to compare with.
find_path(SUNDIALS_INCLUDE ida/ida.h)
foreach(name ida cvode arkode nvecserial sunmatrixsparse sunmatrixdense sunlinsolklu sunlinsoldense)
  find_library(sundials_${name}_LIBRARY sundials_${name})
  if(NOT sundials_${name}_LIBRARY)
    set(SUNDIALS_INCLUDE SUNDIALS_INCLUDE-NOTFOUND)
  endif()
  list(APPEND SUNDIALS_LIBRARIES ${sundials_${name}_LIBRARY})
endforeach()
if(SUNDIALS_INCLUDE)
  list(APPEND VERGE_DEP_LIBRARIES ${SUNDIALS_LIBRARIES})
  list(APPEND VERGE_DEP_INCLUDES ${SUNDIALS_INCLUDE})
  list(APPEND VERGE_DEFINITIONS VERGE_HAVE_SUNDIALS=1)
endif()

# The program alone: cairo draws PNG and PDF, libmicrohttpd serves the studio. Without them it says what is missing.
pkg_check_modules(CAIRO QUIET cairo cairo-pdf)
if(CAIRO_FOUND)
  list(APPEND VERGE_CLI_LIBRARIES ${CAIRO_LINK_LIBRARIES})
  list(APPEND VERGE_CLI_INCLUDES ${CAIRO_INCLUDE_DIRS})
  list(APPEND VERGE_CLI_DEFINITIONS VERGE_HAVE_CAIRO=1)
endif()
pkg_check_modules(MICROHTTPD QUIET libmicrohttpd)
if(MICROHTTPD_FOUND)
  list(APPEND VERGE_CLI_LIBRARIES ${MICROHTTPD_LINK_LIBRARIES})
  list(APPEND VERGE_CLI_INCLUDES ${MICROHTTPD_INCLUDE_DIRS})
  list(APPEND VERGE_CLI_DEFINITIONS VERGE_HAVE_MICROHTTPD=1)
endif()

list(APPEND VERGE_DEP_LIBRARIES m)
list(REMOVE_DUPLICATES VERGE_DEP_LIBRARIES)
list(REMOVE_DUPLICATES VERGE_DEP_INCLUDES)
# A system directory given again as -isystem hides the compiler's own headers.
list(REMOVE_ITEM VERGE_DEP_INCLUDES /usr/include)
list(REMOVE_ITEM VERGE_CLI_INCLUDES /usr/include)
