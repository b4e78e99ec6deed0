# 64-bit ARM on Linux, from Debian's cross compiler; run by qemu-aarch64. Its archives are made by scripts/cross-deps.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CROSS ${CMAKE_CURRENT_LIST_DIR}/../../build/cross/aarch64)
set(CMAKE_FIND_ROOT_PATH ${CROSS} /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# nothing of this machine by pkg-config
set(ENV{PKG_CONFIG_LIBDIR} ${CROSS}/lib/pkgconfig)
