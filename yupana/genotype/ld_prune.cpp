#include "yupana/genotype/ld_prune.hpp"

#include <algorithm>
#include <charconv>
#include <memory>
#include <string_view>
#include <utility>

#include "yupana/core/messages.hpp"
#include "yupana/genotype/ld_window.hpp"
#include "yupana/genotype/site_order.hpp"

namespace yupana::genotype {
namespace {

template <class T>
bool parse(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

[[noreturn]] void refuse(const std::vector<std::string>& words, std::string_view why) {
  throw usage_error("--indep-pairwise: expected WINDOW['kb'] [STEP] R2, as 200kb 1 0.2, got {}: {}",
                    fmt::join(words, " "),
                    why);
}

/// The sites of one chromosome that were read together.
struct Piece {
  LdWindow* window;
  std::vector<LdSite> sites;
  bool is_end = false;  ///< the chromosome has no others
};

/// Reads a cohort and deals its sites to the windows of their chromosomes.
class Pruner {
 public:
  Pruner(Context& context, Cohort& cohort, const LdPruneParams& params)
      : context_(context), cohort_(cohort), params_(params) {}

  std::vector<bool> run(const LdReport& report) {
    const auto announced = static_cast<double>(std::max<std::int64_t>(cohort_.sites(), 0));
    Stage stage(context_, "prune by correlation", announced, "sites");
    while (read_pieces()) {
      std::int64_t sites = 0;
      for (const Piece& piece : pieces_) sites += std::ssize(piece.sites);
      context_.parallel_for(std::ssize(pieces_), 1, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t k = first; k < last; ++k) {
          pieces_[k].window->add(std::move(pieces_[k].sites), pieces_[k].is_end);
        }
      });
      for (const Piece& piece : pieces_) take_decided(*piece.window, report);
      stage.advance(static_cast<double>(sites));
    }
    return std::move(stays_);
  }

 private:
  /// The next sites, as many as the memory for them holds; the last piece is not the end of its
  /// chromosome before all are read. False where nothing is left to do.
  bool read_pieces() {
    const Piece last = pieces_.empty() ? Piece{} : std::move(pieces_.back());
    pieces_.clear();
    if (ended_) return false;
    if (last.window != nullptr) pieces_.push_back({last.window, {}});
    const std::uint64_t most =
        std::min(context_.memory() / 4, static_cast<std::uint64_t>(context_.threads()) << 26);
    // Blocks that keep all threads at work.
    constexpr std::int64_t block_bytes = 4 << 20;
    const std::int64_t samples = std::max<std::int64_t>(std::ssize(cohort_.samples()), 1);
    // Of a site three copies of its codes, its planes and its names are held.
    const auto site_bytes = static_cast<std::uint64_t>(samples * 9 / 8 + 600);
    const auto affordable = static_cast<std::int64_t>(context_.memory() / 16 / site_bytes);
    const std::int64_t block_sites =
        std::clamp<std::int64_t>(std::min(4 * block_bytes / samples, affordable), 64, 16384);
    for (std::uint64_t bytes = 0; bytes < most && !ended_;) {
      ended_ = !cohort_.read(block_, block_sites);
      if (!ended_) bytes += take_block();
    }
    if (ended_ && !pieces_.empty()) pieces_.back().is_end = true;
    return !pieces_.empty();
  }

  /// Deals a block; the bytes that its sites take.
  std::uint64_t take_block() {
    const SiteBlock& codes = block_.codes;
    std::vector<LdSite> made(static_cast<std::size_t>(codes.sites));
    context_.parallel_for(codes.sites, 16, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t k = first; k < last; ++k) {
        made[k] =
            make_ld_site(codes.row(k), cohort_.founders(), cohort_.counted(), context_.backend());
      }
    });
    std::uint64_t bytes = 0;
    for (std::size_t k = 0; k < made.size(); ++k) {
      made[k].name = std::move(block_.codes.names[k]);
      bytes += made[k].bits.bytes() + sizeof(LdSite);
      piece_of(made[k].name).sites.push_back(std::move(made[k]));
    }
    return bytes;
  }

  Piece& piece_of(const SiteName& site) {
    if (!order_.begins_chromosome(site)) return pieces_.back();
    if (!pieces_.empty()) pieces_.back().is_end = true;
    windows_.push_back(std::make_unique<LdWindow>(context_, params_));
    pieces_.push_back({windows_.back().get(), {}});
    return pieces_.back();
  }

  void take_decided(LdWindow& window, const LdReport& report) {
    for (const LdSite& site : window.take_decided()) {
      const auto number = static_cast<std::size_t>(site.name.number);
      stays_.resize(std::max(stays_.size(), number + 1));
      stays_[number] = site.stays;
      if (report) report(site.name, site.stays);
    }
  }

  Context& context_;
  Cohort& cohort_;
  LdPruneParams params_;
  CallBlock block_;
  bool ended_ = false;
  SiteOrder order_{"--indep-pairwise"};
  std::vector<std::unique_ptr<LdWindow>> windows_;
  std::vector<Piece> pieces_;
  std::vector<bool> stays_;
};

}  // namespace

LdPruneParams ld_prune_params(const std::vector<std::string>& words) {
  std::vector<std::string> parts = words;
  if (parts.size() > 2 && parts[1] == "kb") {
    parts[0] += parts[1];
    parts.erase(parts.begin() + 1);
  }
  if (parts.size() < 2 || parts.size() > 3) refuse(words, "two or three words are needed");
  LdPruneParams params;
  std::string_view window = parts[0];
  params.in_base_pairs = window.ends_with("kb");
  if (params.in_base_pairs) {
    window.remove_suffix(2);
    double kilobases = 0;
    if (!parse(window, kilobases) || !(kilobases > 0 && kilobases <= 2e6)) {
      refuse(words, "the window is no number of kilobases above 0");
    }
    params.window = static_cast<std::int64_t>(kilobases * 1000 * (1 + 0x1p-44));
  } else if (!parse(window, params.window) || params.window < 2) {
    refuse(words, "the window is no number of sites from 2 on, and does not end in kb");
  }
  if (parts.size() == 3 && (!parse(parts[1], params.step) || params.step < 1)) {
    refuse(words, "the step is no number of sites from 1 on");
  }
  if (!params.in_base_pairs && params.step > params.window) {
    refuse(words, "the step is larger than the window");
  }
  if (params.in_base_pairs && params.step != 1) refuse(words, "the step of a window in kb is 1");
  if (!parse(parts.back(), params.max_r2) || !(params.max_r2 >= 0 && params.max_r2 < 1)) {
    refuse(words, "r2 is no number from 0 to below 1");
  }
  return params;
}

std::vector<bool> ld_prune(Context& context,
                           Cohort& cohort,
                           const LdPruneParams& params,
                           const LdReport& report) {
  if (cohort.founders().size() < 2) {
    throw input_error(
        "--indep-pairwise: expected at least 2 founders, samples without parents in the .fam or "
        ".psam, got {}; it compares no others",
        cohort.founders().size());
  }
  cohort.name_sites();
  std::vector<bool> stays = Pruner(context, cohort, params).run(report);
  cohort.rewind();
  return stays;
}

}  // namespace yupana::genotype
