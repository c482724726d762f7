#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "yupana/core/random.hpp"

namespace yupana::genotype {

/// How the populations of a simulated cohort are related.
enum class Structure {
  island,  ///< equally: the island model
  line,  ///< isolation by distance: each population is next to two others, those at the ends to one
  ring,  ///< the same, and the last population is next to the first
};

/// Allele frequencies of K populations under the model of Balding and Nichols (Genetica 96, 1995).
/// At every site, independently of all others, with F = F_ST:
///   ancestral frequency  p ~ Uniform(0.05, 0.95)
///   frequency in a population  q ~ Beta(p (1 - F) / F, (1 - p) (1 - F) / F); p itself if F = 0
///
/// q = A / (A + B) of two gamma variates, each a sum over w sources of ancestry. The sources lie in
/// a row, population k has those at k .. k + w - 1, so two populations j steps apart share w - j:
///   island  w = 1
///   line    w = max(1, K - 1)
///   ring    w = max(1, K / 2), the row of K sources closed to a circle
/// So F_ST of two populations is F where they share no source (those farthest apart), and grows
/// with the steps between them, ever less: isolation by distance, as of stepping stones in a row
/// (Kimura and Weiss, Genetics 49, 1964; Rousset, Genetics 145, 1997).
///   work: two gamma variates a source and O(K) additions a site; memory: O(K)
///   determinism: frequencies depend on seed and site alone
class PopulationFrequencies {
 public:
  PopulationFrequencies(Structure structure,
                        std::int64_t populations,
                        double fst,
                        std::uint64_t seed);

  std::int64_t populations() const { return populations_; }
  /// Frequency of A1 in every population at one site.
  void draw(std::int64_t site, std::vector<double>& result) const;

 private:
  std::int64_t populations_;
  double fst_;
  std::uint64_t seed_;
  std::int64_t window_;   ///< sources of a population
  std::int64_t sources_;  ///< of all populations
};

/// sums[k] = values[k] + ... + values[k + window - 1]; values holds window - 1 numbers more.
///   work: three additions a sum, for every window; nothing is subtracted
///   source: van Herk (Pattern Recognition Letters 13, 1992), with sums in place of maxima
void window_sums(std::span<const double> values, std::int64_t window, std::span<double> sums);

/// Families of a simulated cohort. From the first sample of a population on, every `size` samples
/// are a father, a mother and their children; what is left at its end is unrelated.
class SimulatedFamilies {
 public:
  SimulatedFamilies() = default;
  /// bounds: first sample of each population, and their end. size < 3: no families.
  SimulatedFamilies(std::span<const std::int64_t> bounds, std::int64_t size);

  bool empty() const { return fathers_.empty(); }
  /// The father of the sample's family, whose mother is the next sample; -1: it is unrelated.
  std::int64_t father_of_family(std::int64_t sample) const {
    return empty() ? -1 : fathers_[static_cast<std::size_t>(sample)];
  }
  bool is_child(std::int64_t sample) const {
    const std::int64_t father = father_of_family(sample);
    return father >= 0 && sample > father + 1;
  }
  /// Replaces the codes of children, which are parents' in no missing call: from each parent an
  /// allele, either with probability 1/2. Child i of all takes bits 2 (i mod 32) and the next of
  /// word floor(i / 32).
  void inherit(const Random& random, std::uint8_t* row) const;

 private:
  std::int64_t size_ = 0;
  std::vector<std::int64_t> fathers_;  ///< of each sample's family
};

/// Standard normal by the ziggurat of Marsaglia and Tsang (J. Stat. Software 5(8), 2000) in the
/// form of Doornik (2005): 128 boxes of equal area under the density, one random word in 98 % of
/// the draws and no logarithm.
class Normal {
 public:
  static double draw(RandomSequence& random) {
    static const Normal tables;
    return tables.from(random);
  }

 private:
  static constexpr int boxes = 128;
  static constexpr double tail = 3.442619855899;       ///< where the base box ends
  static constexpr double area = 9.91256303526217e-3;  ///< of each box

  Normal() {
    double f = std::exp(-0.5 * tail * tail);
    edge_[0] = area / f;
    edge_[1] = tail;
    for (int i = 2; i < boxes; ++i) {
      edge_[i] = std::sqrt(-2 * std::log(area / edge_[i - 1] + f));
      f = std::exp(-0.5 * edge_[i] * edge_[i]);
    }
    edge_[boxes] = 0;
    for (int i = 0; i < boxes; ++i) inside_[i] = edge_[i + 1] / edge_[i];
  }

  double from(RandomSequence& random) const {
    for (;;) {
      const std::uint64_t word = random.word();
      const auto box = static_cast<int>(word % boxes);
      const double u = 2 * (static_cast<double>(word >> 11) * 0x1p-53) - 1;
      if (std::abs(u) < inside_[box]) return u * edge_[box];
      if (box == 0) return beyond_tail(random, u < 0);
      const double x = u * edge_[box];
      const double high = std::exp(-0.5 * (edge_[box] * edge_[box] - x * x));
      const double low = std::exp(-0.5 * (edge_[box + 1] * edge_[box + 1] - x * x));
      if (low + random.uniform() * (high - low) < 1) return x;
    }
  }

  static double beyond_tail(RandomSequence& random, bool negative) {
    for (;;) {
      const double x = std::log(1 - random.uniform()) / tail;
      const double y = std::log(1 - random.uniform());
      if (-2 * y >= x * x) return negative ? x - tail : tail - x;
    }
  }

  std::array<double, boxes + 1> edge_;
  std::array<double, boxes> inside_;
};

/// Gamma(shape, 1): Marsaglia and Tsang (ACM TOMS 26, 2000); below 1 their boost by u^(1/shape).
class Gamma {
 public:
  explicit Gamma(double shape)
      : shape_(shape), d_((shape < 1 ? shape + 1 : shape) - 1.0 / 3), c_(1 / std::sqrt(9 * d_)) {}

  double draw(RandomSequence& random) const {
    for (;;) {
      const double x = Normal::draw(random);
      const double root = 1 + c_ * x;
      if (root <= 0) continue;
      const double v = root * root * root;
      const double u = 1 - random.uniform();  // (0, 1]
      const double square = x * x;
      if (u < 1 - 0.0331 * square * square ||
          std::log(u) < 0.5 * square + d_ * (1 - v + std::log(v))) {
        return shape_ < 1 ? d_ * v * std::pow(1 - random.uniform(), 1 / shape_) : d_ * v;
      }
    }
  }

 private:
  double shape_;
  double d_;
  double c_;
};

}  // namespace yupana::genotype
