# Installs headers, both libraries, the CMake package Verge (Verge::verge shared, Verge::static) and verge.pc.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(DIRECTORY include/verge DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DATADIR}/verge OPTIONAL)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(VERGE_LEVELS)
  set(ARCHIVE verge_static)
else()
  set(ARCHIVE verge_lib)
endif()
install(TARGETS ${ARCHIVE} verge_shared EXPORT VergeTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})

set(CONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Verge)
install(EXPORT VergeTargets NAMESPACE Verge:: DESTINATION ${CONFIG_DIR})
configure_package_config_file(cmake/VergeConfig.cmake.in ${PROJECT_BINARY_DIR}/VergeConfig.cmake
                              INSTALL_DESTINATION ${CONFIG_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/VergeConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/VergeConfig.cmake ${PROJECT_BINARY_DIR}/VergeConfigVersion.cmake
        DESTINATION ${CONFIG_DIR})

# The prefix is the place of the .pc file, so an installed tree can be moved.
file(RELATIVE_PATH PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" PC_PREFIX "${PC_PREFIX}")
string(REPLACE ";" " " PC_PRIVATE "${VERGE_DEP_LIBRARIES}")
string(REGEX REPLACE " (m|dl|pthread)" " -l\\1" PC_PRIVATE "${PC_PRIVATE}")
configure_file(cmake/verge.pc.in ${PROJECT_BINARY_DIR}/verge.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/verge.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
