#include "yupana/job/memory_check.hpp"

#include "yupana/core/error.hpp"

namespace yupana::job {

void check_memory(const Context& context, std::string_view what, std::uint64_t bytes) {
  if (bytes <= context.memory()) return;
  constexpr std::uint64_t mib = std::uint64_t{1} << 20;
  throw Error(ErrorCode::out_of_resources,
              fmt::format("{} needs {} MiB of memory, and {} MiB are allowed; give --memory {}M",
                          what,
                          (bytes + mib - 1) / mib,
                          context.memory() / mib,
                          (bytes + mib - 1) / mib));
}

}  // namespace yupana::job
