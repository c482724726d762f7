#pragma once

#include <array>
#include <cmath>

#include "yupana/core/random.hpp"

namespace yupana::genotype {

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
