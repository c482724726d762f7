add_library(yupana_options INTERFACE)
target_compile_options(
  yupana_options
  # -Wno-restrict: g++ 12 warns falsely about std::string concatenation (GCC bug 105651)
  INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall>
            $<$<COMPILE_LANGUAGE:CXX>:-Wextra>
            $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>
            $<$<COMPILE_LANGUAGE:CXX>:-Wshadow>
            $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
            $<$<COMPILE_LANGUAGE:CXX>:-Werror>
            $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr -Werror=all-warnings -Xcompiler=-Wall,-Wextra,-Werror>)
# fmt 9 gives up constexpr under nvcc, which has long had it.
target_compile_definitions(yupana_options INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:FMT_USE_CONSTEXPR=1>)

# yupana_family(name [USES lower families...] [LIBS libraries...])
# One static library from yupana/<name>/; *.cu only in CUDA builds. The word CUDA among LIBS links
# the CUDA runtime in such builds.
function(yupana_family name)
  cmake_parse_arguments(arg "" "" "USES;LIBS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/yupana/${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/plugin/")
  if(YUPANA_CUDA)
    file(GLOB_RECURSE kernels CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/yupana/${name}/*.cu)
  endif()
  if(sources OR kernels)
    add_library(yupana_${name} STATIC ${sources} ${kernels})
    set(scope PUBLIC)
    target_link_libraries(yupana_${name} PRIVATE yupana_options)
  else()
    add_library(yupana_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(yupana_${name} ${scope} ${PROJECT_SOURCE_DIR})
  foreach(lower ${arg_USES})
    target_link_libraries(yupana_${name} ${scope} yupana_${lower})
  endforeach()
  foreach(lib ${arg_LIBS})
    if(lib STREQUAL "CUDA")
      if(YUPANA_CUDA)
        target_link_libraries(yupana_${name} ${scope} CUDA::cudart_static)
        target_compile_definitions(yupana_${name} ${scope} YUPANA_CUDA=1)
      endif()
    else()
      target_link_libraries(yupana_${name} ${scope} ${lib})
    endif()
  endforeach()
endfunction()
