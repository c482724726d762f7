#include <fmt/format.h>
#include <htslib/hts.h>

#include "cli/command.hpp"
#include "yupana/core/cuda/device.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/version.hpp"
#include "yupana/spectral/fft.hpp"

namespace yupana::cli {
namespace {

Answer info(Context& context) {
  Answer answer;
  answer.json = {{"version", version},
                 {"processor", processor_name()},
                 {"simd", simd_target()},
                 {"threads", context.threads()},
                 {"memory_free", free_memory()},
                 {"htslib", hts_version()},
                 {"cuda_built", cuda::built},
                 {"cufft", spectral::cufft_version()},
                 {"devices", nlohmann::ordered_json::array()}};
  answer.text = fmt::format(
      "yupana {}\nprocessor  {}, {} threads, SIMD {}\nmemory     {} free\nhtslib     {}\n",
      version,
      processor_name(),
      context.threads(),
      simd_target(),
      human_bytes(static_cast<double>(free_memory())),
      hts_version());
  if (const int cufft = spectral::cufft_version(); cufft > 0) {
    answer.text += fmt::format("cuFFT      {}.{}\n", cufft / 1000, cufft / 100 % 10);
  } else if (cuda::built) {
    answer.text += "cuFFT      not found, own transforms only\n";
  }
  for (const cuda::DeviceInfo& gpu : cuda::device_list()) {
    answer.text +=
        fmt::format("cuda:{}     {}, compute capability {}.{}, {} multiprocessors, {}, {}\n",
                    gpu.ordinal,
                    gpu.name,
                    gpu.major,
                    gpu.minor,
                    gpu.multiprocessors,
                    human_bytes(static_cast<double>(gpu.memory)),
                    gpu.works ? "works" : "does not run kernels");
    answer.json["devices"].push_back(
        {{"ordinal", gpu.ordinal},
         {"name", gpu.name},
         {"compute_capability", fmt::format("{}.{}", gpu.major, gpu.minor)},
         {"multiprocessors", gpu.multiprocessors},
         {"memory", gpu.memory},
         {"works", gpu.works}});
  }
  if (cuda::device_count() == 0) {
    answer.text += fmt::format("cuda       {}\n",
                               cuda::built ? "built in, no device here" : "not in this build");
  }
  return answer;
}

}  // namespace

void add_info(CLI::App& program) {
  add_command(program,
              "info",
              "Processor, memory, GPUs and versions as yupana sees them.",
              "yupana info",
              [](Context& context, const CommonOptions&) { return info(context); },
              Runs::anywhere,
              Ranks::one,
              {.out = true, .device = true, .memory = true, .gpu_memory = true});
}

}  // namespace yupana::cli
