# What Verge stands on.
#   VERGE_DEP_*    the library: small static archives, the C library and libm
#   VERGE_PART_*   loaded when first needed (base/part/part.h); VERGE_LINK_PARTS links them instead
#   VERGE_CLI_*    the program alone
#   VERGE_TEST_*   tests and benchmarks: independent references
# each with _LIBRARIES, _INCLUDES, _DEFINITIONS.
option(VERGE_LINK_PARTS "Link SUNDIALS, cairo, libmicrohttpd and NLopt instead of loading them" OFF)
set(VERGE_DEFINITIONS _POSIX_C_SOURCE=200809L)
find_package(PkgConfig REQUIRED)
if(NOT EMSCRIPTEN) # there pthread_create() fails, and all work is done by one thread
  find_package(Threads REQUIRED)
endif()
if(VERGE_LINK_PARTS)
  list(APPEND VERGE_DEFINITIONS VERGE_LINK_PARTS=1)
endif()

# Archives where there are any: nothing to load at the start.
function(find_archive variable name)
  find_library(${variable} NAMES lib${name}.a ${name} REQUIRED)
endfunction()

# The names by which the system finds libraries at run time, as a C list: "libcairo.so.2",…
function(sonames variable)
  set(names)
  foreach(library ${ARGN})
    execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${library} OUTPUT_VARIABLE head ERROR_QUIET)
    if(head MATCHES "SONAME +([^ \n]+)")
      list(APPEND names "\"${CMAKE_MATCH_1}\"")
    endif()
  endforeach()
  list(JOIN names "," names)
  set(${variable} "${names}" PARENT_SCOPE)
endfunction()

# AMD (BSD) orders the sparse factorisations. Of SuiteSparse nothing else is linked to the library.
find_path(AMD_INCLUDE amd.h PATH_SUFFIXES suitesparse REQUIRED)
find_archive(AMD_LIBRARY amd)
find_archive(SUITESPARSECONFIG_LIBRARY suitesparseconfig)
find_path(YAML_INCLUDE yaml.h REQUIRED)
find_archive(YAML_LIBRARY yaml)
list(APPEND VERGE_DEP_LIBRARIES ${AMD_LIBRARY} ${SUITESPARSECONFIG_LIBRARY} ${YAML_LIBRARY})
list(APPEND VERGE_DEP_INCLUDES ${AMD_INCLUDE} ${YAML_INCLUDE})

# LAPACK and KLU (LGPL) are what tests and benchmarks compare with.
if(VERGE_TESTS OR VERGE_BENCH)
  foreach(name klu colamd btf)
    find_library(${name}_LIBRARY ${name} REQUIRED)
    list(APPEND VERGE_TEST_LIBRARIES ${${name}_LIBRARY})
  endforeach()
  find_package(LAPACK REQUIRED)
  list(APPEND VERGE_TEST_LIBRARIES ${LAPACK_LIBRARIES})
endif()

# Tests alone: the HDF5 library is the reference for what base/h5 reads and writes. Debian names the serial one apart
# from the MPI one; elsewhere CMake's own module finds it.
if(VERGE_TESTS)
  pkg_check_modules(HDF5_SERIAL QUIET hdf5-serial)
  if(HDF5_SERIAL_FOUND)
    list(APPEND VERGE_TEST_LIBRARIES ${HDF5_SERIAL_LINK_LIBRARIES})
    list(APPEND VERGE_TEST_INCLUDES ${HDF5_SERIAL_INCLUDE_DIRS})
  else()
    set(HDF5_PREFER_PARALLEL OFF)
    find_package(HDF5 REQUIRED COMPONENTS C)
    list(APPEND VERGE_TEST_LIBRARIES ${HDF5_C_LIBRARIES})
    list(APPEND VERGE_TEST_INCLUDES ${HDF5_INCLUDE_DIRS})
  endif()
  list(REMOVE_ITEM VERGE_TEST_INCLUDES /usr/include)
endif()

