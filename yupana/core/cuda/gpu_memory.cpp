#include "yupana/core/cuda/gpu_memory.hpp"

#include "yupana/core/machine.hpp"

namespace yupana {

Error gpu_memory_error(std::string_view what, double needed, std::uint64_t allowed, Place place) {
  return Error(
      ErrorCode::out_of_resources,
      fmt::format("{} needs {} of GPU memory, --gpu-memory allows {}; raise --gpu-memory to {}, or "
                  "use --device cpu",
                  what,
                  needed_bytes(needed),
                  allowed_bytes(static_cast<double>(allowed)),
                  memory_option(needed)),
      place);
}

}  // namespace yupana
