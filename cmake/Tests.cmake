# tests/<room>/test_*.c and tests/suite/every_*.c: one program each. tests/<room>/test_*.py: scripts that find
# the program, the build and the sources in VERGE_EXE, VERGE_BUILD_DIR and VERGE_SOURCE_DIR; they exit with 77 when
# they cannot run here (no browser, say). The limits of time only end what hangs: they are twenty times and more what
# the longest takes, also with sanitizers, so that a slow machine meets none of them.
file(GLOB TEST_SOURCES CONFIGURE_DEPENDS tests/*/test_*.c tests/suite/every_*.c)
# Long runs of beams, flexible bodies and published problems. They compare numbers, which the release build checks. With
# sanitizers they take minutes, and the same code is run there by every_*, test_modal, test_modal_files, test_flexible,
# test_flexible_settings, test_flexible_statics, the other test_beam_* and test_paper_z; Newton's iterations by every_pair and every_setting.
set(LONG_RUNS
    test_beam_stations
    test_benchmarks
    test_newton_order
    test_flexible_methods
    test_flexible_mesh
    test_flexible_orders
    test_flexible_tree
    test_iftomm
    test_modal_dynamics
    test_modal_runs
    test_paper_g
    test_paper_h
    test_paper_models)
# Some 200 programs are linked: a quicker linker where there is one. What users get is linked by the compiler's own.
include(CheckLinkerFlag)
foreach(linker lld gold)
  if(NOT VERGE_TEST_LINKER)
    check_linker_flag(C -fuse-ld=${linker} VERGE_LINKS_BY_${linker})
    if(VERGE_LINKS_BY_${linker})
      set(VERGE_TEST_LINKER -fuse-ld=${linker})
    endif()
  endif()
endforeach()
foreach(source ${TEST_SOURCES})
  get_filename_component(name ${source} NAME_WE)
  if(name IN_LIST LONG_RUNS AND VERGE_SANITIZE)
    continue()
  endif()
  add_executable(${name} ${source})
  target_include_directories(${name} PRIVATE src tests)
  target_include_directories(${name} SYSTEM PRIVATE ${VERGE_DEP_INCLUDES} ${VERGE_TEST_INCLUDES})
  target_compile_definitions(${name} PRIVATE ${VERGE_DEFINITIONS} VERGE_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                             VERGE_BUILD_DIR="${PROJECT_BINARY_DIR}")
  # Tests run once and are compiled often. Their data of the library are the library's own, not copies (-fPIC).
  if(VERGE_SANITIZE)
    target_compile_options(${name} PRIVATE -O0 -fPIC)
  else()
    target_compile_options(${name} PRIVATE -O1)
  endif()
  if(name STREQUAL "test_fuzz_corpus") # command lines, requests and datagrams too
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:verge_cli>)
    target_compile_definitions(${name} PRIVATE _GNU_SOURCE=1)
  endif()
  target_link_libraries(${name} PRIVATE verge_lib ${VERGE_TEST_LIBRARIES} ${VERGE_CLI_LIBRARIES})
  target_link_options(${name} PRIVATE ${VERGE_TEST_LINKER})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name})
  # eight frames of where memory was taken are enough to find the place, and a tenth of the time less than thirty
  set_tests_properties(${name} PROPERTIES TIMEOUT 900 ENVIRONMENT "ASAN_OPTIONS=malloc_context_size=8")
endforeach()

# The commands of the program, a fork for each case: what scripts/differential feeds.
if(TARGET verge_cli)
  add_executable(differential_cases tests/differential/cases.c $<TARGET_OBJECTS:verge_cli>)
  target_include_directories(differential_cases PRIVATE src)
  target_compile_definitions(differential_cases PRIVATE ${VERGE_DEFINITIONS} ${VERGE_CLI_DEFINITIONS} _DEFAULT_SOURCE=1)
  target_link_libraries(differential_cases PRIVATE verge_lib ${VERGE_CLI_LIBRARIES})
  set_target_properties(differential_cases PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
endif()

# Calls that fail, for tests/cli/test_faults.py; a sanitizer has an allocator of its own.
if(NOT VERGE_SANITIZE)
  add_library(fail_calls MODULE tests/cli/fail_calls.c)
  target_link_libraries(fail_calls PRIVATE dl)
  set_target_properties(fail_calls PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
endif()

find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(EXE $<TARGET_FILE:verge>)
file(GLOB TEST_SCRIPTS CONFIGURE_DEPENDS tests/*/test_*.py)
foreach(script ${TEST_SCRIPTS})
  get_filename_component(name ${script} NAME_WE)
  # Installing makes sense only for a build that users would install.
  if(script MATCHES "/tests/install/" AND NOT TARGET verge_shared)
    continue()
  endif()
  # An interpreter without sanitizers cannot load an extension with them. Nor does how the sources look or what the site says depend on the build. Random mechanisms and files of strangers run under a limit of
  # memory, which sanitizers do not bear.
  # The verdicts over all outputs, and long runs of wheels and gears in all dials, take minutes with them; test_silent, test_cli,
  # every_setting and every_start run the same code. Advice has a budget of processor time. Certificates, default dials, estimates of errors, experiments of papers, the schema
  # and the guide's snippets, and sweeps of the program, are computed by what test_verify, test_api_verify, test_studies, test_cli and the suites run with them.
  if(script MATCHES "/tests/style/|/tests/python/|/test_site.py|/tests/differential/|/test_defects_(advise|watch|redundant|projections|defaults|estimate|energy|charts|rows|numbers).py|/test_(strangers|sweep_cli|verify_cli|schema|guide|reproduce|shipped_quiet).py" AND VERGE_SANITIZE)
    continue()
  endif()
  add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} -B ${script})
  # scripts take longest: CTest starts what costs most first, so that no core waits for the last of them
  set_tests_properties(
    ${name}
    PROPERTIES TIMEOUT 1200
               COST 10
               SKIP_RETURN_CODE 77
               ENVIRONMENT
               "VERGE_EXE=${EXE};VERGE_BUILD_DIR=${PROJECT_BINARY_DIR};VERGE_SOURCE_DIR=${PROJECT_SOURCE_DIR};PYTHONUTF8=1;ASAN_OPTIONS=malloc_context_size=8;CMAKE_COMMAND=${CMAKE_COMMAND};LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/lsan.supp:print_suppressions=0"
  )
endforeach()
