// Any bytes as a file of signals, .npy or text: refused in one line, or as many numbers as its
// shape says.

#include "tests/fuzz/fuzz_file.hpp"
#include "yupana/io/signal_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = yupana::fuzz::put("signals", data, size);
  yupana::Context context({.device = "cpu", .threads = 1, .memory = 64 << 20});
  yupana::fuzz::expect_one_line([&] {
    const yupana::io::SignalFile file(path);
    const auto signals = file.read<double>(context);
    if (signals.numbers.size() != signals.count() * (signals.complex ? 2 : 1)) std::abort();
  });
  return 0;
}
