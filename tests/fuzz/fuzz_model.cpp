// Any bytes as a model of trees, JSON or binary: refused in one line, or a model that predicts, is
// shown, and reads back as the same bytes.
#include <fstream>
#include <iterator>
#include <limits>

#include "tests/fuzz/fuzz_file.hpp"
#include "yupana/forest/predict.hpp"
#include "yupana/io/model_files.hpp"

namespace {

using yupana::forest::Model;

constexpr std::uint64_t memory = 64 << 20;

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string written(yupana::Context& context, const Model& model) {
  const std::string path = (yupana::fuzz::folder() / "written.model").string();
  yupana::AtomicFile file(path);
  yupana::io::write_model_binary(context, file, model);
  file.commit();
  return path;
}

void use(yupana::Context& context, const Model& model) {
  const auto features = std::ssize(model.features);
  yupana::Table<double> rows(3, std::vector<std::string>(model.features));
  for (std::int64_t c = 0; c < features; ++c) {
    rows.column(c)[0] = static_cast<double>(c);
    rows.column(c)[1] = -1e300;
    rows.column(c)[2] = std::numeric_limits<double>::quiet_NaN();
  }
  const auto shares = yupana::forest::predict_shares<double>(context, model, rows.view());
  const auto outputs = model.is_class() ? std::ssize(model.classes) : 1;
  if (shares.rows() != 3 || shares.cols() != outputs) std::abort();
  if (model.is_class()) {
    const auto classes = yupana::forest::predict_classes<double>(context, model, rows.view());
    for (std::int64_t i = 0; i < 3; ++i) {
      if (classes[i] < 0 || classes[i] >= outputs) std::abort();
    }
  }
  const auto last = std::ssize(model.trees) - 1;
  if (yupana::io::rules_text(model, last).empty()) std::abort();
  if (yupana::io::tree_dot(model, last).empty()) std::abort();
  if (yupana::io::tree_svg(model, last).empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static yupana::Context context({.device = "cpu", .threads = 1, .memory = memory});
  const std::string path = yupana::fuzz::put("model", data, size);
  yupana::fuzz::expect_one_line([&] {
    const Model model = yupana::io::read_model(path, memory);
    use(context, model);
    const std::string once = contents(written(context, model));
    const std::string copy = (yupana::fuzz::folder() / "written.model").string();
    if (contents(written(context, yupana::io::read_model(copy, memory))) != once) std::abort();
  });
  return 0;
}
