# How everything is compiled.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_C_FLAGS_RELEASE "-O3")

add_compile_options(-Wall -Wextra -Wshadow -Wvla -Wpointer-arith -Wstrict-prototypes -Wmissing-prototypes)
# Compilers of other systems see uninitialised numbers where there are none.
if(NOT CMAKE_CROSSCOMPILING)
  add_compile_options(-Werror)
endif()
# The same bits for the same input: no contraction into fused operations, no reassociation.
add_compile_options(-ffp-contract=off -fno-math-errno -fno-semantic-interposition)
# Rooms link what they use and no more.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  add_link_options(-Wl,--as-needed)
endif()

add_compile_options(-Wno-psabi) # lanes are passed by value, inlined
if(VERGE_NATIVE)
  add_compile_options(-march=native)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    add_compile_options(-mno-fma -mno-avx512f) # for the reason of cmake/Levels.cmake
  endif()
endif()
if(VERGE_SANITIZE)
  # expectations at the seams (base/expect.h) are evaluated in dev builds only
  add_compile_definitions(VERGE_EXPECT=1)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -O1 -g1)
  add_link_options(-fsanitize=address,undefined)
endif()
if(VERGE_COVERAGE)
  add_compile_options(--coverage -O0)
  add_link_options(--coverage)
endif()
