// Any bytes as .npy, PLINK binary or text: refused, or a matrix of distances.

#include "tests/fuzz/fuzz_file.hpp"
#include "yupana/io/matrix_reader.hpp"

namespace {

template <class T>
void expect_distances(const yupana::SquareMatrix<T>& m) {
  for (std::int64_t i = 0; i < m.size(); ++i) {
    if (m(i, i) != 0) std::abort();
    for (std::int64_t j = 0; j < i; ++j) {
      if (!(m(i, j) >= 0) || m(i, j) != m(j, i)) std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static yupana::Context context({.device = "cpu", .threads = 1, .memory = 64 << 20});
  if (size == 0) return 0;
  static const char* const names[] = {"d.txt", "d.npy", "d.bin"};
  const std::string path = yupana::fuzz::put(names[data[0] % 3], data + 1, size - 1);
  yupana::fuzz::expect_one_line([&] {
    const yupana::io::DistanceMatrix read = yupana::io::read_distances(context, path);
    std::visit(
        [&](const auto& m) {
          expect_distances(m);
          if (!read.names.empty() && std::ssize(read.names) != m.size()) std::abort();
        },
        read.values);
  });
  return 0;
}
