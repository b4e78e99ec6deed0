# One binary for all x86-64 processors. What runs in steps is compiled twice, for x86-64-v2 (2009) and for x86-64-v3
# (AVX2, 2013); program and libraries hold both and choose at the start. Both give the same bits (scripts/same-bits).
#
# A level's objects are linked into one with those that all levels share, its symbols become local but for the few that
# are called from outside, which get the level's name: two copies live side by side without knowing of each other.
#
# Tests and benchmarks link verge_lib: one level, the one that this machine would take.
#
#   VERGE_LEVELS   names of the levels; one level (one) where nothing is to be chosen
#   VERGE_HERE     the level of this machine
#   VERGE_JOINED   program and libraries hold several levels
#   VERGE_HOT      which sources run in steps
#   VERGE_FLAGS_*  flags of a level; VERGE_FLAGS_cold of the sources that all levels share, VERGE_FLAGS_brief of the programs
set(VERGE_LEVELS one)
set(VERGE_HERE one)
set(VERGE_JOINED OFF)
# Most sources do not run in steps: as small as the compiler can make them they take a tenth less room and one or two in a hundred more
# instructions (models, set-up).
set(VERGE_FLAGS_cold)
if(VERGE_SMALL AND CMAKE_BUILD_TYPE STREQUAL "Release")
  set(VERGE_FLAGS_cold -Os)
endif()
# Types of four numbers side by side are passed in other registers where there is AVX: no source outside these may know
# them (tests/cli/test_levels.py).
set(VERGE_HOT "/src/(math|linalg|element|system|integrator)/|/src/base/libm/|/src/analysis/run/")
if(NOT VERGE_SANITIZE AND NOT VERGE_COVERAGE AND NOT VERGE_NATIVE AND NOT VERGE_ONE_LEVEL
   AND CMAKE_SYSTEM_NAME STREQUAL "Linux" AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND CMAKE_OBJCOPY
   AND NOT CMAKE_C_FLAGS MATCHES "-march")
  set(VERGE_JOINED ON)
  set(VERGE_LEVELS v2 v3)
  # gcc 12 makes vfmaddsub of a product and a sum in spite of -ffp-contract=off: v3 goes without fused operations.
  set(VERGE_FLAGS_v3 -march=x86-64-v3 -mno-fma)
  # -O3 takes longer to compile and is for what most processors run.
  set(VERGE_FLAGS_v2 -march=x86-64-v2 -O2)
  list(APPEND VERGE_FLAGS_cold -march=x86-64-v2)
  set(VERGE_HERE v2)
  file(READ /proc/cpuinfo cpu)
  if(cpu MATCHES " avx2 " AND cpu MATCHES " bmi2 " AND cpu MATCHES " movbe ")
    set(VERGE_HERE v3)
  endif()
endif()

if(VERGE_SANITIZE)
  # In the numerics these three checks of every pointer take a third to a half of the time of compiling and running. A null
  # pointer or one out of bounds that is used is found by the address sanitizer all the same. `make test-all` has all checks.
  set(FEWER -fno-sanitize=null,alignment,pointer-overflow)
  if(VERGE_SANITIZE_ALL)
    set(FEWER)
  endif()
  set(VERGE_FLAGS_one ${FEWER})
  # The programs, models, results and FMUs run briefly: without optimisation they are compiled in a third of the time.
  # sweep_run.c is one function for every kind of joint, 15 s at -O1.
  set(VERGE_FLAGS_brief -O0)
  foreach(source ${LIB_SOURCES})
    if(source MATCHES "/src/(model|io|fmi)/|/sweep_run.c$")
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS -O0)
    elseif(source MATCHES "/src/analysis/" AND NOT source MATCHES "${VERGE_HOT}")
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${FEWER}")
    endif()
  endforeach()
else()
  set(VERGE_FLAGS_brief ${VERGE_FLAGS_cold})
endif()

# Links the objects of targets (ARGN) into ${output}, in which the symbols of the file ${keep} have the level's name
# behind them and all others are local. Without a level they keep their names, and what no linker needs is left out.
function(level_object output level keep)
  set(objects)
  set(finish ${CMAKE_OBJCOPY} --redefine-syms=${keep}.${level})
  if(level STREQUAL "")
    set(finish ${CMAKE_OBJCOPY} --strip-unneeded --remove-section=.eh_frame --remove-section=.rela.eh_frame)
  endif()
  foreach(target ${ARGN})
    list(APPEND objects $<TARGET_OBJECTS:${target}>)
  endforeach()
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -o ${output}.all ${objects}
    COMMAND ${CMAKE_OBJCOPY} --keep-global-symbols=${keep} ${output}.all
    COMMAND ${finish} ${output}.all ${output}
    COMMAND ${CMAKE_COMMAND} -E rm ${output}.all
    DEPENDS ${ARGN} ${objects} ${keep}
    COMMAND_EXPAND_LISTS VERBATIM
    COMMENT "Joining ${output}")
endfunction()

# The lists for level_object: names, and what they become.
function(level_names keep)
  set(text)
  foreach(name ${ARGN})
    string(APPEND text "${name}\n")
  endforeach()
  file(CONFIGURE OUTPUT ${keep} CONTENT "${text}" @ONLY)
  foreach(level ${VERGE_LEVELS})
    set(text)
    foreach(name ${ARGN})
      string(APPEND text "${name} ${name}_${level}\n")
    endforeach()
    file(CONFIGURE OUTPUT ${keep}.${level} CONTENT "${text}" @ONLY)
  endforeach()
endfunction()
