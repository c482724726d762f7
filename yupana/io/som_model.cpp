#include "yupana/io/som_model.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/version.hpp"
#include "yupana/io/json_fields.hpp"
#include "yupana/io/json_reader.hpp"
#include "yupana/io/npy_file.hpp"
#include "yupana/io/printable.hpp"

namespace yupana::io {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* map_format = "yupana som model";
constexpr std::int64_t format_version = 1;

constexpr std::array lattices = {"rectangular", "hexagonal"};
constexpr std::array neighborhoods = {"gaussian", "truncated", "bubble"};
constexpr std::array initials = {"uniform", "samples", "pca"};
constexpr std::array trainings = {"batch", "online"};

/// FNV-1a of the weights' bytes: detects a codebook of another run.
std::string checksum(const void* data, std::int64_t count) {
  std::uint64_t sum = 0xcbf29ce484222325;
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (std::int64_t i = 0; i < count; ++i) sum = (sum ^ bytes[i]) * 0x100000001b3;
  return fmt::format("{:016x}", sum);
}

std::string checksum(const Matrix<float>& codebook) {
  return checksum(codebook.data(), codebook.rows() * codebook.cols() * std::int64_t{sizeof(float)});
}

/// Of all that a document says but its own checksum, whatever the blanks between.
std::string checksum(Json document) {
  document.erase("checksum");
  const std::string text = document.dump();
  return checksum(text.data(), std::ssize(text));
}

Json json_of(const som::SomParams& params) {
  const som::Schedule& schedule = params.schedule;
  Json json{{"training", name_of(params.training)},
            {"initial", name_of(params.initial)},
            {"neighborhood", name_of(params.neighborhood)},
            {"iterations", schedule.iterations},
            {"smooth", schedule.smooth},
            {"sigma0", schedule.sigma0},
            {"sigmaf", schedule.sigma_final},
            {"tau", schedule.tau},
            {"seed", params.seed}};
  if (params.training == som::Training::online) json["learning_rate"] = params.learning_rate;
  return json;
}

constexpr std::int64_t max_count = std::int64_t{1} << 53;

void take_training(const Fields& fields, som::SomParams& params) {
  params.training = fields.choice<som::Training>("training", trainings);
  params.initial = fields.choice<som::Initial>("initial", initials);
  params.neighborhood = fields.choice<som::Neighborhood>("neighborhood", neighborhoods);
  params.schedule.iterations = fields.whole("iterations", 0, max_count);
  params.schedule.smooth = fields.whole("smooth", 0, max_count);
  params.schedule.sigma0 = fields.number("sigma0");
  params.schedule.sigma_final = fields.number("sigmaf");
  params.schedule.tau = fields.number("tau");
  if (fields.has("learning_rate")) params.learning_rate = fields.number("learning_rate");
  params.seed = fields.seed("seed");
}

void take_grid(const Fields& fields, som::Grid& grid) {
  grid.rows = fields.whole("rows", 1, 1 << 20);
  grid.cols = fields.whole("cols", 1, 1 << 20);
  if (grid.size() > std::numeric_limits<std::int32_t>::max()) fields.fail("rows", "a smaller map");
  grid.lattice = fields.choice<som::Lattice>("lattice", lattices);
  grid.toroidal = fields.flag("toroidal");
}

void take_samples(const Fields& fields, std::int64_t neurons, SomModel& model) {
  model.samples = fields.whole("count", 0, max_count);
  model.neighbors = static_cast<int>(fields.whole("neighbors", 4, 8));
  model.quality.quantization_error = fields.number_or_nan("quantization_error");
  model.quality.topographic_error = fields.number_or_nan("topographic_error");
  model.quality.empty = fields.whole("empty_neurons", 0, neurons);
  model.hits = fields.wholes("hits", neurons, 0, max_count);
  if (!fields.has("p_matrix")) return;
  model.radius = fields.number("p_radius");
  model.p_matrix = fields.wholes("p_matrix", neurons, 0, max_count);
}

/// Everything but the weights.
void take(const Fields& fields, SomModel& model) {
  take_grid(fields.in("map"), model.params.grid);
  take_training(fields.in("schedule"), model.params);
  const std::int64_t neurons = model.params.grid.size();
  model.features = fields.texts("features");
  const std::int64_t d = std::ssize(model.features);
  if (d == 0) fields.fail("features", "at least one name");
  model.zero_based = fields.has("zero_based") && fields.flag("zero_based");
  if (fields.has("standardized")) {
    const Fields standardized = fields.in("standardized");
    model.mean = standardized.numbers("mean", d);
    model.scale = standardized.numbers("scale", d);
  }
  if (fields.has("label")) {
    const Fields label = fields.in("label");
    model.label = label.text("column");
    model.classes = label.texts("classes");
    model.neuron_classes = label.wholes("neurons", neurons, -1, std::ssize(model.classes) - 1);
  }
  if (fields.has("clusters")) {
    const Fields clusters = fields.in("clusters");
    model.clusters = clusters.wholes("neurons", neurons, 0, neurons - 1);
    model.silhouettes = clusters.numbers("silhouettes", -1);
  }
  if (fields.has("image")) {
    model.image_rows = fields.in("image").whole("rows", 1, d);
    model.image_cols = fields.in("image").whole("cols", 1, d);
    if (model.image_rows * model.image_cols != d)
      fields.fail("image", "as many pixels as features");
  }
  take_samples(fields.in("samples"), neurons, model);
}

Json parsed(Context& context, const std::string& path) {
  const InputFile file(path);
  const Array<char> text = read_text(file, context.memory());
  const std::string_view letters(text.data(), text.size());
  const std::string_view document = letters.substr(0, letters.find('\0'));
  checked_json(path, document);
  std::map<int, std::set<std::string>> names;  // of the object that is open at a depth
  const auto once = [&](int depth, Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::object_start) names[depth + 1].clear();
    if (event != Json::parse_event_t::key) return true;
    const auto name = parsed.get<std::string>();
    if (names[depth].insert(name).second) return true;
    throw bad_file(path, "is a damaged model: {}: expected one value, got two", printable(name));
  };
  Json json = Json::parse(document, once, false);
  const bool known = json.is_object() && json.contains("format") && json["format"] == map_format;
  if (!known) {
    throw bad_file(path, "is no model of a map; give the .json that 'yupana som fit' writes");
  }
  const auto version = json.find("version");
  if (version == json.end() || *version != format_version) {
    throw bad_file(path,
                   "is a model of version {}; this program (yupana {}) reads {}",
                   version == json.end()
                       ? "?"
                       : printable(version->dump(-1, ' ', false, Json::error_handler_t::replace)),
                   yupana::version,
                   format_version);
  }
  return json;
}

