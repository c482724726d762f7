# The GPUs that device code is compiled for: this machine's own, or Hopper where there is none, and
# for all others the PTX of compute capability 8.0, which the driver compiles when it is first used.
# Hopper is 90a: its warp-group instructions are in no other code.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  execute_process(
    COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE capabilities
    RESULT_VARIABLE status
    ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0)
    set(capabilities "9.0")
  endif()
  string(REGEX MATCHALL "[0-9]+[.][0-9]" capabilities "${capabilities}")
  set(CMAKE_CUDA_ARCHITECTURES)
  foreach(capability ${capabilities})
    string(REPLACE "." "" architecture ${capability})
    if(architecture LESS 80)
      message(FATAL_ERROR "this machine's GPU has compute capability ${capability}; expected 8.0 or later; "
                          "for another machine's give -DCMAKE_CUDA_ARCHITECTURES=\"90a-real;80-virtual\"")
    endif()
    string(REGEX REPLACE "^90$" "90a" architecture ${architecture})
    list(APPEND CMAKE_CUDA_ARCHITECTURES ${architecture}-real)
  endforeach()
  list(APPEND CMAKE_CUDA_ARCHITECTURES 80-virtual)
  list(REMOVE_DUPLICATES CMAKE_CUDA_ARCHITECTURES)
endif()
message(STATUS "Device code for ${CMAKE_CUDA_ARCHITECTURES}")
