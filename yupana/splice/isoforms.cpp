#include "yupana/splice/isoforms.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace yupana::splice {
namespace {

/// Bases of an exon that chains skip, first and last.
using Skipped = std::pair<std::int64_t, std::int64_t>;

/// The best of the chains that skip some exons.
struct Node {
  std::vector<Skipped> skipped;  ///< in order
  SplicedAlignment best;
};

bool overlaps(const Exon& exon, const Skipped& bases) {
  return exon.first <= bases.second && exon.last >= bases.first;
}

/// A problem without the candidates that overlap what is skipped.
struct Smaller {
  std::vector<Skipped> skipped;
  std::vector<Exon> exons;
  std::vector<std::int64_t> places;  ///< of the exons in the problem
};

/// Lawler's partition of the chains: who skips an exon of a listed chain skips its first one, or
/// its second one, and so on; the best of each part is an alignment without some candidates.
class Search {
 public:
  Search(const Case& problem,
         const SplicedAlignment& best,
         const IsoformParams& params,
         const AlignAll& align,
         const IsoformEvidence& evidence)
      : problem_(problem), params_(params), align_(align), evidence_(evidence), listed_{best} {
    open_.push_back({{}, best});
  }

  std::vector<SplicedAlignment> run() {
    std::vector<SplicedAlignment> found;
    while (!open_.empty() && std::ssize(found) + 1 < params_.most) {
      const auto top =
          std::ranges::max_element(open_, {}, [](const Node& a) { return a.best.score; });
      const auto same = std::find_if(listed_.begin(), listed_.end(), [&](const auto& chain) {
        return skips_none(top->best, chain);
      });
      if (same == listed_.end()) {
        // No other part has better chains; its own others are looked at once it is the best again.
        listed_.push_back(top->best);
        if (evidence_.holds(top->best.chain)) found.push_back(top->best);
        continue;
      }
      const Node node = std::move(*top);
      open_.erase(top);
      divide(node, *same);
    }
    return found;
  }

 private:
  Skipped bases_of(const ExonAlignment& part) const {
    const Exon& exon = problem_.exons[static_cast<std::size_t>(part.exon)];
    return {exon.first, exon.last};
  }
  bool skips_none(const SplicedAlignment& chain, const SplicedAlignment& better) const {
    return std::all_of(better.chain.begin(), better.chain.end(), [&](const ExonAlignment& whole) {
      return std::any_of(chain.chain.begin(), chain.chain.end(), [&](const ExonAlignment& part) {
        return overlaps(problem_.exons[static_cast<std::size_t>(part.exon)], bases_of(whole));
      });
    });
  }

  /// Opens the parts of the node that skip one exon more, each of the chain's.
  void divide(const Node& node, const SplicedAlignment& chain) {
    constexpr std::size_t batch_bytes = std::size_t{64} << 20;
    std::vector<Smaller> batch;
    std::size_t bytes = 0;
    for (const ExonAlignment& part : chain.chain) {
      std::vector<Skipped> skipped = node.skipped;
      const Skipped more = bases_of(part);
      skipped.insert(std::upper_bound(skipped.begin(), skipped.end(), more), more);
      if (!seen_.insert(skipped).second) continue;
      batch.push_back(without(std::move(skipped)));
      bytes += batch.back().exons.size() * (sizeof(Exon) + sizeof(std::int64_t));
      if (bytes < batch_bytes) continue;
      open(batch);
      batch.clear();
      bytes = 0;
    }
    open(batch);
  }

  Smaller without(std::vector<Skipped> skipped) const {
    Smaller smaller{std::move(skipped), {}, {}};
    for (std::int64_t k = 0; k < std::ssize(problem_.exons); ++k) {
      const Exon& exon = problem_.exons[static_cast<std::size_t>(k)];
      if (!evidence_.exons.empty() && !evidence_.exons[static_cast<std::size_t>(k)]) continue;
      const bool is_out = std::any_of(smaller.skipped.begin(),
                                      smaller.skipped.end(),
                                      [&](const Skipped& bases) { return overlaps(exon, bases); });
      if (is_out) continue;
      smaller.exons.push_back(exon);
      smaller.places.push_back(k);
    }
    return smaller;
  }

  void open(std::vector<Smaller>& batch) {
    std::vector<Case> cases;
    for (const Smaller& one : batch) cases.push_back({problem_.bases, one.exons, problem_.target});
    if (cases.empty()) return;
    std::vector<SplicedAlignment> found = align_(cases);
    const auto most = static_cast<double>(listed_.front().score);
    for (std::size_t c = 0; c < cases.size(); ++c) {
      if (found[c].chain.empty()) continue;
      if (static_cast<double>(found[c].score) / most < params_.least_share) continue;
      for (ExonAlignment& part : found[c].chain) {
        part.exon = batch[c].places[static_cast<std::size_t>(part.exon)];
      }
      open_.push_back({std::move(batch[c].skipped), std::move(found[c])});
    }
  }

  const Case problem_;
  const IsoformParams& params_;
  const AlignAll& align_;
  const IsoformEvidence& evidence_;
  std::vector<SplicedAlignment> listed_;
  std::vector<Node> open_;
  std::set<std::vector<Skipped>> seen_;
};

}  // namespace

std::vector<SplicedAlignment> next_isoforms(const Case& problem,
                                            const SplicedAlignment& best,
                                            const IsoformParams& params,
                                            const AlignAll& align,
                                            const IsoformEvidence& evidence) {
  if (best.score <= 0 || best.chain.empty()) return {};
  return Search(problem, best, params, align, evidence).run();
}

}  // namespace yupana::splice
