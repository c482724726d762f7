
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/text_files.hpp"
#include "yupana/io/model_files.hpp"

namespace yupana::io {
namespace {

using forest::Model;
using forest::Node;
using forest::Tree;
using test::Folder;
using test::refusal;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Trees whose numbers take every form: whole or not, of any size, infinite; the last splits
/// categories.
Model model() {
  Model model;
  model.features = {"x", "größe"};
  model.classes = {"a", "b"};
  model.label = "class";
  for (const double threshold : {0.1, -infinity, infinity}) {
    Tree tree;
    tree.outputs = 2;
    tree.nodes = {Node{1, 1, 2, true, threshold, 300, 300, 0.48},
                  Node{-1, -1, -1, false, 0, 200, 200.5, 0},
                  Node{-1, -1, -1, true, 0, 100, 1e-300, 0.3}};
    tree.values = {180, 120, 0.1 + 0.2, 1e300, 100, 0};
    model.trees.push_back(tree);
  }
  Tree last = model.trees[0];
  last.nodes[0].threshold = 0;
  last.nodes[0].set = 0;
  last.sets = {{true, false, false, true, false, false, false, false, true, true}};
  model.trees.push_back(last);
  return model;
}

Context context({.device = "cpu"});

TEST(ModelBinary, ReadsBackTheSame) {
  const Model whole = model();
  EXPECT_EQ(model_from_bytes("m", model_bytes(whole)), whole);
}

TEST(ModelBinary, EveryDamagedByteIsFound) {
  const std::string bytes = model_bytes(model());
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const char bit : {1, 16, -128}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ bit);
      EXPECT_THROW(model_from_bytes("m", damaged), Error) << at;
    }
    EXPECT_THROW(model_from_bytes("m", bytes.substr(0, at)), Error) << at;
  }
  EXPECT_THROW(model_from_bytes("m", bytes + '\0'), Error);
}

TEST(ModelBinary, TheFormWithoutAChecksumIsRefused) {
  const std::string old = "YUPTREES" + model_bytes(model()).substr(8);
  EXPECT_NE(refusal([&] { model_from_bytes("m", old); }).find("earlier version"),
            std::string::npos);
}

TEST(ModelBinary, TakesLessThanHalfOfTheJson) {
  Model large = model();
  large.trees.clear();
  Tree tree;
  tree.outputs = 2;
  for (std::int32_t i = 0; i < 1000; ++i) {
    tree.nodes.push_back(Node{0, 2 * i + 1, 2 * i + 2, false, i + 0.5, 1001 - i, 1001.0 - i, 0.25});
    tree.nodes.push_back(Node{-1, -1, -1, false, 0, 1, 1, 0});
    for (const double value : {501.0, 500.0 - i / 2, 1.0, 0.0}) tree.values.push_back(value);
  }
  tree.nodes.push_back(Node{-1, -1, -1, false, 0, 1, 1, 0});
  tree.values.insert(tree.values.end(), {0.0, 1.0});
  for (std::int32_t i = 0; i < 1000; ++i) {
    tree.nodes[static_cast<std::size_t>(2 * i)].left = 2 * i + 1;
    tree.nodes[static_cast<std::size_t>(2 * i)].right = 2 * i + 2;
  }
  large.trees.push_back(tree);
  const Folder folder;
  AtomicFile json(folder / "m.json");
  write_model_json(context, json, large);
  json.commit();
  EXPECT_LT(2 * model_bytes(large).size(), test::bytes_of(folder / "m.json").size());
  EXPECT_EQ(read_model(folder / "m.json", ~std::uint64_t{0}), large);
}

TEST(ModelJson, InfiniteThresholdsReadBackAndNullIsRefused) {
  const Folder folder;
  AtomicFile file(folder / "m.json");
  write_model_json(context, file, model());
  file.commit();
  EXPECT_EQ(read_model(folder / "m.json", ~std::uint64_t{0}), model());
  std::string text = test::bytes_of(folder / "m.json");
  text.replace(text.find("\"-inf\""), 6, "null");
  EXPECT_NE(refusal([&] { model_from_bytes("m", text); }).find("null"), std::string::npos);
}

TEST(ModelJson, MemoryIsCountedBeforeItIsTaken) {
  const Folder folder;
  AtomicFile file(folder / "m.json");
  write_model_json(context, file, model());
  file.commit();
  const auto size = test::bytes_of(folder / "m.json").size();
  const auto fault = [&](const std::string& bytes, std::uint64_t most) {
    return refusal([&] { model_from_bytes("m", bytes, most); }, ErrorCode::out_of_resources);
  };
  EXPECT_NE(fault(test::bytes_of(folder / "m.json"), size).find("--memory"), std::string::npos);
  const std::string binary = model_bytes(model());
  EXPECT_NE(fault(binary, binary.size()).find("--memory"), std::string::npos);
}

TEST(ModelNames, ThatAreNoUtf8AreRefusedInEveryForm) {
  Model latin = model();
  latin.classes[0] = "caf\xe9";
  const Folder folder;
  AtomicFile file(folder / "m.json");
  EXPECT_NE(refusal([&] { write_model_json(context, file, latin); }).find("iconv"),
            std::string::npos);
  EXPECT_NE(refusal([&] { model_bytes(latin); }).find("UTF-8"), std::string::npos);
}

}  // namespace
}  // namespace yupana::io
