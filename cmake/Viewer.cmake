# The pages of `verge view` and `verge studio`: viewer/ bundled by esbuild into one HTML page each, compressed, and embedded in the library as C text.
# Needs node and the packages of viewer/package-lock.json, fetched once by npm. Without them the library builds all
# the same, with an empty page, and `verge view` says what is missing. The target verge_page is its object.
find_program(NODE_PROGRAM NAMES node nodejs)
find_program(NPM_PROGRAM NAMES npm)
set(VIEWER_DIR ${PROJECT_SOURCE_DIR}/viewer)
set(VIEWER_PAGE_C ${PROJECT_BINARY_DIR}/viewer/view_page.c)
set(VIEWER_ESBUILD ${VIEWER_DIR}/node_modules/esbuild/package.json)
set(VIEWER_BUNDLED ${VIEWER_DIR}/view_page.c) # in release archives (scripts/tarball): neither node nor network is needed

# npm writes down what it installed; when the list has changed since, it is fetched anew.
set(VIEWER_LOCK ${VIEWER_DIR}/package-lock.json)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${VIEWER_LOCK})
if(NOT EXISTS ${VIEWER_BUNDLED} AND NODE_PROGRAM AND NPM_PROGRAM AND (NOT EXISTS ${VIEWER_ESBUILD}
                                     OR ${VIEWER_LOCK} IS_NEWER_THAN ${VIEWER_DIR}/node_modules/.package-lock.json))
  message(STATUS "viewer: fetching its packages (npm ci)")
  execute_process(COMMAND ${NPM_PROGRAM} ci --no-audit --no-fund --loglevel=error --fetch-timeout=60000
                  WORKING_DIRECTORY ${VIEWER_DIR}
                  TIMEOUT 600 RESULT_VARIABLE npm_result OUTPUT_QUIET ERROR_VARIABLE npm_words)
  if(NOT npm_result STREQUAL "0")
    # half a package breaks the build later, and for good
    file(REMOVE_RECURSE ${VIEWER_DIR}/node_modules)
    string(STRIP "${npm_words}" npm_words)
    message(WARNING "viewer: npm ci failed (${npm_result}), the program will have no pages; "
                    "`cmake ${PROJECT_BINARY_DIR}` tries again. ${npm_words}")
  endif()
endif()

# The packages may come later: then the next build looks again.
file(GLOB VIEWER_PACKAGES CONFIGURE_DEPENDS ${VIEWER_DIR}/node_modules/*/package.json)
if(EXISTS ${VIEWER_BUNDLED})
  set(VIEWER_PAGE_C ${VIEWER_BUNDLED})
elseif(NODE_PROGRAM AND EXISTS ${VIEWER_ESBUILD})
  file(GLOB VIEWER_SOURCES CONFIGURE_DEPENDS ${VIEWER_DIR}/src/*)
  add_custom_command(
    OUTPUT ${VIEWER_PAGE_C}
    COMMAND ${NODE_PROGRAM} ${VIEWER_DIR}/build.mjs ${PROJECT_BINARY_DIR}/viewer
    DEPENDS ${VIEWER_SOURCES} ${VIEWER_DIR}/build.mjs ${VIEWER_DIR}/bundle.mjs ${VIEWER_DIR}/package-lock.json
    COMMENT "Bundling the viewer page"
    VERBATIM)
else()
  message(STATUS "viewer: no node or no packages; `verge view` will say so")
  file(CONFIGURE OUTPUT ${VIEWER_PAGE_C} CONTENT [=[
#include "io/view/view_page.h"

const vgPage vg_view_page = {NULL, 0, 0, 0}, vg_studio_page = {NULL, 0, 0, 0};
]=])
endif()
add_library(verge_page OBJECT ${VIEWER_PAGE_C})
target_include_directories(verge_page PRIVATE src)
set_target_properties(verge_page PROPERTIES POSITION_INDEPENDENT_CODE ON)

# Results files of known motions for the tests of the viewer.
if(VERGE_TESTS)
  add_executable(viewer_samples ${PROJECT_SOURCE_DIR}/tests/viewer/samples.c)
  target_include_directories(viewer_samples PRIVATE src)
  target_include_directories(viewer_samples SYSTEM PRIVATE ${VERGE_TEST_INCLUDES})
  target_compile_definitions(viewer_samples PRIVATE ${VERGE_DEFINITIONS})
  target_link_libraries(viewer_samples PRIVATE verge_lib ${VERGE_TEST_LIBRARIES})
  set_target_properties(viewer_samples PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
endif()
