#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/genotype/ld_prune.hpp"
#include "yupana/genotype/ld_prune_backends.hpp"

namespace yupana::genotype {

/// A site as windows compare it.
struct LdSite {
  SiteName name;
  Array<std::uint64_t> bits;  ///< of its planes
  LdSums own;                 ///< against itself: called, a and a_squares
  std::int64_t founders = 0;
  std::int64_t minor = 0;   ///< copies of the rarer allele among the samples that --maf counts
  std::int64_t called = 0;  ///< of these samples
  bool stays = true;

  LdPlanes planes() const { return {bits.data(), bits.size() / 3}; }
  bool is_complete() const { return own.called == founders; }
  /// True where all calls are alike: the variance is zero.
  bool is_constant() const { return own.called * own.a_squares == own.a * own.a; }
};

/// The site of a row of codes: sums over the samples `founders` of them, the rarer allele over the
/// samples `counted`, which include them.
LdSite make_ld_site(const std::uint8_t* codes,
                    const std::vector<std::int64_t>& founders,
                    const std::vector<std::int64_t>& counted,
                    Backend backend);

/// The sites of one chromosome as they come, pruned window after window.
class LdWindow {
 public:
  LdWindow(Context& context, const LdPruneParams& params) : context_(context), params_(params) {}

  /// Takes the next sites; `is_end`: there are no others. Decides on what has left the window.
  ///   errors: bad_input for a site before the one before it
  void add(std::vector<LdSite> sites, bool is_end);
  /// Sites that are decided, in order, without their planes.
  std::vector<LdSite> take_decided();

 private:
  struct Live {
    std::int64_t index;
    std::size_t next;  ///< place among the live sites of the first to compare it with
  };

  std::int64_t end() const { return first_ + std::ssize(sites_); }
  LdSite& site(std::int64_t index) { return sites_[static_cast<std::size_t>(index - first_)]; }
  std::int64_t window_end() const;
  bool is_whole(bool is_end) const;
  void compare_new();
  bool compare_first(Live& live);
  bool correlated(const LdSite& a, const LdSite& b) const;
  void drop(LdSite& site);
  void pop(std::int64_t count);

  Context& context_;
  LdPruneParams params_;
  std::deque<LdSite> sites_;  ///< from the window's first on
  std::int64_t first_ = 0;    ///< index of the window's first site in the chromosome
  std::int64_t window_ = 0;   ///< end of the window
  std::vector<Live> live_;    ///< sites of the window that stay so far
  std::vector<LdSite> decided_;
};

}  // namespace yupana::genotype
