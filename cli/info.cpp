#include <fmt/core.h>
#include <htslib/hts.h>

#include "cli/command.hpp"
#include "yupana/core/cuda/device.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/version.hpp"
#include "yupana/job/kernel_variants.hpp"
#include "yupana/spectral/fft.hpp"

namespace yupana::cli {
namespace {

Answer info(Context& context) {
  Answer answer;
  answer.json = {{"command", "info"},
                 {"version", version},
                 {"processor", processor_name()},
                 {"simd", simd_target()},
                 {"threads", context.threads()},
                 {"memory_free", free_memory()},
                 {"htslib", hts_version()},
                 {"cuda_built", cuda::built},
                 {"cuda_code", cuda::code_built()},
                 {"cufft", spectral::cufft_version()},
                 {"devices", nlohmann::ordered_json::array()}};
  answer.text =
      fmt::format("yupana {}\nprocessor  {}, {}, SIMD {}\nmemory     {} free\nhtslib     {}\n",
                  version,
                  processor_name(),
                  counted(context.threads(), "thread"),
                  simd_target(),
                  human_bytes(free_memory()),
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
                    human_bytes(gpu.memory),
                    gpu.works ? "works" : "does not run kernels");
    answer.json["devices"].push_back(
        {{"ordinal", gpu.ordinal},
         {"name", gpu.name},
         {"compute_capability", fmt::format("{}.{}", gpu.major, gpu.minor)},
         {"multiprocessors", gpu.multiprocessors},
         {"memory", gpu.memory},
         {"works", gpu.works},
         {"code", gpu.code},
         {"kernels", nlohmann::ordered_json::object()}});
    if (!gpu.works) continue;
    answer.text += fmt::format("           {:<22}{}\n", "code", gpu.code);
    for (const job::KernelVariant& variant : job::kernel_variants(gpu.ordinal)) {
      answer.text += fmt::format("           {:<22}{}\n", variant.family, variant.runs);
      answer.json["devices"].back()["kernels"][variant.family] = variant.runs;
    }
  }
  answer.text += fmt::format(
      "cuda       {}{}\n",
      cuda::built ? fmt::format("built for {}", cuda::code_built()) : "not in this build",
      cuda::built && cuda::device_count() == 0 ? "; no GPU here" : "");
  return answer;
}

}  // namespace

void add_info(Command& program) {
  add_command(program,
              {.name = "info",
               .purpose = "Processor, memory, GPUs and versions as yupana sees them.",
               .example = "yupana info",
               .ignored = {"-o", "--device", "--memory", "--gpu-memory"}},
              [](Context& context, const Call&) { return info(context); });
}

}  // namespace yupana::cli
