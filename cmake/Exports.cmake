# The shared library shows the functions of the public headers and nothing else: what users cannot call cannot break them.
file(GLOB PUBLIC_HEADERS CONFIGURE_DEPENDS include/verge/*.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PUBLIC_HEADERS})
set(EXPORTS)
set(EXPORTED)
foreach(header ${PUBLIC_HEADERS})
  file(STRINGS ${header} declarations REGEX "^[a-z].*[ *]vg_[a-z0-9_]+\\(")
  foreach(declaration ${declarations})
    string(REGEX MATCH "vg_[a-z0-9_]+" name "${declaration}")
    string(APPEND EXPORTS "    ${name};\n")
    list(APPEND EXPORTED ${name})
  endforeach()
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/verge.map CONTENT "{\n  global:\n${EXPORTS}  local:\n    *;\n};\n" @ONLY)

# With two levels of code (Levels.cmake) each function is chosen by the loader.
set(CHOOSE "/* Written by Exports.cmake. */\n#include \"base/level.h\"\n")
foreach(name ${EXPORTED})
  string(APPEND CHOOSE "\nvoid ${name}_v2(void), ${name}_v3(void), ${name}(void);\n"
         "static void (*choose_${name}(void))(void)\n{\n    return vg_level_v3() ? ${name}_v3 : ${name}_v2;\n}\n"
         "void ${name}(void) __attribute__((ifunc(\"choose_${name}\")));\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/levels/choose.c CONTENT "${CHOOSE}" @ONLY)
