#include "yupana/job/units.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace yupana::job {

std::string number_text(double value) { return fmt::format("{}", value); }

double Power::of(double entry) const {
  const double value = inner * entry;
  if (exponent == 1) return outer * value;
  if (exponent == 0.5) return outer * std::sqrt(value);
  if (exponent == 2) return outer * (value * value);
  return outer * std::pow(value, exponent);
}

std::string LengthUnit::weight_name() const {
  const std::string power = number_text(alpha);
  return scale == 1 ? "d^" + power : fmt::format("(d / {})^{}", number_text(scale), power);
}

std::string LengthUnit::length_name() const {
  const std::string sum = "sum of " + weight_name();
  if (!rooted) return sum;
  const std::string factor = scale == 1 ? "" : ", times " + number_text(scale);
  return fmt::format("1/{} power of the {}{}, in the unit of d", number_text(alpha), sum, factor);
}

double LengthUnit::weight(double d) const { return std::pow(d / scale, alpha); }

double LengthUnit::length(double sum) const {
  return rooted ? scale * std::pow(sum, 1 / alpha) : sum;
}

Power LengthUnit::weights(Entries entries, double shown) const {
  if (entries == Entries::squares) return {alpha / 2, 1 / (shown * shown)};
  return {alpha, 1 / shown};
}

Power LengthUnit::edges(Entries entries) const {
  // The root of an edge is its distance, whose power may leave the range of doubles.
  const LengthUnit own = {rooted ? 1 : alpha};
  return own.weights(entries, length_scale());
}

Power LengthUnit::lengths(double shown) const {
  if (rooted) return {alpha, 1 / shown, 1};
  return {1, 1, std::pow(length_scale() / shown, alpha)};
}

Power LengthUnit::roots() const { return {rooted ? 1 : 1 / alpha, 1, length_scale()}; }

std::vector<double> distinct_alphas(Context& context, const std::vector<double>& alphas) {
  std::vector<double> distinct;
  for (const double alpha : alphas) {
    if (std::find(distinct.begin(), distinct.end(), alpha) == distinct.end()) {
      distinct.push_back(alpha);
    } else {
      context.note(fmt::format("alpha {} was given more than once and is computed once",
                               number_text(alpha)));
    }
  }
  return distinct;
}

}  // namespace yupana::job
