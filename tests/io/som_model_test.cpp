#include "yupana/io/som_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/text_files.hpp"

namespace yupana::io {
namespace {

using Json = nlohmann::ordered_json;

class SomModelTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_ / name; }
  void write(const SomModel& model) const {
    OutputFiles files;
    AtomicFile& json = files.add(path("map.json"));
    write_som_model(json, files.add(path("map.codebook.npy")), model);
    files.commit();
  }
  void put(const std::string& name, const std::string& bytes) const { folder_.put(name, bytes); }
  /// The message of the error that reading ends with.
  std::string refused() {
    return test::refusal([&] { read_som_model(context_, path("map.json")); });
  }

  test::Folder folder_;
  Context context_{{.device = "cpu", .threads = 1}};
};

/// A model with every part, of numbers that no shorter text gives back.
SomModel whole_model() {
  SomModel model;
  model.params.grid = {2, 3, som::Lattice::hexagonal, true};
  model.params.neighborhood = som::Neighborhood::truncated;
  model.params.schedule = {7, 2, 1.0 / 3, 0.1, std::acos(-1.0)};
  model.params.initial = som::Initial::pca;
  model.params.training = som::Training::online;
  model.params.learning_rate = 0.3;
  model.params.seed = 0xfedcba9876543210;
  model.codebook = Matrix<float>(6, 2);
  for (std::int64_t i = 0; i < 12; ++i) {
    model.codebook.data()[i] = std::ldexp(1.0f / static_cast<float>(i + 3), static_cast<int>(i));
  }
  model.features = {"a \"quoted\" name", "größe\t2"};
  model.mean = {1.0 / 7, -3e300};
  model.scale = {0, 5e-324};
  model.label = "class";
  model.classes = {"", "b<c>"};
  model.neuron_classes = {0, 1, -1, 1, 0, -1};
  model.image_rows = 1;
  model.image_cols = 2;
  model.samples = 1234567890123;
  model.neighbors = 6;
  model.quality = {0.1, std::nan(""), 3};
  model.hits = {5, 0, 0, 9007199254740991, 1, 0};
  model.radius = 1e-300;
  model.p_matrix = {1, 2, 3, 4, 5, 6};
  return model;
}

TEST_F(SomModelTest, GivesBackEveryPartAndBit) {
  const SomModel wrote = whole_model();
  write(wrote);
  const SomModel read = read_som_model(context_, path("map.json"));
  EXPECT_EQ(read.params.grid.rows, 2);
  EXPECT_EQ(read.params.grid.cols, 3);
  EXPECT_EQ(read.params.grid.lattice, som::Lattice::hexagonal);
  EXPECT_TRUE(read.params.grid.toroidal);
  EXPECT_EQ(read.params.neighborhood, som::Neighborhood::truncated);
  EXPECT_EQ(read.params.initial, som::Initial::pca);
  EXPECT_EQ(read.params.training, som::Training::online);
  EXPECT_EQ(read.params.schedule.iterations, 7);
  EXPECT_EQ(read.params.schedule.smooth, 2);
  EXPECT_EQ(read.params.schedule.sigma0, wrote.params.schedule.sigma0);
  EXPECT_EQ(read.params.schedule.tau, wrote.params.schedule.tau);
  EXPECT_EQ(read.params.seed, wrote.params.seed);
  EXPECT_EQ(std::memcmp(read.codebook.data(), wrote.codebook.data(), 12 * sizeof(float)), 0);
  EXPECT_EQ(read.features, wrote.features);
  EXPECT_EQ(read.mean, wrote.mean);
  EXPECT_EQ(read.scale, wrote.scale);
  EXPECT_EQ(read.label, wrote.label);
  EXPECT_EQ(read.classes, wrote.classes);
  EXPECT_EQ(read.neuron_classes, wrote.neuron_classes);
  EXPECT_EQ(read.image_cols, 2);
  EXPECT_EQ(read.samples, wrote.samples);
  EXPECT_EQ(read.neighbors, 6);
  EXPECT_EQ(read.quality.quantization_error, 0.1);
  EXPECT_TRUE(std::isnan(read.quality.topographic_error));
  EXPECT_EQ(read.quality.empty, 3);
  EXPECT_EQ(read.hits, wrote.hits);
  EXPECT_EQ(read.radius, wrote.radius);
  EXPECT_EQ(read.p_matrix, wrote.p_matrix);
}

TEST_F(SomModelTest, TheSameModelIsTheSameBytes) {
  write(whole_model());
  const std::string json = test::bytes_of(path("map.json")),
                    npy = test::bytes_of(path("map.codebook.npy"));
  write(read_som_model(context_, path("map.json")));
  EXPECT_EQ(test::bytes_of(path("map.json")), json);
  EXPECT_EQ(test::bytes_of(path("map.codebook.npy")), npy);
}