Matrix<float> read_codebook(Context& context, const std::string& path, const SomModel& model) {
  const InputFile file(path);
  if (!is_npy(file)) throw bad_file(path, "expected a codebook, got no .npy file");
  const NpyFile npy(file, {.shape = "a codebook"});
  const std::int64_t rows = model.params.grid.size(), cols = std::ssize(model.features);
  if (npy.type() != number_type<float>() || npy.rows() != rows || npy.cols() != cols) {
    throw bad_file(path,
                   "expected a codebook of {} x {} float32, got {} x {} {}",
                   rows,
                   cols,
                   npy.rows(),
                   npy.cols(),
                   npy.type().name());
  }
  if (static_cast<std::uint64_t>(file.size()) > context.memory()) {
    throw resource_error("{}: the codebook takes {}, and memory is limited to {}; give --memory {}",
                         path,
                         needed_bytes(static_cast<double>(file.size())),
                         allowed_bytes(static_cast<double>(context.memory())),
                         memory_option(static_cast<double>(file.size())));
  }
  Matrix<float> codebook(rows, cols);
  npy.read_rows(context, codebook.data());
  return codebook;
}

template <class Names>
const char* word(const Names& names, int index) {
  return names[index];
}

}  // namespace

const char* name_of(som::Lattice lattice) { return word(lattices, static_cast<int>(lattice)); }
const char* name_of(som::Neighborhood neighborhood) {
  return word(neighborhoods, static_cast<int>(neighborhood));
}
const char* name_of(som::Initial initial) { return word(initials, static_cast<int>(initial)); }
const char* name_of(som::Training training) { return word(trainings, static_cast<int>(training)); }

