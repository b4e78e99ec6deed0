# The page of `verge view`: viewer/ bundled by esbuild into one HTML page and embedded in the library as C text.
# Needs node and viewer/node_modules (npm ci). Without them the library builds all the same, with an empty page,
# and `verge view` says what is missing.
find_program(NODE_PROGRAM NAMES node nodejs)
set(VIEWER_DIR ${CMAKE_SOURCE_DIR}/viewer)
set(VIEWER_PAGE_C ${CMAKE_BINARY_DIR}/viewer/view_page.c)
if(NODE_PROGRAM AND EXISTS ${VIEWER_DIR}/node_modules/esbuild AND EXISTS ${VIEWER_DIR}/node_modules/three
   AND EXISTS ${VIEWER_DIR}/node_modules/uplot)
  set(VERGE_HAVE_VIEWER ON)
  file(GLOB VIEWER_SOURCES CONFIGURE_DEPENDS ${VIEWER_DIR}/src/*)
  add_custom_command(
    OUTPUT ${VIEWER_PAGE_C}
    COMMAND ${NODE_PROGRAM} ${VIEWER_DIR}/build.mjs ${CMAKE_BINARY_DIR}/viewer
    DEPENDS ${VIEWER_SOURCES} ${VIEWER_DIR}/build.mjs ${VIEWER_DIR}/package-lock.json
    COMMENT "Bundling the viewer page"
    VERBATIM)
else()
  set(VERGE_HAVE_VIEWER OFF)
  message(STATUS "viewer: node or viewer/node_modules is missing; `verge view` will say so")
  file(WRITE ${VIEWER_PAGE_C}.empty
       "#include \"io/view_page.h\"\n\nconst char vg_view_page_before[] = \"\", vg_view_page_after[] = \"\";\n"
       "const size_t vg_view_page_before_size = 0, vg_view_page_after_size = 0;\n")
  configure_file(${VIEWER_PAGE_C}.empty ${VIEWER_PAGE_C} COPYONLY)
endif()
