// Any bytes as a model of trees, JSON or binary: refused in one line, or a model that can be told,
// pruned, exported and used.
#include <cmath>
#include <string_view>

#include "tests/fuzz/fuzz_file.hpp"
#include "yupana/core/error.hpp"
#include "yupana/forest/prune.hpp"
#include "yupana/io/model_files.hpp"
#include "yupana/io/onnx.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = yupana::fuzz::put("trees.json", data, size);
  try {
    const yupana::forest::Model model = yupana::io::read_model(path, 64 << 20);
    const auto features = static_cast<std::int32_t>(model.features.size());
    for (std::size_t t = 0; t < model.trees.size(); ++t) {
      const yupana::forest::Tree& tree = model.trees[t];
      // A row of which every other value is missing.
      const auto at = [](std::int32_t f) { return f % 2 == 0 ? 0.5 : std::nan(""); };
      const std::int32_t leaf = yupana::forest::leaf_of(tree, at);
      if (leaf < 0 || leaf >= std::ssize(tree.nodes)) std::abort();
      for (const auto& node : tree.nodes) {
        if (node.feature >= features) std::abort();
      }
      yupana::io::rules_text(model, static_cast<std::int64_t>(t));
      yupana::forest::cost_complexity_path(tree);
    }
    yupana::io::onnx_model(model);
  } catch (const yupana::Error& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
