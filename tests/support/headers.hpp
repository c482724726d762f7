#pragma once

// Read once for all tests (tests/CMakeLists.txt). Each includes what it needs all the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/matrix.hpp"
