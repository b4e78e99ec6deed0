# WebAssembly with vectors of two numbers, from Debian's emscripten; run by node. Its archives are made by scripts/cross-deps.
# -DVERGE_WASM_PLAIN=ON goes without the vectors, for browsers that do not know them.
include(/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake)
set(CROSS ${CMAKE_CURRENT_LIST_DIR}/../../build/cross/wasm)
list(PREPEND CMAKE_FIND_ROOT_PATH ${CROSS})
set(ENV{PKG_CONFIG_LIBDIR} ${CROSS}/lib/pkgconfig)
set(CMAKE_C_FLAGS_INIT "-Wno-unused-command-line-argument")
if(NOT VERGE_WASM_PLAIN)
  string(APPEND CMAKE_C_FLAGS_INIT " -msimd128")
endif()
# memory that grows
set(CMAKE_EXE_LINKER_FLAGS_INIT "-sALLOW_MEMORY_GROWTH=1 -sTOTAL_STACK=4194304")
set(VERGE_ARCHIVE_ONLY ON)
# emcc's own scripts find Debian's packages for node also where node is not Debian's
set_property(GLOBAL PROPERTY RULE_LAUNCH_LINK "env NODE_PATH=/usr/share/nodejs")