# SUNDIALS is optional: independent integrators to compare with.
find_path(SUNDIALS_INCLUDE ida/ida.h)
foreach(name ida cvode arkode nvecserial sunmatrixdense sunlinsoldense)
  find_library(sundials_${name}_LIBRARY sundials_${name})
  if(NOT sundials_${name}_LIBRARY)
    set(SUNDIALS_INCLUDE SUNDIALS_INCLUDE-NOTFOUND)
  endif()
  list(APPEND SUNDIALS_LIBRARIES ${sundials_${name}_LIBRARY})
endforeach()
if(SUNDIALS_INCLUDE)
  sonames(files ${SUNDIALS_LIBRARIES})
  list(APPEND VERGE_PART_LIBRARIES ${SUNDIALS_LIBRARIES})
  list(APPEND VERGE_DEP_INCLUDES ${SUNDIALS_INCLUDE})
  list(APPEND VERGE_DEFINITIONS VERGE_HAVE_SUNDIALS=1 "VERGE_SUNDIALS_FILES=${files}")
endif()

if(NOT WIN32) # sockets and clocks of POSIX: the studio and real-time runs
  list(APPEND VERGE_CLI_DEFINITIONS VERGE_HAVE_SOCKETS=1)
endif()

# The program alone: cairo draws PNG and PDF, libmicrohttpd serves the studio, NLopt (LGPL) optimises. Without them it
# says what is missing.
pkg_check_modules(CAIRO QUIET cairo cairo-pdf)
if(CAIRO_FOUND)
  sonames(files ${CAIRO_LINK_LIBRARIES})
  list(APPEND VERGE_CLI_PART_LIBRARIES ${CAIRO_LINK_LIBRARIES})
  list(APPEND VERGE_CLI_INCLUDES ${CAIRO_INCLUDE_DIRS})
  list(APPEND VERGE_CLI_DEFINITIONS VERGE_HAVE_CAIRO=1 "VERGE_CAIRO_FILES=${files}")
endif()
pkg_check_modules(MICROHTTPD QUIET libmicrohttpd)
if(MICROHTTPD_FOUND)
  sonames(files ${MICROHTTPD_LINK_LIBRARIES})
  list(APPEND VERGE_CLI_PART_LIBRARIES ${MICROHTTPD_LINK_LIBRARIES})
  list(APPEND VERGE_CLI_INCLUDES ${MICROHTTPD_INCLUDE_DIRS})
  list(APPEND VERGE_CLI_DEFINITIONS VERGE_HAVE_MICROHTTPD=1 "VERGE_MICROHTTPD_FILES=${files}")
endif()
pkg_check_modules(NLOPT QUIET nlopt)
if(NLOPT_FOUND)
  sonames(files ${NLOPT_LINK_LIBRARIES})
  list(APPEND VERGE_CLI_PART_LIBRARIES ${NLOPT_LINK_LIBRARIES})
  list(APPEND VERGE_CLI_INCLUDES ${NLOPT_INCLUDE_DIRS})
  list(APPEND VERGE_CLI_DEFINITIONS VERGE_HAVE_NLOPT=1 "VERGE_NLOPT_FILES=${files}")
endif()
if(VERGE_LINK_PARTS)
  list(APPEND VERGE_DEP_LIBRARIES ${VERGE_PART_LIBRARIES})
  list(APPEND VERGE_CLI_LIBRARIES ${VERGE_CLI_PART_LIBRARIES})
endif()

list(APPEND VERGE_DEP_LIBRARIES ${CMAKE_THREAD_LIBS_INIT} ${CMAKE_DL_LIBS} m)
list(REMOVE_DUPLICATES VERGE_DEP_LIBRARIES)
list(REMOVE_DUPLICATES VERGE_DEP_INCLUDES)
# A system directory given again as -isystem hides the compiler's own headers.
list(REMOVE_ITEM VERGE_DEP_INCLUDES /usr/include)
list(REMOVE_ITEM VERGE_CLI_INCLUDES /usr/include)
