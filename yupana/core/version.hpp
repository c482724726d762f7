#pragma once

namespace yupana {

inline constexpr const char* version = "0.1.0";

}  // namespace yupana
