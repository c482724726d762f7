# The man page and the completions of the program, and Debian packages of what is installed
# (make packages): yupana, the program; yupana-mpi, what mpirun needs; libyupana-dev, the library.
set(pages ${PROJECT_BINARY_DIR}/pages)
file(MAKE_DIRECTORY ${pages})
add_custom_command(
  OUTPUT ${pages}/yupana.1.gz ${pages}/yupana
  COMMAND yupana_cli man > ${pages}/yupana.1
  COMMAND gzip -9nf ${pages}/yupana.1
  COMMAND yupana_cli completion bash > ${pages}/yupana
  DEPENDS yupana_cli
  VERBATIM)
add_custom_target(yupana_pages ALL DEPENDS ${pages}/yupana.1.gz ${pages}/yupana)
install(FILES ${pages}/yupana.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
install(FILES ${pages}/yupana DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
foreach(part program=yupana mpi=yupana-mpi library=libyupana-dev)
  string(REPLACE "=" ";" part ${part})
  list(GET part 0 component)
  list(GET part 1 package)
  string(TOUPPER ${component} COMPONENT)
  set(CPACK_DEBIAN_${COMPONENT}_PACKAGE_NAME ${package})
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} RENAME copyright COMPONENT ${component})
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME yupana)
set(CPACK_PACKAGE_CONTACT "The yupana developers <yupana@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_OUTPUT_FILE_PREFIX ${PROJECT_SOURCE_DIR}/dist)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program library)
if(TARGET yupana_mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "Exact parallel algorithms for genomes and big tables")
set(CPACK_COMPONENT_MPI_DESCRIPTION "yupana under mpirun: several processes and machines")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "Exact parallel algorithms for genomes and big tables: headers and static libraries")
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "yupana (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS yupana-mpi)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS OFF)
# What the families are linked with (cmake/Families.cmake).
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS
    "libfmt-dev, libtbb-dev, libhwy-dev, libhts-dev, libisal-dev, libzstd-dev, zlib1g-dev, nlohmann-json3-dev, libcairo2-dev, pkg-config")
include(CPack)
