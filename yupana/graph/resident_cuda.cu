#include <algorithm>

#include "yupana/core/instantiate.hpp"
#include "yupana/graph/resident_cuda.hpp"

namespace yupana::graph::cuda {

using namespace yupana::cuda;

bool link_devices(const std::vector<int>& devices) {
  for (const int a : devices) {
    for (const int b : devices) {
      int possible = 1;
      if (a != b) check(cudaDeviceCanAccessPeer(&possible, a, b), "ask whether devices are linked");
      if (possible == 0) return false;
    }
  }
  yupana::cuda::connect(devices);
  return true;
}

template <class T>
Resident<T>::Resident(Context& context,
                      const std::vector<int>& devices,
                      MatrixView<T> weights,
                      const SquareShape& shape)
    : context_(context),
      weights_(weights),
      lock_(weights.data,
            static_cast<std::uint64_t>(weights.rows * weights.stride) * sizeof(T),
            worth_locking),
      memory_(devices, shape) {
  copy(cudaMemcpyHostToDevice);
}

template <class T>
void Resident<T>::copy(cudaMemcpyKind way) {
  const SquareShape& shape = rows().shape();
  const bool up = way == cudaMemcpyHostToDevice;
  const auto pitch = static_cast<std::size_t>(shape.stride) * sizeof(T);
  const auto host_pitch = static_cast<std::size_t>(weights_.stride) * sizeof(T);
  const auto width = static_cast<std::size_t>(shape.size) * sizeof(T);
  for (std::int64_t strip = 0; strip < shape.strips(); ++strip) {
    context_.check_cancelled();
    const auto part = static_cast<std::size_t>(rows().deal().owner(strip));
    const DeviceScope scope(rows().device(part));
    T* device = memory_.data(part) + rows().deal().place(strip) * shape.strip * shape.stride;
    T* host = weights_.row(strip * shape.strip);
    const std::int64_t height = std::min(shape.strip, shape.size - strip * shape.strip);
    copy_rows("copy weights",
              {up ? device : host, up ? pitch : host_pitch},
              {up ? host : device, up ? host_pitch : pitch},
              width,
              height,
              nullptr);
    context_.count_moved(width * static_cast<std::size_t>(height));
  }
  // Pageable rows may still be on their way, and streams of ours do not wait for them.
  for (std::size_t part = 0; part < rows().parts(); ++part) {
    const DeviceScope scope(rows().device(part));
    check(cudaStreamSynchronize(nullptr), "wait for the weights");
  }
}

YUPANA_CLASSES(YUPANA_DISTANCES, Resident)

}  // namespace yupana::graph::cuda
