add_library(yupana_options INTERFACE)
target_compile_options(
  yupana_options
  # -Wno-restrict: g++ 12 warns falsely about std::string concatenation (GCC bug 105651)
  INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall>
            $<$<COMPILE_LANGUAGE:CXX>:-Wextra>
            $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>
            # g++ 13 warns falsely of vectors of one number, and of digits that fmt copies in
            # format_dragon() (fmt/format.h, std::copy of its big numbers), wherever that is inlined.
            "$<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,13>>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>"
            # A struct instantiated as a class: Microsoft's names differ by it.
            $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-mismatched-tags>
            $<$<COMPILE_LANGUAGE:CXX>:-Wshadow>
            $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
            $<$<COMPILE_LANGUAGE:CXX>:-Werror>
            $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr -Werror=all-warnings -Xcompiler=-Wall,-Wextra,-Werror>)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  # Every Arm processor can fuse a product and a sum: results keep the bits that x86 gives them.
  # Highway's vectors have the extensions for cryptography, which no compiler uses by itself: without
  # them structs of vectors could not be made.
  target_compile_options(yupana_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>
                                                  $<$<COMPILE_LANGUAGE:CXX>:-march=armv8-a+crypto>)
endif()
if(YUPANA_CUDA)
  # Code for every architecture, a third as large as without.
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.8)
    set(compress --compress-mode=size)
  else()
    set(compress -Xfatbin=-compress-all)
  endif()
  target_compile_options(yupana_options INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:${compress}>)
endif()
# fmt 9 gives up constexpr under nvcc, which has long had it.
target_compile_definitions(yupana_options INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:FMT_USE_CONSTEXPR=1>)

# How an installed library finds what it is linked with: the lines of yupanaConfig.cmake, and the
# module of pkg-config. Libraries that are not named here are headers for the build alone.
set(YUPANA_FIND_fmt::fmt "find_dependency(fmt)")
set(YUPANA_PC_fmt::fmt fmt)
set(YUPANA_FIND_TBB::tbb "find_dependency(TBB)")
set(YUPANA_PC_TBB::tbb tbb)
set(YUPANA_FIND_ZLIB::ZLIB "find_dependency(ZLIB)")
set(YUPANA_PC_ZLIB::ZLIB zlib)
set(YUPANA_FIND_nlohmann_json::nlohmann_json "find_dependency(nlohmann_json)")
set(YUPANA_PC_nlohmann_json::nlohmann_json nlohmann_json)
set(YUPANA_FIND_CUDA::cudart_static "find_dependency(CUDAToolkit)")
foreach(module hwy=libhwy hwy_contrib=libhwy-contrib hts=htslib isal=libisal zstd=libzstd cairo=cairo fontconfig=fontconfig)
  string(REPLACE "=" ";" module ${module})
  list(GET module 0 name)
  list(GET module 1 pc)
  set(YUPANA_FIND_PkgConfig::${name}
      "find_dependency(PkgConfig)\npkg_check_modules(${name} REQUIRED IMPORTED_TARGET ${pc})")
  set(YUPANA_PC_PkgConfig::${name} ${pc})
endforeach()

# Reading headers is most of what compiling a source takes, so that sixteen of them are compiled as one.
# Not those that Highway compiles once for each processor.
function(yupana_compile_together target)
  if(NOT YUPANA_UNITY)
    return()
  endif()
  foreach(source ${ARGN})
    file(STRINGS ${source} alone REGEX "HWY_TARGET_INCLUDE")
    if(alone)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
  # g++ takes what a source includes for a header, whose nameless names none may use.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endfunction()

# Sources that include a header come first in their list, and so are compiled together: JSON's, and CLI11's, takes
# 3 s of each source by itself.
function(yupana_sort_by_header list header)
  set(sources ${${list}})
  foreach(source ${${list}})
    file(STRINGS ${source} includes REGEX "#include <${header}>")
    if(includes)
      list(REMOVE_ITEM sources ${source})
      list(APPEND first ${source})
    endif()
  endforeach()
  set(${list} ${first} ${sources} PARENT_SCOPE)
endfunction()

