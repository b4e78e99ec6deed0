# Untested: an overlay port. Fill in URL and SHA512 of a release.
vcpkg_download_distfile(ARCHIVE URLS "URL-OF-THE-RELEASE/verge-${VERSION}.tar.xz"
                        FILENAME "verge-${VERSION}.tar.xz" SHA512 0)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${ARCHIVE}")
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS -DVERGE_TESTS=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME Verge CONFIG_PATH lib/cmake/Verge)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
