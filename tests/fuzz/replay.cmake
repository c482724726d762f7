# One program with every fuzz target, which replays their corpus with any compiler.
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/fuzz_*.cpp)
set(targets "")
foreach(source ${sources})
  get_filename_component(name ${source} NAME_WE)
  string(APPEND targets "TARGET(${name}) ")
  set_source_files_properties(${source} PROPERTIES COMPILE_DEFINITIONS LLVMFuzzerTestOneInput=${name})
endforeach()
add_executable(replay_fuzz ${CMAKE_CURRENT_LIST_DIR}/replay.cpp ${sources})
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/replay.cpp
                            PROPERTIES COMPILE_DEFINITIONS "YUPANA_FUZZ_TARGETS=${targets}")
target_link_libraries(replay_fuzz PRIVATE yupana_io yupana_forest yupana_genotype yupana_options)
add_test(NAME fuzz_corpus COMMAND replay_fuzz ${CMAKE_CURRENT_LIST_DIR}/corpus ${CMAKE_CURRENT_LIST_DIR}/seeds)
set_tests_properties(fuzz_corpus PROPERTIES TIMEOUT 1200)
