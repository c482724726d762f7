// Gives every fuzz target its corpus, without a fuzzer: any compiler and sanitizer replays what
// fuzzing has found, in the usual tests.
//
//   replay_fuzz CORPUS SEEDS     CORPUS/TARGET.corpus and the files of SEEDS/TARGET
//   replay_fuzz TARGET FILE...   inputs of one target, as its libFuzzer program takes them
//
// A .corpus holds inputs one after the other, each after its length in four bytes (corpus.py).
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#define TARGET(name) extern "C" int name(const std::uint8_t*, std::size_t);
YUPANA_FUZZ_TARGETS
#undef TARGET

namespace {

namespace fs = std::filesystem;

struct Target {
  const char* name;
  int (*run)(const std::uint8_t*, std::size_t);
};

#define TARGET(name) Target{#name, name},
constexpr std::array targets{YUPANA_FUZZ_TARGETS};
#undef TARGET

std::array<char, 256> current{};  // the input that is being read, for the line about a crash

void report_crash(int number) {
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, current.data(), std::strlen(current.data()));
  std::signal(number, SIG_DFL);
  std::raise(number);
}

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void run(const Target& target, const std::string& name, std::string_view input) {
  const std::string line = fmt::format("{}: {} crashes it\n", target.name, name);
  std::copy_n(line.data(), std::min(line.size() + 1, current.size() - 1), current.data());
  target.run(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

/// The number of inputs of a packed corpus; -1 where it ends within one.
int run_corpus(const Target& target, const fs::path& path) {
  const std::string all = bytes_of(path);
  int count = 0;
  for (std::size_t at = 0; at < all.size(); ++count) {
    std::uint32_t size = 0;
    if (all.size() - at < sizeof(size)) return -1;
    std::memcpy(&size, all.data() + at, sizeof(size));
    at += sizeof(size);
    if (all.size() - at < size) return -1;
    run(target, fmt::format("input {} of {}", count, path.string()), {all.data() + at, size});
    at += size;
  }
  return count;
}

int run_seeds(const Target& target, const fs::path& folder) {
  int count = 0;
  if (!fs::is_directory(folder)) return 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    run(target, entry.path().string(), bytes_of(entry.path()));
    ++count;
  }
  return count;
}

int run_all(const fs::path& corpus, const fs::path& seeds) {
  int total = 0;
  for (const Target& target : targets) {
    const int packed = run_corpus(target, corpus / fmt::format("{}.corpus", target.name));
    if (packed < 1) {
      fmt::print(stderr, "{}: expected a corpus of whole inputs, got none\n", target.name);
      return 1;
    }
    const int count = packed + run_seeds(target, seeds / target.name);
    fmt::print("{}: {} inputs\n", target.name, count);
    total += count;
  }
  fmt::print("{} targets, {} inputs\n", targets.size(), total);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE}) std::signal(number, report_crash);
  const auto* const named =
      argc < 2 ? targets.end() : std::ranges::find_if(targets, [&](const Target& target) {
        return std::string_view(argv[1]) == target.name;
      });
  if (named != targets.end()) {
    for (int k = 2; k < argc; ++k) run(*named, argv[k], bytes_of(argv[k]));
    return 0;
  }
  if (argc == 3 && fs::is_directory(argv[1])) return run_all(argv[1], argv[2]);
  fmt::print(stderr, "usage: {} CORPUS SEEDS | TARGET FILE...\n", argv[0]);
  return 2;
}
