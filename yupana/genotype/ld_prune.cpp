#include "yupana/genotype/ld_prune.hpp"

#include <algorithm>
#include <charconv>
#include <deque>
#include <future>
#include <memory>
#include <string_view>
#include <utility>

#include "yupana/core/messages.hpp"
#include "yupana/core/text.hpp"
#include "yupana/genotype/ld_window.hpp"
#include "yupana/genotype/site_names.hpp"

namespace yupana::genotype {
namespace {

template <class T>
bool parse(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

[[noreturn]] void refuse(const std::vector<std::string>& words, std::string_view why) {
  throw usage_error("--indep-pairwise: expected WINDOW['kb'] [STEP] R2, as 200kb 1 0.2, got {}: {}",
                    joined(words, " "),
                    why);
}

/// Bytes that windows may hold however little memory there is.
constexpr std::uint64_t smallest_share = 4 << 20;

/// The sites of one chromosome that were read together.
struct Piece {
  LdWindow* window;
  std::vector<std::pair<CallBlock*, Range>> sites;
  std::vector<LdNear> near;  ///< of all sites, or of none
  bool is_end = false;       ///< the chromosome has no others
};

/// What is read together, with its memory.
struct Round {
  std::deque<CallBlock> blocks;  ///< more than `pieces` use, once blocks are dealt
  std::vector<Piece> pieces;
  std::int64_t sites = 0;
};

/// Reads a cohort and deals its sites to the windows of their chromosomes.
class Pruner {
 public:
  Pruner(Context& context, Cohort& cohort, const LdPruneParams& params)
      : context_(context),
        cohort_(cohort),
        params_(params),
        samples_{cohort.founders(), cohort.counted()},
        bytes_(std::max(context.memory() / 2, smallest_share)) {
#ifdef YUPANA_CUDA
    if (context.backend() == Backend::cuda) {
      pairs_ = cuda::ld_pairs(context, params, std::ssize(samples_.founders));
    }
#endif
  }

  std::vector<bool> run(const LdReport& report) {
    const auto announced = static_cast<double>(std::max<std::int64_t>(cohort_.sites(), 0));
    Stage stage(context_, "prune by correlation", announced, "sites");
    Round now, next;
    read(nullptr, now);
    while (!now.pieces.empty()) {
      // Not one of the loop's bodies reads: a reader runs loops on the same threads.
      auto pruning = std::async(std::launch::async, [&] { prune(now); });
      LdWindow* const open = now.pieces.back().is_end ? nullptr : now.pieces.back().window;
      read(open, next);
      pruning.get();
      for (const Piece& piece : now.pieces) take_decided(*piece.window, report);
      stage.advance(static_cast<double>(now.sites));
      std::swap(now, next);
    }
    return std::move(stays_);
  }
  /// The most that windows and what is read held.
  std::uint64_t peak_bytes() const { return bytes_.peak() + read_bytes_; }

 private:
#ifdef YUPANA_CUDA
  void correlate(Piece& piece) {
    if (std::exchange(correlated_, piece.window) != piece.window) pairs_->begin_chromosome();
    std::vector<const std::uint8_t*> rows;
    std::vector<std::int64_t> positions;
    bool complete = true;
    for (const auto& [block, sites] : piece.sites) {
      complete = complete && block->complete;
      for (std::int64_t k = sites.begin; k < sites.end; ++k) {
        rows.push_back(block->codes.row(k));
        positions.push_back(block->codes.names[static_cast<std::size_t>(k)].position);
      }
    }
    const std::int64_t stride = pairs_->stride();
    Array<std::uint8_t> codes(std::ssize(rows) * stride);
    context_.parallel_for(std::ssize(rows), 64, [&](std::int64_t k) {
      gather_founders(rows[k], samples_.founders, codes.data() + k * stride, stride);
    });
    piece.near = pairs_->add(codes, positions, complete);
  }
#endif

  void prune(Round& round) {
#ifdef YUPANA_CUDA
    if (pairs_) {
      for (Piece& piece : round.pieces) correlate(piece);
    }
#endif
    context_.parallel_for(std::ssize(round.pieces), 1, [&](std::int64_t k) {
      const Piece& piece = round.pieces[static_cast<std::size_t>(k)];
      const LdNear* near = piece.near.empty() ? nullptr : piece.near.data();
      for (const auto& [block, sites] : piece.sites) {
        piece.window->add(block->codes, sites, near);
        if (near != nullptr) near += sites.size();
      }
      if (piece.is_end) piece.window->finish();
    });
  }

  /// The next sites, as many as the memory for them holds; `open`: of a chromosome that may go on.
  /// No pieces where nothing is left to do.
  void read(LdWindow* open, Round& round) {
    round.pieces.clear();
    round.sites = 0;
    if (open != nullptr) round.pieces.emplace_back().window = open;
    // Two rounds are in memory.
    const std::uint64_t most =
        std::min(context_.memory() / 8, static_cast<std::uint64_t>(context_.threads()) << 25);
    constexpr std::int64_t block_bytes = 1 << 20;
    const std::int64_t samples = std::max<std::int64_t>(std::ssize(cohort_.samples()), 1);
    // Of a site three copies of its codes and its names are held.
    const auto site_bytes = static_cast<std::uint64_t>(samples * 3 / 4 + 600);
    const auto affordable = static_cast<std::int64_t>(context_.memory() / 16 / site_bytes);
    const std::int64_t block_sites =
        std::clamp<std::int64_t>(std::min(4 * block_bytes / samples, affordable), 64, 16384);
    std::size_t used = 0;
    std::uint64_t bytes = 0;
    while (bytes < most && !ended_) {
      if (used == round.blocks.size()) round.blocks.emplace_back();
      CallBlock& block = round.blocks[used++];
      ended_ = !cohort_.read(block, block_sites);
      if (!ended_) deal(block, round);
      bytes += static_cast<std::uint64_t>(block.codes.sites * (block.codes.stride + 600));
    }
    read_bytes_ = std::max(read_bytes_, bytes + std::exchange(round_bytes_, bytes));
    if (ended_ && !round.pieces.empty()) round.pieces.back().is_end = true;
  }

  void deal(CallBlock& block, Round& round) {
    round.sites += block.codes.sites;
    for (std::int64_t k = 0; k < block.codes.sites; ++k) {
      auto& sites = piece_of(block.codes.names[static_cast<std::size_t>(k)], round.pieces).sites;
      if (sites.empty() || sites.back().first != &block) sites.push_back({&block, {k, k}});
      ++sites.back().second.end;
    }
  }

  Piece& piece_of(const SiteName& site, std::vector<Piece>& pieces) {
    if (!order_.begins_chromosome(site)) return pieces.back();
    if (!pieces.empty()) pieces.back().is_end = true;
    windows_.push_back(std::make_unique<LdWindow>(context_, params_, samples_, bytes_));
    pieces.emplace_back().window = windows_.back().get();
    return pieces.back();
  }

  void take_decided(LdWindow& window, const LdReport& report) {
    for (const LdDecision& site : window.take_decided()) {
      const auto number = static_cast<std::size_t>(site.number);
      stays_.resize(std::max(stays_.size(), number + 1));
      stays_[number] = site.stays;
      if (report) report(site.name, site.stays);
    }
  }

  Context& context_;
  Cohort& cohort_;
  LdPruneParams params_;
  LdSamples samples_;
  LdBytes bytes_;
  std::uint64_t round_bytes_ = 0;  ///< of what was read last
  std::uint64_t read_bytes_ = 0;   ///< the most of two rounds
  bool ended_ = false;
  SiteOrder order_{"--indep-pairwise"};
  std::vector<std::unique_ptr<LdWindow>> windows_;
  std::vector<bool> stays_;
#ifdef YUPANA_CUDA
  std::unique_ptr<cuda::LdPairs> pairs_;
  const LdWindow* correlated_ = nullptr;  ///< of the chromosome that pairs_ holds
#endif
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
                           const LdReport& report,
                           std::uint64_t* peak_bytes) {
  if (cohort.samples().size() < 2) {
    throw input_error("--indep-pairwise: expected at least 2 samples, got {}; keep more",
                      cohort.samples().size());
  }
  if (cohort.founders().size() < 2) {
    throw input_error(
        "--indep-pairwise: expected at least 2 founders, samples without parents in the .fam or "
        ".psam, got {}; it compares no others: to compare all, write 0 for their parents",
        cohort.founders().size());
  }
  cohort.name_sites();
  Pruner pruner(context, cohort, params);
  std::vector<bool> stays = pruner.run(report);
  if (peak_bytes != nullptr) *peak_bytes = pruner.peak_bytes();
  cohort.rewind();
  return stays;
}

}  // namespace yupana::genotype
