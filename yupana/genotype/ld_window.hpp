#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/genotype/ld_pairs.hpp"
#include "yupana/genotype/ld_prune.hpp"

namespace yupana::genotype {

/// Calls of one site over the founders, a bit each, in planes of `words` words one after the other:
///   plane 0: homozygous      plane 1: x = 2      plane 2: called
/// With y = x - 1, which has the same correlations, y is 1 where plane 1 is, -1 where plane 0 alone
/// is. Words are a multiple of 8; bits past the last founder are zero. Sample 32 w + p is bit 2 p
/// of word w or, from w = words on, bit 2 p + 1 of word w - words: no bit of the codes leaves its
/// word.
struct LdPlanes {
  const std::uint64_t* bits;
  std::int64_t words;

  const std::uint64_t* plane(int k) const { return bits + k * words; }
};

/// Sums over the samples where sites a and b are both called.
struct LdSums {
  std::int64_t called = 0;
  std::int64_t a = 0;          ///< of y of a
  std::int64_t a_squares = 0;  ///< of its squares
  std::int64_t b = 0;
  std::int64_t b_squares = 0;
  std::int64_t product = 0;

  bool operator==(const LdSums&) const = default;
};

namespace reference {
LdSums ld_planes(const std::uint64_t* codes, std::uint64_t* bits, std::int64_t words);
LdSums ld_sums(const LdPlanes& a, const LdPlanes& b);
std::int64_t ld_product(const LdPlanes& a, const LdPlanes& b);
}  // namespace reference

namespace cpu {
/// Makes the planes of the codes of 64 * words samples, missing past the last founder; the sums of
/// the site with itself.
LdSums ld_planes(const std::uint64_t* codes, std::uint64_t* bits, std::int64_t words);
LdSums ld_sums(const LdPlanes& a, const LdPlanes& b);
/// The product alone: the other sums are a site's own where no call is missing.
std::int64_t ld_product(const LdPlanes& a, const LdPlanes& b);
}  // namespace cpu

/// Places of samples in a row of codes.
struct LdSamples {
  std::vector<std::int64_t> founders;  ///< whose calls are correlated
  std::vector<std::int64_t> counted;   ///< whose alleles make the rarer one; include the founders
};

/// Bytes that the sites of windows hold, of all windows together.
class LdBytes {
 public:
  explicit LdBytes(std::uint64_t most) : most_(most) {}
  /// Throws out_of_resources above the most.
  void add(std::uint64_t bytes);
  void remove(std::uint64_t bytes) { held_ -= bytes; }
  std::uint64_t peak() const { return peak_; }

 private:
  std::uint64_t most_;
  std::atomic<std::uint64_t> held_ = 0, peak_ = 0;
};

/// Memory that one site after the other uses.
struct LdMemory {
  Array<std::uint64_t> codes;              ///< of the founders
  std::vector<Array<std::uint64_t>> bits;  ///< of sites that were dropped
};

/// A site as windows compare it.
struct LdSite {
  std::string name;
  std::int64_t position = 0, number = 0;
  Array<std::uint64_t> bits;  ///< of its planes
  LdSums own;                 ///< against itself: called, a and a_squares
  std::int64_t minor = 0;     ///< copies of the rarer allele among the samples that --maf counts
  std::int64_t called = 0;    ///< of these samples
  bool complete = false;      ///< all founders are called
  std::int64_t index = 0;     ///< in its chromosome
  LdNear near;
  bool stays = true;

  LdPlanes planes() const { return {bits.data(), bits.size() / 3}; }
  /// True where all calls are alike: the variance is zero.
  bool is_constant() const { return own.called * own.a_squares == own.a * own.a; }
};

/// The codes of the founders of a row, then missing ones up to `bytes`.
void gather_founders(const std::uint8_t* row,
                     const std::vector<std::int64_t>& founders,
                     std::uint8_t* to,
                     std::int64_t bytes);

/// The site of a row of codes, without its name.
LdSite make_ld_site(const std::uint8_t* row,
                    const LdSamples& samples,
                    Backend backend,
                    LdMemory& memory);

/// The decision on a site.
struct LdDecision {
  std::string name;
  std::int64_t number;
  bool stays;
};

/// The sites of one chromosome as they come, pruned window after window.
class LdWindow {
 public:
  /// `samples` and `bytes` must outlive it.
  LdWindow(Context& context, const LdPruneParams& params, const LdSamples& samples, LdBytes& bytes)
      : context_(context), params_(params), samples_(samples), bytes_(bytes) {}

  /// Takes the next sites, these of a block, their names and, if given, their correlations. Decides
  /// on what has left the window.
  void add(SiteBlock& block, Range sites, const LdNear* near = nullptr);
  /// Decides on the sites that are left.
  void finish();
  /// Sites that are decided, in order.
  std::vector<LdDecision> take_decided();

 private:
  struct Live {
    LdSite* site;
    std::size_t next;  ///< place among the live sites of the first to compare it with
  };

  std::int64_t end() const { return first_ + std::ssize(sites_); }
  LdSite& site(std::int64_t index) { return sites_[static_cast<std::size_t>(index - first_)]; }
  std::int64_t window_end();
  bool is_whole() const;
  void compare_new();
  bool compare_first(Live& live);
  bool correlated(const LdSite& a, const LdSite& b) const;
  void drop(LdSite& site);
  void keep_bits(LdSite& site);
  void pop(std::int64_t count);

  Context& context_;
  LdPruneParams params_;
  const LdSamples& samples_;
  LdBytes& bytes_;
  LdMemory memory_;
  std::deque<LdSite> sites_;  ///< from the window's first on
  std::int64_t first_ = 0;    ///< index of the window's first site in the chromosome
  std::int64_t window_ = 0;   ///< end of the window
  std::vector<Live> live_;    ///< sites of the window that stay so far, in order
  std::vector<LdDecision> decided_;
};

}  // namespace yupana::genotype
