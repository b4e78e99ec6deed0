# verge-fmu.so: what `verge fmu` puts into FMUs. It shows the functions of the standard and nothing else, so that FMUs of
# several versions of Verge can be loaded side by side. It stands on the core. Builds for other systems
# (cmake/cross) make the binaries of theirs.
add_library(verge_fmu MODULE ${FMU_SOURCES} $<FILTER:$<TARGET_OBJECTS:verge_cold_above>,INCLUDE,/fmi/> ${CORE_OBJECTS})
target_compile_options(verge_fmu PRIVATE ${VERGE_FLAGS_cold})
verge_sources(verge_fmu)
target_link_libraries(verge_fmu PRIVATE ${VERGE_DEP_LIBRARIES})
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/fmu.map CONTENT "{\n  global:\n    fmi2*;\n    fmi3*;\n  local:\n    *;\n};\n")
# what the standard does not call is left out
target_link_options(verge_fmu PRIVATE -Wl,--version-script=${PROJECT_BINARY_DIR}/fmu.map -Wl,--gc-sections)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  target_link_options(verge_fmu PRIVATE -s)
endif()
set_target_properties(verge_fmu PROPERTIES OUTPUT_NAME verge-fmu PREFIX "" LINK_DEPENDS ${PROJECT_BINARY_DIR}/fmu.map)
