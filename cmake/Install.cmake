# Installs headers, both libraries, the CMake package Verge (Verge::verge shared, Verge::static) and verge.pc.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(DIRECTORY include/verge DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DATADIR}/verge OPTIONAL)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(VERGE_JOINED)
  set(ARCHIVE verge_static)
else()
  set(ARCHIVE verge_lib)
endif()
install(TARGETS ${ARCHIVE} verge_shared verge_core EXPORT VergeTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})

# The manual page and the completions of shells, written by the program that is installed (not when it is of another machine).
if(NOT CMAKE_CROSSCOMPILING)
  foreach(page "doc man|share/man/man1|verge.1" "completion bash|share/bash-completion/completions|verge"
               "completion zsh|share/zsh/site-functions|_verge" "completion fish|share/fish/vendor_completions.d|verge.fish"
               "schema|share/verge|verge.schema.json")
    string(REPLACE "|" ";" page "${page}")
    list(GET page 0 words)
    list(GET page 1 folder)
    list(GET page 2 file)
    string(REPLACE " " ";" words "${words}")
    install(CODE "file(MAKE_DIRECTORY \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${folder}\")
      execute_process(COMMAND \"${PROJECT_BINARY_DIR}/verge\" ${words}
        OUTPUT_FILE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${folder}/${file}\" COMMAND_ERROR_IS_FATAL ANY)")
  endforeach()
endif()

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
set(PC_DESCRIPTION "Multibody dynamics engine")
set(PC_LIBS "-lverge\nLibs.private: ${PC_PRIVATE}")
configure_file(cmake/verge.pc.in ${PROJECT_BINARY_DIR}/verge.pc @ONLY)
set(PC_DESCRIPTION "Multibody dynamics engine: the core as an archive")
set(PC_LIBS "-lverge-core ${PC_PRIVATE}")
configure_file(cmake/verge.pc.in ${PROJECT_BINARY_DIR}/verge-core.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/verge.pc ${PROJECT_BINARY_DIR}/verge-core.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
