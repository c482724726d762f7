#pragma once

#include <string>
#include <vector>

namespace yupana::report {

/// Round numbers (1, 2 or 5 times a power of ten apart) within [low, high], about `count` of them.
std::vector<double> ticks(double low, double high, double count);

/// The ticks as text, all with the digits that their step needs.
std::vector<std::string> tick_texts(const std::vector<double>& values);

}  // namespace yupana::report
