# One program with every fuzz target, which replays their corpus with any compiler.
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/fuzz_*.cpp)
set(targets "")
set(together "")
foreach(source ${sources})
  get_filename_component(name ${source} NAME_WE)
  string(APPEND targets "TARGET(${name}) ")
  string(APPEND together "#define LLVMFuzzerTestOneInput ${name}\n#include \"${source}\"\n"
                         "#undef LLVMFuzzerTestOneInput\n")
endforeach()
# Compiled as one: most of each is its headers.
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/fuzz_targets.cpp CONTENT "${together}" @ONLY)
add_executable(replay_fuzz ${CMAKE_CURRENT_LIST_DIR}/replay.cpp ${CMAKE_CURRENT_BINARY_DIR}/fuzz_targets.cpp)
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/replay.cpp
                            PROPERTIES COMPILE_DEFINITIONS "YUPANA_FUZZ_TARGETS=${targets}")
target_link_libraries(replay_fuzz PRIVATE yupana_io yupana_forest yupana_genotype yupana_options)
add_test(NAME fuzz_corpus COMMAND replay_fuzz ${CMAKE_CURRENT_LIST_DIR}/corpus ${CMAKE_CURRENT_LIST_DIR}/seeds)
set_tests_properties(fuzz_corpus PROPERTIES TIMEOUT 1200)
