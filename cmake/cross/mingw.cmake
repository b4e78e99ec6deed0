# 64-bit Windows, from Debian's mingw-w64; run by wine. Its archives are made by scripts/cross-deps.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc)
set(CROSS ${CMAKE_CURRENT_LIST_DIR}/../../build/cross/mingw)
set(CMAKE_FIND_ROOT_PATH ${CROSS} /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# nothing of this machine by pkg-config
set(ENV{PKG_CONFIG_LIBDIR} ${CROSS}/lib/pkgconfig)
# printf and strtod of C17, files above 2 GB; one file without libraries beside it
set(CMAKE_C_FLAGS_INIT "-D__USE_MINGW_ANSI_STDIO=1 -D_FILE_OFFSET_BITS=64 -DYAML_DECLARE_STATIC")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static")
set(CMAKE_MODULE_LINKER_FLAGS_INIT "-static")
