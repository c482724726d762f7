# Every dependency comes from the distribution's packages (make deps).
find_package(PkgConfig REQUIRED)
find_package(fmt REQUIRED)
find_package(TBB REQUIRED)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
# Without it programs run in one process.
set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI COMPONENTS CXX)
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)

pkg_check_modules(hwy REQUIRED IMPORTED_TARGET libhwy)
pkg_check_modules(hwy_contrib REQUIRED IMPORTED_TARGET libhwy-contrib)
pkg_check_modules(hts REQUIRED IMPORTED_TARGET htslib)
pkg_check_modules(isal REQUIRED IMPORTED_TARGET libisal)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
# Draws the report's pictures: one drawing, as SVG and as PNG.
pkg_check_modules(cairo REQUIRED IMPORTED_TARGET cairo)
# A part of cairo, which finds letters by it.
pkg_check_modules(fontconfig REQUIRED IMPORTED_TARGET fontconfig)

if(YUPANA_CUDA)
  include(CudaArchitectures)
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  # CMake before 3.26 does not know that nvcc speaks C++20.
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
  endif()
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
endif()
