// Plans as text and for programs.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/job/plan.hpp"

namespace yupana::job {
namespace {

/// Whether a run may hold much less than the planned total.
bool is_at_most(const Plan& plan) {
  if (plan.bands.empty() && !plan.at_most) return false;
  return plan.at_most || plan.sizes.sites < 0 || (plan.sizes.missing && !plan.complete_bytes);
}

/// Whether nothing is known of what is written: all of it is text, compressed, or may be left out.
bool is_output_unknown(const Plan& plan) {
  return plan.output_bytes == 0 && (!plan.output_may_grow || plan.output_may_shrink);
}

/// No --memory is larger.
constexpr std::uint64_t largest_memory = 9'000'000'000'000'000'000;

/// Rounded up: as --memory takes it.
std::string bytes_text(const char* what, std::uint64_t bytes, const std::string& more = "") {
  return fmt::format("{:<12} {}{}\n", what, needed_bytes(bytes), more);
}

/// When a run holds less than planned, and whose memory it is.
std::string less_text(const Plan& plan) {
  const std::string each = plan.sizes.ranks > 1 ? " on each rank" : "";
  if (plan.at_most && plan.complete_bytes) {
    return fmt::format(" at the most; {} if no call is missing",
                       needed_bytes(*plan.complete_bytes));
  }
  if (plan.at_most && plan.sizes.sites >= 0) return " at the most; what the sites hold decides";
  if (plan.bands.empty() && !plan.at_most) return "";
  if (plan.sizes.sites < 0) return each + " at the most; less if the sites are few";
  if (!plan.sizes.missing) return each;
  if (!plan.complete_bytes) return each + " at the most; less if no call is missing";
  return fmt::format("; {} if no call is missing", needed_bytes(*plan.complete_bytes));
}

/// Bytes of the matrices of a run, with what analyzes and draws them.
std::uint64_t matrix_bytes(const Plan& plan) {
  return std::max({plan.sizes.later_bytes, plan.sizes.unblocked_bytes, plan.sizes.after_bytes});
}

std::string counts_text(const Plan& plan) {
  std::string text;
  if (plan.planes > 0) {
    text += fmt::format("planes       {} ({} bits a genotype)\n", plan.planes, plan.planes);
  }
  text +=
      fmt::format("blocks       {} sites, {}\n", plan.block_sites, human_bytes(plan.block_bytes));
  if (plan.sizes.ranks > 1) {
    text += fmt::format("ranks        {}: pairs in {}, sites in {} groups\n",
                        plan.sizes.ranks,
                        plan.pair_groups,
                        plan.sizes.ranks / plan.pair_groups);
  }
  const auto one = static_cast<double>(plan.one_pass_bytes);
  text += fmt::format("counts       {} in {} over the input{}\n",
                      human_bytes(plan.count_bytes),
                      counted(passes_of(plan), "pass", "passes"),
                      one > 0 ? "; one with --memory " + memory_option(one) : "");
  if (!plan.gpu_bands.empty()) text += bytes_text("GPU memory", plan.gpu_bytes, " on each");
  return text;
}

}  // namespace

nlohmann::ordered_json plan_json(const Plan& plan) {
  nlohmann::ordered_json json{{"samples", plan.sizes.samples},
                              {"sites", plan.sizes.sites},
                              {"planes", plan.planes},
                              {"block_sites", plan.block_sites},
                              {"block_bytes", plan.block_bytes},
                              {"count_bytes", plan.count_bytes},
                              {"matrix_bytes", matrix_bytes(plan)},
                              {"passes", passes_of(plan)},
                              {"pair_groups", plan.pair_groups},
                              {"site_groups", plan.sizes.ranks / plan.pair_groups},
                              {"memory", plan.total_bytes},
                              {"memory_at_most", is_at_most(plan)},
                              {"gpu_memory", plan.gpu_bytes},
                              {"pair_sites", plan.pair_sites},
                              {"output", plan.output_bytes},
                              {"output_may_grow", plan.output_may_grow}};
  if (is_output_unknown(plan)) json["output"] = nullptr;
  if (plan.sizes.sites < 0) json["sites"] = json["pair_sites"] = nullptr;
  if (plan.output_may_shrink) json["output_may_shrink"] = true;
  if (plan.one_pass_bytes > 0) json["one_pass_memory"] = plan.one_pass_bytes;
  if (plan.sizes.kinship_passes > 0) {
    json["kinship_memory"] = plan.sizes.kinship_bytes;
    json["kinship_passes"] = plan.sizes.kinship_passes;
  }
  if (plan.sizes.pruning_bytes > 0) json["pruning_memory"] = plan.sizes.pruning_bytes;
  if (plan.complete_bytes) json["memory_complete"] = *plan.complete_bytes;
  if (plan.free_disk) json["free_disk"] = *plan.free_disk;
  return json;
}

std::int64_t passes_of(const Plan& plan) {
  return plan.passes +
         (plan.gpu_bands.empty() ? std::ssize(plan.bands) : std::ssize(plan.gpu_bands));
}

void note_passes(const Context& context, const Plan& plan) {
  if (passes_of(plan) < 4 || plan.one_pass_bytes == 0) return;
  context.note(fmt::format("--memory {}: {} passes over the input; one with --memory {}",
                           allowed_bytes(context.memory()),
                           passes_of(plan),
                           memory_option(static_cast<double>(plan.one_pass_bytes))));
}

std::string few_passes_advice(std::uint64_t least, std::uint64_t few) {
  if (few <= least || few >= largest_memory) return "";
  return fmt::format(", or to {} to count in at most {} passes",
                     memory_option(static_cast<double>(few)),
                     few_passes);
}

std::string describe(const Plan& plan) {
  std::string text = fmt::format("samples      {}\n", plan.sizes.samples);
  if (passes_of(plan) > 0) {
    const std::int64_t sites = plan.sizes.sites;
    text += fmt::format("sites        {}\n", sites < 0 ? "unknown" : human_count(sites));
  }
  if (!plan.bands.empty()) text += counts_text(plan);
  if (plan.bands.empty() && plan.passes > 0) {
    text += fmt::format(
        "passes       {}{} over the input\n", plan.passes > 2 ? "up to " : "", plan.passes);
  }
  if (plan.sizes.kinship_passes > 0) {
    text += bytes_text("kinships",
                       plan.sizes.kinship_bytes,
                       fmt::format(" in {} before, of every pair (--king-cutoff)",
                                   counted(plan.sizes.kinship_passes, "more pass", "more passes")));
  }
  if (plan.sizes.pruning_bytes > 0) {
    text += bytes_text(
        "pruning", plan.sizes.pruning_bytes, " before, in one more pass (--indep-pairwise)");
  }
  if (matrix_bytes(plan) > 0) {
    text += bytes_text("matrices", matrix_bytes(plan), ", with what analyzes and draws them");
  }
  text += bytes_text("memory", plan.total_bytes, less_text(plan));
  if (plan.pair_sites > 0) {
    text += fmt::format("work         {} pair-SNP comparisons\n", human_count(plan.pair_sites));
  }
  if (is_output_unknown(plan)) {
    text += "output       not known before: text or compressed\n";
  } else {
    text += bytes_text("output",
                       plan.output_bytes,
                       plan.output_may_shrink ? " of calls, less where filters leave out sites; "
                                                "names of samples and sites take more"
                       : plan.output_may_grow ? " at the least: text and compressed files take more"
                                              : "");
  }
  if (plan.free_disk) text += fmt::format("free disk    {}\n", allowed_bytes(*plan.free_disk));
  return text;
}

}  // namespace yupana::job
