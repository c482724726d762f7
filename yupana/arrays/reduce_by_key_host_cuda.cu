#include "yupana/arrays/host_cuda.cuh"
#include "yupana/arrays/reduce_by_key_cuda.cuh"
#include "yupana/core/instantiate.hpp"

namespace yupana::arrays::cuda {

template <class U, class V>
std::int64_t reduce_by_key_anywhere(
    Context& context, const U* keys, const V* values, std::int64_t n, U* out_keys, V* out_values) {
  if (n <= 0) return 0;
  std::int64_t found = 0;
  if (on_its_gpu(context, keys, [&](KeptSpace& kept, cudaStream_t stream) {
        found = reduce_by_key(kept.space, stream, keys, values, n, out_keys, out_values);
      })) {
    return found;
  }
  DeviceSession session(context);
  session.require(2 * (bytes_of<U>(n) + bytes_of<V>(n)), "reduce_by_key");
  yupana::cuda::DeviceArray<U> in_keys(n), run_keys(n);
  yupana::cuda::DeviceArray<V> in_values(n), run_values(n);
  session.upload(in_keys, keys, n);
  session.upload(in_values, values, n);
  const std::int64_t runs = reduce_by_key(session.space(),
                                          session.stream(),
                                          static_cast<const U*>(in_keys.data()),
                                          static_cast<const V*>(in_values.data()),
                                          n,
                                          run_keys.data(),
                                          run_values.data());
  session.download(out_keys, static_cast<const U*>(run_keys.data()), runs);
  session.download(out_values, static_cast<const V*>(run_values.data()), runs);
  return runs;
}

#define YUPANA_RUNS(make, name) \
  YUPANA_NUMBERS_WITH(make, name, std::uint32_t) YUPANA_NUMBERS_WITH(make, name, std::uint64_t)
YUPANA_FUNCTIONS(YUPANA_RUNS, reduce_by_key, reduce_by_key_anywhere)

}  // namespace yupana::arrays::cuda