std::int64_t count_clusters(const SomModel& model) {
  const auto& clusters = model.clusters;
  return clusters.empty() ? 0 : *std::max_element(clusters.begin(), clusters.end()) + 1;
}

Matrix<float> in_units(const SomModel& model) {
  Matrix<float> weights(model.codebook.rows(), model.codebook.cols());
  for (std::int64_t i = 0; i < weights.rows(); ++i) {
    for (std::int64_t j = 0; j < weights.cols(); ++j) {
      const auto f = static_cast<std::size_t>(j);
      const double w = model.codebook(i, j);
      weights(i, j) =
          static_cast<float>(model.scale.empty() ? w : w * model.scale[f] + model.mean[f]);
    }
  }
  return weights;
}

void write_som_model(AtomicFile& json, AtomicFile& codebook, const SomModel& model) {
  const som::Grid& grid = model.params.grid;
  Json document = {{"format", map_format},
                   {"version", format_version},
                   {"program", std::string("yupana ") + yupana::version},
                   {"map",
                    {{"rows", grid.rows},
                     {"cols", grid.cols},
                     {"lattice", name_of(grid.lattice)},
                     {"toroidal", grid.toroidal}}},
                   {"schedule", json_of(model.params)},
                   {"features", model.features},
                   {"standardized", nullptr},
                   {"label", nullptr},
                   {"clusters", nullptr},
                   {"image", nullptr}};
  if (model.zero_based) document["zero_based"] = true;
  if (!model.scale.empty())
    document["standardized"] = {{"mean", model.mean}, {"scale", model.scale}};
  if (!model.label.empty()) {
    document["label"] = {
        {"column", model.label}, {"classes", model.classes}, {"neurons", model.neuron_classes}};
  }
  if (!model.clusters.empty()) {
    document["clusters"] = {{"neurons", model.clusters}, {"silhouettes", model.silhouettes}};
  }
  if (model.image_rows > 0) {
    document["image"] = {{"rows", model.image_rows}, {"cols", model.image_cols}};
  }
  document["samples"] = {{"count", model.samples},
                         {"neighbors", model.neighbors},
                         {"quantization_error", model.quality.quantization_error},
                         {"topographic_error", model.quality.topographic_error},
                         {"empty_neurons", model.quality.empty},
                         {"hits", model.hits},
                         {"p_radius", nullptr},
                         {"p_matrix", nullptr}};
  if (!model.p_matrix.empty()) {
    document["samples"]["p_radius"] = model.radius;
    document["samples"]["p_matrix"] = model.p_matrix;
  }
  document["codebook"] = {{"file", std::filesystem::path(codebook.path()).filename().string()},
                          {"checksum", checksum(model.codebook)}};
  // Of the text as it is read again.
  document["checksum"] = checksum(Json::parse(json_text(json.path(), document, 1)));
  json.write(json_text(json.path(), document, 1) + "\n");
  codebook.write(npy_preamble("<f4", model.codebook.rows(), model.codebook.cols()));
  codebook.write(
      model.codebook.data(),
      static_cast<std::size_t>(model.codebook.rows() * model.codebook.cols()) * sizeof(float));
}

SomModel read_som_model(Context& context, const std::string& path) {
  const Json json = parsed(context, path);
  const Fields fields(path, json, "");
  SomModel model;
  take(fields, model);
  const std::string name = fields.in("codebook").text("file");
  if (name.empty() || name.find('/') != name.npos || name.find('\0') != name.npos) {
    fields.fail("codebook.file", "the name of a file next to the model");
  }
  if (fields.has("checksum") && fields.text("checksum") != checksum(json)) {
    throw bad_file(path,
                   "its checksum is another, so some number or name is damaged; copy it again, or "
                   "take \"checksum\" out of a model that was edited on purpose");
  }
  const std::string codebook = (std::filesystem::path(path).parent_path() / name).string();
  model.codebook = read_codebook(context, codebook, model);
  if (checksum(model.codebook) != fields.in("codebook").text("checksum")) {
    throw bad_file(
        codebook,
        "is not the codebook that {} was written with; keep the two files of a run together",
        path);
  }
  som::check_finite(context, model.codebook.view(), "codebook");
  return model;
}

}  // namespace yupana::io
