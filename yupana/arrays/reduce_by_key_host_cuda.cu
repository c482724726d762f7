#include "yupana/arrays/host_cuda.cuh"
#include "yupana/arrays/reduce_by_key_cuda.cuh"
#include "yupana/arrays/there_cuda.hpp"

namespace yupana::arrays::cuda {

template <class U, class V>
std::int64_t reduce_by_key_on_device(
    Context& context, const U* keys, const V* values, std::int64_t n, U* out_keys, V* out_values) {
  if (n <= 0) return 0;
  Visit visit(context);
  visit.need(2 * (bytes_of<U>(n) + bytes_of<V>(n)), "reduce_by_key");
  yupana::cuda::DeviceArray<U> in_keys(n), run_keys(n);
  yupana::cuda::DeviceArray<V> in_values(n), run_values(n);
  visit.bring(in_keys, keys, n);
  visit.bring(in_values, values, n);
  const std::int64_t runs = reduce_by_key(visit.space(),
                                          visit.stream(),
                                          static_cast<const U*>(in_keys.data()),
                                          static_cast<const V*>(in_values.data()),
                                          n,
                                          run_keys.data(),
                                          run_values.data());
  visit.fetch(out_keys, static_cast<const U*>(run_keys.data()), runs);
  visit.fetch(out_values, static_cast<const V*>(run_values.data()), runs);
  return runs;
}

template <class U, class V>
std::int64_t reduce_by_key_there(Workspace& space,
                                 cudaStream_t stream,
                                 const U* keys,
                                 const V* values,
                                 std::int64_t n,
                                 U* out_keys,
                                 V* out_values) {
  return reduce_by_key(space, stream, keys, values, n, out_keys, out_values);
}

#define YUPANA_RUNS_ON_DEVICE(U, V)                        \
  template std::int64_t reduce_by_key_on_device(           \
      Context&, const U*, const V*, std::int64_t, U*, V*); \
  template std::int64_t reduce_by_key_there(               \
      Workspace&, cudaStream_t, const U*, const V*, std::int64_t, U*, V*);

YUPANA_RUNS_ON_DEVICE(std::uint32_t, std::int32_t)
YUPANA_RUNS_ON_DEVICE(std::uint32_t, std::uint32_t)
YUPANA_RUNS_ON_DEVICE(std::uint32_t, std::int64_t)
YUPANA_RUNS_ON_DEVICE(std::uint32_t, std::uint64_t)
YUPANA_RUNS_ON_DEVICE(std::uint32_t, float)
YUPANA_RUNS_ON_DEVICE(std::uint32_t, double)
YUPANA_RUNS_ON_DEVICE(std::uint64_t, std::int32_t)
YUPANA_RUNS_ON_DEVICE(std::uint64_t, std::uint32_t)
YUPANA_RUNS_ON_DEVICE(std::uint64_t, std::int64_t)
YUPANA_RUNS_ON_DEVICE(std::uint64_t, std::uint64_t)
YUPANA_RUNS_ON_DEVICE(std::uint64_t, float)
YUPANA_RUNS_ON_DEVICE(std::uint64_t, double)

}  // namespace yupana::arrays::cuda
