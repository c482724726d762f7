// Any bytes as a model's JSON, beside a codebook that fits one: refused in one line, or a model
// whose parts fit together.

#include "tests/fuzz/fuzz_file.hpp"
#include "yupana/io/npy_file.hpp"
#include "yupana/io/som_model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool once = [] {
    std::string npy = yupana::io::npy_preamble("<f4", 2, 1);
    npy.append(8, '\0');
    yupana::fuzz::put("map.codebook.npy", npy);
    return true;
  }();
  static yupana::Context context({.device = "cpu", .threads = 1, .memory = 64 << 20});
  const std::string path = yupana::fuzz::put("map.json", data, size);
  yupana::fuzz::expect_one_line([&] {
    const yupana::io::SomModel model = yupana::io::read_som_model(context, path);
    const std::int64_t neurons = model.params.grid.size();
    const bool fits = once && model.codebook.rows() == neurons &&
                      model.codebook.cols() == std::ssize(model.features) &&
                      std::ssize(model.hits) == neurons;
    if (!fits) std::abort();
  });
  return 0;
}