TEST_F(SomModelTest, UnitsOfTheTableComeBack) {
  SomModel model = whole_model();
  model.mean = {10, 20};
  model.scale = {0, 2};
  const Matrix<float> weights = in_units(model);
  EXPECT_EQ(weights(3, 0), 10);
  EXPECT_EQ(weights(3, 1), model.codebook(3, 1) * 2 + 20);
  model.mean.clear();
  model.scale.clear();
  EXPECT_EQ(in_units(model)(3, 1), model.codebook(3, 1));
}

TEST_F(SomModelTest, AnotherVersionIsNamed) {
  write(whole_model());
  Json json = Json::parse(test::bytes_of(path("map.json")));
  json["version"] = 2;
  put("map.json", json.dump());
  EXPECT_NE(refused().find("version 2"), std::string::npos);
}

TEST_F(SomModelTest, ACodebookOfAnotherRunIsRefused) {
  write(whole_model());
  std::string npy = test::bytes_of(path("map.codebook.npy"));
  npy.back() ^= 1;
  put("map.codebook.npy", npy);
  EXPECT_NE(refused().find("is not the codebook"), std::string::npos);
  put("map.codebook.npy", npy + "more");
  EXPECT_NE(refused().find("expected 6 x 2 values of 4 bytes"), std::string::npos);
  std::filesystem::remove(path("map.codebook.npy"));
  EXPECT_NE(refused().find("map.codebook.npy"), std::string::npos);
}

TEST_F(SomModelTest, ACodebookOutsideTheFolderIsRefused) {
  write(whole_model());
  Json json = Json::parse(test::bytes_of(path("map.json")));
  for (const char* name : {"../map.codebook.npy", "/etc/passwd", ""}) {
    json["codebook"]["file"] = name;
    put("map.json", json.dump());
    EXPECT_NE(refused().find("codebook.file"), std::string::npos);
  }
}

/// Whatever value stands at whatever place: an error that names the place, or a model.
TEST_F(SomModelTest, EveryPartIsChecked) {
  write(whole_model());
  const Json whole = Json::parse(test::bytes_of(path("map.json")));
  const std::vector<std::string> must = {"/map/rows",
                                         "/map/lattice",
                                         "/map/toroidal",
                                         "/schedule/iterations",
                                         "/schedule/sigma0",
                                         "/schedule/training",
                                         "/schedule/seed",
                                         "/features",
                                         "/features/1",
                                         "/standardized/mean",
                                         "/standardized/scale/0",
                                         "/label/classes",
                                         "/label/neurons/2",
                                         "/image/rows",
                                         "/samples/hits",
                                         "/samples/hits/0",
                                         "/samples/neighbors",
                                         "/samples/empty_neurons",
                                         "/samples/p_matrix",
                                         "/codebook/checksum"};
  const std::vector<Json> values = {-7, 1e300, Json::array({1}), Json::object(), ""};
  for (const std::string& place : must) {
    for (const Json& value : values) {
      const Json::json_pointer pointer(place);
      // A number or a text may be right where one stands already.
      const Json& own = whole.at(pointer);
      if (own.is_string() && value.is_string() && place == "/features/1") continue;
      if (own.is_number() && value.is_number() &&
          (place.find("sigma0") != place.npos || place.find("scale") != place.npos)) {
        continue;
      }
      Json changed = whole;
      changed.at(pointer) = value;
      put("map.json", changed.dump());
      EXPECT_NE(refused(), "") << place << " = " << value;
    }
  }
}

TEST_F(SomModelTest, CutAnywhereItIsRefused) {
  write(whole_model());
  const std::string json = test::bytes_of(path("map.json")),
                    npy = test::bytes_of(path("map.codebook.npy"));
  for (std::size_t length = 0; length + 2 < json.size(); ++length) {
    put("map.json", json.substr(0, length));
    EXPECT_NE(refused(), "") << length;
  }
  put("map.json", json);
  for (std::size_t length = 0; length < npy.size(); ++length) {
    put("map.codebook.npy", npy.substr(0, length));
    EXPECT_NE(refused(), "") << length;
  }
}

TEST_F(SomModelTest, NamesThatAreNotUtf8AreRefusedAndNothingIsWritten) {
  SomModel model = whole_model();
  model.features[0] =
      "gr\xf6\xdf"
      "e";
  EXPECT_THROW(write(model), Error);
  EXPECT_TRUE(std::filesystem::is_empty(path("")));
}

}  // namespace
}  // namespace yupana::io
