#include "yupana/job/length_unit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace yupana::job {

std::string number_text(double value) { return fmt::format("{}", value); }

std::string LengthUnit::weight_name() const {
  const std::string power = number_text(alpha);
  return scale == 1 ? "d^" + power : fmt::format("(d / {})^{}", number_text(scale), power);
}

std::string LengthUnit::length_name() const {
  const std::string sum = "sum of " + weight_name();
  if (!rooted) return sum;
  const std::string factor = scale == 1 ? "" : number_text(scale) + " times the ";
  return fmt::format("{}1/{} power of the {}, in the unit of d", factor, number_text(alpha), sum);
}

double LengthUnit::weight(double d) const { return std::pow(d / scale, alpha); }

double LengthUnit::length(double sum) const {
  return rooted ? scale * std::pow(sum, 1 / alpha) : sum;
}

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
