#include "yupana/job/som.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cli/command.hpp"
#include "cli/table_options.hpp"
#include "yupana/core/error.hpp"
#include "yupana/io/som_model.hpp"

namespace yupana::cli {
namespace {

nlohmann::ordered_json number_or_null(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

Answer told(Context& context, const std::string& command, const job::SomResult& result) {
  Answer answer;
  answer.text = fmt::format("{} samples of {} features, map of {} x {}\n",
                            result.samples,
                            result.features,
                            result.grid.rows,
                            result.grid.cols);
  answer.text += fmt::format(
      "quantization error {:.6g}, topographic error {:.4g} ({} neighbours), "
      "{} empty neurons\n",
      result.quality.quantization_error,
      result.quality.topographic_error,
      result.neighbors,
      result.quality.empty);
  if (result.accuracy) {
    answer.text += fmt::format("class of the neuron is right for {:.2f} % of the samples\n",
                               100 * *result.accuracy);
    if (result.unknown > 0) {
      answer.text += fmt::format(
          "{} of them, of classes that the model does not know, count as wrong\n", result.unknown);
    }
  }
  for (const std::string& file : result.files) answer.text += "wrote    " + file + "\n";
  const som::Schedule& schedule = result.schedule;
  answer.json = {{"command", command},
                 {"samples", result.samples},
                 {"features", result.features},
                 {"rows", result.grid.rows},
                 {"cols", result.grid.cols},
                 {"iterations", schedule.iterations},
                 {"sigma0", schedule.sigma0},
                 {"sigmaf", schedule.sigma_final},
                 {"tau", schedule.tau},
                 {"quantization_error", number_or_null(result.quality.quantization_error)},
                 {"topographic_error", number_or_null(result.quality.topographic_error)},
                 {"neighbors", result.neighbors},
                 {"empty_neurons", result.quality.empty}};
  if (result.accuracy) {
    answer.json["accuracy"] = *result.accuracy;
    answer.json["unknown_class_samples"] = result.unknown;
  }
  answer.json["notices"] = result.notices;
  answer.json["stages"] = stages_json(context);
  answer.json["files"] = result.files;
  return answer;
}

/// An option of one of a few words; its default is the value as it stands.
template <class Enum>
void add_choice(CLI::App& app,
                const std::string& name,
                Enum& value,
                const std::vector<Enum>& choices,
                const std::string& help) {
  std::map<std::string, Enum> words;
  std::string list;
  for (const Enum choice : choices) {
    words[io::name_of(choice)] = choice;
    list += (list.empty() ? "" : ", ") + std::string(io::name_of(choice));
  }
  std::vector<std::string> names;
  for (const auto& [word, choice] : words) names.push_back(word);
  app.add_option_function<std::string>(
         name,
         [&value, words](const std::string& word) { value = words.at(word); },
         help + ": " + list)
      ->check(CLI::IsMember(names).description(""))
      ->default_str(io::name_of(value));
}

/// A number above 0, or auto, which the library writes as 0.
void add_automatic(CLI::App& app, const std::string& name, double& value, const std::string& help) {
  app.add_option_function<std::string>(
         name,
         [&value, name](const std::string& text) {
           if (text == "auto") {
             value = 0;
             return;
           }
           std::size_t used = 0;
           try {
             value = std::stod(text, &used);
           } catch (const std::exception&) {
             used = 0;
           }
           if (used == 0 || used != text.size() || !(value > 0) || !std::isfinite(value)) {
             throw CLI::ValidationError(
                 fmt::format("{} {}: a number above 0 was wanted, or auto", name, text));
           }
         },
         help)
      ->default_str(value == 0 ? "auto" : fmt::format("{}", value));
}

void add_image(CLI::App& app, job::SomFitParams& params) {
  app.add_option_function<std::string>(
      "--image",
      [&params](const std::string& text) {
        const std::size_t cross = text.find('x');
        const auto side = [&](const std::string& digits) {
          const bool fine = !digits.empty() && digits.size() < 7 &&
                            std::all_of(digits.begin(), digits.end(), [](unsigned char c) {
                              return c >= '0' && c <= '9';
                            });
          const std::int64_t value = fine ? std::stoll(digits) : 0;
          if (value > 0) return value;
          throw CLI::ValidationError(
              fmt::format("--image {}: rows x columns were wanted, as in 64x64", text));
        };
        params.image_rows = side(text.substr(0, cross));
        params.image_cols = side(cross == text.npos ? "" : text.substr(cross + 1));
      },
      "samples are images of HxW pixels, row by row: draw the neurons as such");
}

std::vector<CLI::Option*> add_p_matrix(CLI::App& app, std::optional<bool>& wanted) {
  CLI::Option* with = app.add_flag_callback(
      "--p-matrix", [&wanted] { wanted = true; }, "count it even if it takes long");
  CLI::Option* without = app.add_flag_callback(
      "--no-p-matrix", [&wanted] { wanted = false; }, "leave it out");
  without->excludes(with);
  return {with, without};
}

void add_fit(CLI::App& som) {
  auto params = std::make_shared<job::SomFitParams>();
  CLI::App& app = add_command(
      som,
      "fit",
      "Train a map: model, neurons of the samples, report.",
      "yupana som fit table.csv --rows 8 --cols 7 --iterations 10 --sigma0 4 --sigmaf 0.1 --tau 10 "
      "--smooth 5 -o out/map",
      [params](Context& context, const CommonOptions& common) {
        params->out = common.out;
        params->som.comm = common.comm;
        const job::SomResult result = job::som_fit(context, *params);
        if (common.comm != nullptr && common.comm->rank() > 0) return Answer{};
        return told(context, "som fit", result);
      },
      Runs::anywhere,
      Ranks::many);
  som::SomParams& map = params->som;
  som::Schedule& schedule = map.schedule;
  app.add_option("table", params->table, "CSV, TSV, .npy (n x d) or libsvm; also gzip")->required();
  app.add_option("--rows", map.grid.rows, "of neurons")->capture_default_str();
  app.add_option("--cols", map.grid.cols, "of neurons")->capture_default_str();
  app.add_option("--iterations", schedule.iterations, "over all samples")->capture_default_str();
  add_automatic(app, "--sigma0", schedule.sigma0, "radius at first; auto: half the longer side");
  app.add_option("--sigmaf", schedule.sigma_final, "radius of the last --smooth iterations")
      ->capture_default_str();
  add_automatic(app,
                "--tau",
                schedule.tau,
                "sigma0 e^(-t/tau) in iteration t; auto: sigmaf when the smooth ones begin");
  app.add_option("--smooth", schedule.smooth, "last iterations, at sigmaf")->capture_default_str();
  using som::Initial, som::Lattice, som::Neighborhood;
  add_choice<Neighborhood>(app,
                           "--neighborhood",
                           map.neighborhood,
                           {Neighborhood::gaussian, Neighborhood::truncated, Neighborhood::bubble},
                           "weight by distance on the map");
  add_choice<Lattice>(app,
                      "--lattice",
                      map.grid.lattice,
                      {Lattice::rectangular, Lattice::hexagonal},
                      "places of the neurons");
  app.add_flag("--toroidal", map.grid.toroidal, "the map goes on behind its edges");
  add_choice<Initial>(app,
                      "--init",
                      map.initial,
                      {Initial::uniform, Initial::samples, Initial::pca},
                      "first codebook");
  add_seed(app, map.seed, "of the first codebook and the order of --online");
  CLI::Option* online = app.add_flag_callback(
      "--online",
      [params] { params->som.training = som::Training::online; },
      "one sample at a time, on one thread, for small tables");
  app.add_option("--learning-rate", map.learning_rate, "of --online; decays as sigma does")
      ->capture_default_str()
      ->needs(online);
  app.add_flag("--standardize", params->standardize, "features to mean 0 and deviation 1");
  app.add_option("--neighbors",
                 params->neighbors,
                 "adjacent neurons of the topographic error: 4, 6 or 8; default: 8, hexagonal 6");
  add_image(app, *params);
  add_p_matrix(app, params->p_matrix);
  add_reading_options(app, params->reading);
  add_column_options(app, params->reading);
}

void add_use(CLI::App& som, bool report) {
  auto params = std::make_shared<job::SomApplyParams>();
  CLI::App& app = add_command(
      som,
      report ? "report" : "apply",
      report ? "Draw a model's report, of its training's samples or of another table's."
             : "Neuron, distance and, where the model has classes, class of every sample.",
      report ? "yupana som report out/map.json -o out/again"
             : "yupana som apply out/map.json table.csv -o out/new",
      [params, report](Context& context, const CommonOptions& common) {
        params->out = common.out;
        return report ? told(context, "som report", job::som_report(context, *params))
                      : told(context, "som apply", job::som_apply(context, *params));
      });
  app.add_option("model", params->model, "the .json of 'yupana som fit'")->required();
  CLI::Option* table =
      app.add_option("table", params->table, "with the model's columns by name, or all in order");
  if (!report) table->required();
  app.add_option("--neighbors", params->neighbors, "4, 6 or 8; default: as the model was fitted");
  std::vector<CLI::Option*> options = add_reading_options(app, params->reading);
  if (!report) return;
  for (CLI::Option* option : add_p_matrix(app, params->p_matrix)) options.push_back(option);
  for (CLI::Option* option : options) option->needs(table);
}

}  // namespace

void add_som(CLI::App& program) {
  CLI::App* som = program.add_subcommand(
      "som", "Self-organizing maps: fit one, apply it to other samples, draw its report.");
  som->footer(
      "Example:\n  yupana som fit table.csv --rows 8 --cols 7 -o out/map\n  yupana som fit --help");
  som->require_subcommand(1);
  add_fit(*som);
  add_use(*som, false);
  add_use(*som, true);
}

}  // namespace yupana::cli
