# WebAssembly with vectors of two numbers, from Debian's emscripten; run by node. Its archives are made by scripts/cross-deps.
include(/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake)
set(CROSS ${CMAKE_CURRENT_LIST_DIR}/../../build/cross/wasm)
list(PREPEND CMAKE_FIND_ROOT_PATH ${CROSS})
set(ENV{PKG_CONFIG_LIBDIR} ${CROSS}/lib/pkgconfig)
set(CMAKE_C_FLAGS_INIT "-msimd128 -Wno-unused-command-line-argument")
# the files of this machine, memory that grows
set(CMAKE_EXE_LINKER_FLAGS_INIT "-sNODERAWFS=1 -sALLOW_MEMORY_GROWTH=1 -sTOTAL_STACK=4194304 -sEXIT_RUNTIME=1")
set(VERGE_ARCHIVE_ONLY ON)
