// Any bytes as points, .npy, TSPLIB or a table: refused in one line, or points that are finite
// where they came from a text.
#include <cmath>
#include <variant>

#include "tests/fuzz/fuzz_file.hpp"
#include "yupana/io/points.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = yupana::fuzz::put("points", data, size);
  static yupana::Context context({.device = "cpu", .threads = 1, .memory = 64 << 20});
  for (const std::vector<std::string>& columns :
       {std::vector<std::string>{}, std::vector<std::string>{"2", "x"}}) {
    yupana::fuzz::expect_one_line([&] {
      const yupana::io::Points points = yupana::io::read_points(context, {path, columns});
      const bool npy = size > 0 && data[0] == 0x93;
      std::visit(
          [&](const auto& matrix) {
            for (std::int64_t i = 0; i < matrix.rows() * matrix.cols(); ++i) {
              if (!npy && !std::isfinite(matrix.data()[i])) std::abort();
            }
          },
          points);
    });
  }
  return 0;
}