# yupana_family(name [PRIVATE] [APART] [USES lower families...] [LIBS libraries...] [HEADERS libraries...])
# One library from yupana/<name>/, static or, with BUILD_SHARED_LIBS, shared; *.cu only in CUDA
# builds. APART compiles each *_cpu.cpp by itself: its loops are so tight that what is before them in
# a file shows in their time. The word CUDA among LIBS links the CUDA runtime in such builds. HEADERS are needed to
# compile it, not to use it. Installed as the component <name> of find_package(yupana) and as
# yupana-<name> of pkg-config, but for PRIVATE ones.
function(yupana_family name)
  cmake_parse_arguments(arg "PRIVATE;APART" "" "USES;LIBS;HEADERS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/yupana/${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/plugin/")
  yupana_sort_by_header(sources nlohmann/json.hpp)
  if(YUPANA_CUDA)
    file(GLOB_RECURSE kernels CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/yupana/${name}/*.cu)
  endif()
  if(arg_PRIVATE)
    set(type STATIC)
  endif()
  add_library(yupana_${name} ${type} ${sources} ${kernels})
  if(arg_APART)
    set(apart ${sources})
    list(FILTER apart INCLUDE REGEX "_cpu.cpp$")
  endif()
  set_source_files_properties(${apart} ${kernels} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  yupana_compile_together(yupana_${name} ${sources})
  target_link_libraries(yupana_${name} PRIVATE $<BUILD_INTERFACE:yupana_options>)
  target_include_directories(yupana_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                                   $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  if("CUDA" IN_LIST arg_LIBS)
    list(REMOVE_ITEM arg_LIBS CUDA)
    if(YUPANA_CUDA)
      list(APPEND arg_LIBS CUDA::cudart_static)
      target_compile_definitions(yupana_${name} PUBLIC YUPANA_CUDA=1)
      # The same for pkg-config: what the headers' templates run on a GPU depends on it.
      set(device_definitions " -DYUPANA_CUDA=1 -I${CUDAToolkit_INCLUDE_DIRS}")
      set(device_libraries " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lrt -ldl -lpthread")
    endif()
  endif()
  foreach(lower ${arg_USES})
    target_link_libraries(yupana_${name} PUBLIC yupana_${lower})
  endforeach()
  target_link_libraries(yupana_${name} PUBLIC ${arg_LIBS})
  foreach(lib ${arg_HEADERS})
    target_link_libraries(yupana_${name} PUBLIC $<BUILD_INTERFACE:${lib}>)
  endforeach()
  if(NOT arg_PRIVATE)
    yupana_install_family(${name} "${arg_USES}" "${arg_LIBS}")
  endif()
endfunction()

# The library, its headers, its part of the CMake package and its pkg-config file.
function(yupana_install_family name uses libs)
  set_target_properties(yupana_${name} PROPERTIES EXPORT_NAME ${name} VERSION ${PROJECT_VERSION}
                                                  SOVERSION ${PROJECT_VERSION_MAJOR})
  install(TARGETS yupana_${name} EXPORT yupana-${name} COMPONENT library
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT yupana-${name} NAMESPACE yupana:: COMPONENT library
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/yupana)
  if(YUPANA_CUDA)
    set(device_headers PATTERN "*.cuh")
  endif()
  install(DIRECTORY yupana/${name} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/yupana COMPONENT library
          FILES_MATCHING PATTERN "*.hpp" ${device_headers} PATTERN "plugin" EXCLUDE PATTERN "page" EXCLUDE)

  string(APPEND config "set(yupana_uses_${name} ${uses})\nmacro(yupana_find_${name})\n")
  foreach(lower ${uses})
    list(APPEND modules yupana-${lower})
  endforeach()
  foreach(lib ${libs})
    string(APPEND config "${YUPANA_FIND_${lib}}\n")
    list(APPEND modules ${YUPANA_PC_${lib}})
  endforeach()
  string(APPEND config "endmacro()\n")
  set_property(GLOBAL APPEND PROPERTY YUPANA_COMPONENTS ${name})
  set_property(GLOBAL APPEND_STRING PROPERTY YUPANA_CONFIG "${config}")
  list(JOIN modules ", " modules)
  file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/yupana.pc.in
                 ${CMAKE_BINARY_DIR}/packages/yupana-${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/packages/yupana-${name}.pc COMPONENT library
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

# find_package(yupana COMPONENTS ...): called once all families are there.
function(yupana_install_package)
  get_property(components GLOBAL PROPERTY YUPANA_COMPONENTS)
  get_property(config GLOBAL PROPERTY YUPANA_CONFIG)
  include(CMakePackageConfigHelpers)
  configure_package_config_file(
    ${PROJECT_SOURCE_DIR}/cmake/yupanaConfig.cmake.in ${CMAKE_BINARY_DIR}/packages/yupanaConfig.cmake
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/yupana)
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/packages/yupanaConfigVersion.cmake
                                   COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_BINARY_DIR}/packages/yupanaConfig.cmake
                ${CMAKE_BINARY_DIR}/packages/yupanaConfigVersion.cmake COMPONENT library
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/yupana)
endfunction()

# yupana_instances(family template instances...)
# Adds to a family a copy of yupana/<family>/<template>.in for each instance, @instance@ replaced:
# instantiations that take long compile apart and in parallel. *.cu only in CUDA builds.
function(yupana_instances family template)
  get_filename_component(stem ${template} NAME_WE)
  get_filename_component(extension ${template} EXT)
  if(extension STREQUAL ".cu" AND NOT YUPANA_CUDA)
    return()
  endif()
  foreach(instance ${ARGN})
    string(MAKE_C_IDENTIFIER ${instance} suffix)
    set(path yupana/${family}/${stem}_${suffix}${extension})
    configure_file(${PROJECT_SOURCE_DIR}/yupana/${family}/${template}.in
                   ${PROJECT_BINARY_DIR}/instances/${path} @ONLY)
    target_sources(yupana_${family} PRIVATE ${PROJECT_BINARY_DIR}/instances/${path})
    set_source_files_properties(${PROJECT_BINARY_DIR}/instances/${path} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
  target_include_directories(yupana_${family} PRIVATE ${PROJECT_BINARY_DIR}/instances)
endfunction()
