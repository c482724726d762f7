#include <cusparse.h>
#include <dlfcn.h>
#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "bench/sparse/trisolve_bench.hpp"
#include "yupana/core/cuda/runtime.hpp"

namespace yupana::bench {
namespace {

using namespace yupana::cuda;

/// cuSPARSE, looked for at run time: the program does not link it.
struct CuSparse {
  void* library = nullptr;

  CuSparse() {
    for (const char* name : {"libcusparse.so.12", "libcusparse.so"}) {
      if (library == nullptr) library = dlopen(name, RTLD_NOW);
    }
  }
  template <class Function>
  Function* find(const char* name, Function*) const {
    return reinterpret_cast<Function*>(dlsym(library, name));
  }
};

#define YUPANA_PEER(name) const auto name##_ = peer.find(#name, &name)

template <class T>
DeviceArray<T> uploaded(const T* values, std::int64_t count) {
  DeviceArray<T> there(count);
  check(cudaMemcpy(there.data(), values, there.bytes(), cudaMemcpyHostToDevice), "copy");
  return there;
}

}  // namespace

void trisolve_cuda_peers(const BenchParams& params,
                         const std::string& what,
                         const SystemMatrix& matrix,
                         const Verified& want) {
  const CuSparse peer;
  if (peer.library == nullptr) {
    return params.emit(
        left_out("trisolve", what, "cuSPARSE SpSV", "ms", "not installed: cuSPARSE of CUDA"));
  }
  YUPANA_PEER(cusparseCreate);
  YUPANA_PEER(cusparseDestroy);
  YUPANA_PEER(cusparseCreateCsr);
  YUPANA_PEER(cusparseSpMatSetAttribute);
  YUPANA_PEER(cusparseCreateDnVec);
  YUPANA_PEER(cusparseSpSV_createDescr);
  YUPANA_PEER(cusparseSpSV_destroyDescr);
  YUPANA_PEER(cusparseSpSV_bufferSize);
  YUPANA_PEER(cusparseSpSV_analysis);
  YUPANA_PEER(cusparseSpSV_solve);
  const auto begin = uploaded(matrix.row_begin.data(), matrix.row_begin.size());
  const auto columns = uploaded(matrix.columns.data(), matrix.columns.size());
  const auto values = uploaded(matrix.values.data(), matrix.values.size());
  const auto b = uploaded(want.b.data(), matrix.rows);
  DeviceArray<double> x(matrix.rows);
  bool worked = true;
  const auto must = [&](cusparseStatus_t status) { worked &= status == CUSPARSE_STATUS_SUCCESS; };
  cusparseHandle_t handle = nullptr;
  must(cusparseCreate_(&handle));
  cusparseSpMatDescr_t a = nullptr;
  const auto* data = &values;
  must(cusparseCreateCsr_(&a,
                          matrix.rows,
                          matrix.rows,
                          matrix.columns.size(),
                          const_cast<std::int32_t*>(begin.data()),
                          const_cast<std::int32_t*>(columns.data()),
                          const_cast<double*>(data->data()),
                          CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_BASE_ZERO,
                          CUDA_R_64F));
  cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
  cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
  must(cusparseSpMatSetAttribute_(a, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof(fill)));
  must(cusparseSpMatSetAttribute_(a, CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof(diagonal)));
  cusparseDnVecDescr_t b_there = nullptr, x_there = nullptr;
  must(cusparseCreateDnVec_(&b_there, matrix.rows, const_cast<double*>(b.data()), CUDA_R_64F));
  must(cusparseCreateDnVec_(&x_there, matrix.rows, x.data(), CUDA_R_64F));
  const double one = 1;
  cusparseSpSVDescr_t plan = nullptr;
  constexpr auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
  constexpr auto method = CUSPARSE_SPSV_ALG_DEFAULT;
  std::size_t bytes = 0;
  must(cusparseSpSV_createDescr_(&plan));
  must(cusparseSpSV_bufferSize_(
      handle, plain, &one, a, b_there, x_there, CUDA_R_64F, method, plan, &bytes));
  DeviceArray<char> buffer(static_cast<std::int64_t>(bytes) + 1);
  if (!worked) return;
  const int repeats = params.quick ? 1 : 9;
  std::vector<double> analysis, solve;
  for (int i = 0; i <= repeats; ++i) {
    must(cusparseSpSV_destroyDescr_(plan));
    must(cusparseSpSV_createDescr_(&plan));
    const Event first(true), second(true), third(true);
    first.record(nullptr);
    must(cusparseSpSV_bufferSize_(
        handle, plain, &one, a, b_there, x_there, CUDA_R_64F, method, plan, &bytes));
    must(cusparseSpSV_analysis_(
        handle, plain, &one, a, b_there, x_there, CUDA_R_64F, method, plan, buffer.data()));
    second.record(nullptr);
    must(cusparseSpSV_solve_(handle, plain, &one, a, b_there, x_there, CUDA_R_64F, method, plan));
    third.record(nullptr);
    third.wait();
    if (i == 0) continue;
    analysis.push_back(1e3 * seconds_between(first, second));
    solve.push_back(1e3 * seconds_between(second, third));
  }
  Matrix<double> got(matrix.rows, 1);
  check(cudaMemcpy(got.data(), x.data(), x.bytes(), cudaMemcpyDeviceToHost), "copy");
  const bool good = worked && agrees(want, got.data());
  for (auto& [name, all] :
       {std::pair{"cuSPARSE SpSV analysis", analysis}, {"cuSPARSE SpSV solve", solve}}) {
    std::vector<double> sorted = all;
    std::sort(sorted.begin(), sorted.end());
    params.emit({"trisolve", what, name, sorted[sorted.size() / 2], "ms", std::nullopt, good});
  }
  cusparseSpSV_destroyDescr_(plan);
  cusparseDestroy_(handle);
}

#undef YUPANA_PEER

}  // namespace yupana::bench
