// Any bytes as a table of labels and as a list of samples: refused with one line, or labels that
// name what they say.
#include <string>

#include "tests/fuzz/fuzz_file.hpp"
#include "yupana/io/sample_lists.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const char* const columns[] = {"", "2", "pop", "1"};
  yupana::io::SampleNames samples;
  samples.ids = {"a", "b", "c"};
  const std::string path = yupana::fuzz::put("labels", data + 1, size - 1);
  yupana::fuzz::expect_one_line([&] {
    const yupana::io::SampleLabels labels =
        yupana::io::read_labels(path, samples, columns[data[0] % 4]);
    if (labels.of.size() != samples.ids.size()) std::abort();
    for (const std::int64_t label : labels.of) {
      if (label < -1 || label >= std::ssize(labels.names)) std::abort();
    }
  });
  if (data[0] & 4) {
    samples.families = {"f", "f", "g"};
    samples.individuals = samples.ids;
  }
  yupana::fuzz::expect_one_line([&] {
    for (const std::string& id : yupana::io::read_sample_list(path, samples).ids) {
      if (id != "a" && id != "b" && id != "c") std::abort();
    }
  });
  return 0;
}
