#include "yupana/job/som.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "cli/command.hpp"
#include "cli/out_folder.hpp"
#include "cli/table_options.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/som_model.hpp"

namespace yupana::cli {
namespace {

Answer make_answer(Context& context, const Call& call, const job::SomResult& result) {
  Answer answer;
  answer.text = fmt::format("{} of {}, map of {} x {}\n",
                            counted(result.samples, "sample"),
                            counted(result.features, "feature"),
                            result.grid.rows,
                            result.grid.cols);
  answer.text +=
      fmt::format("quantization error {:.6g}, {}{}\n",
                  result.quality.quantization_error,
                  result.grid.size() > 1 ? fmt::format("topographic error {:.4g} ({} neighbours), ",
                                                       result.quality.topographic_error,
                                                       result.neighbors)
                                         : "",
                  counted(result.quality.empty, "empty neuron"));
  if (result.clusters > 0) {
    answer.text += fmt::format("{} of neurons", counted(result.clusters, "cluster"));
    const auto at = static_cast<std::size_t>(result.clusters - 2);
    if (!result.silhouettes.empty()) {
      answer.text += fmt::format(", mean simplified silhouette {:.3f}", result.silhouettes[at]);
    }
    answer.text += "\n";
  }
  answer.is_result = result.accuracy.has_value();
  if (result.accuracy) {
    answer.text += fmt::format("class of the neuron is right for {:.2f} % of the samples\n",
                               100 * *result.accuracy);
    if (result.unknown > 0) {
      answer.text += fmt::format("{} of them, of {} that the model does not know, {} as wrong\n",
                                 result.unknown,
                                 result.unknown == 1 ? "a class" : "classes",
                                 result.unknown == 1 ? "counts" : "count");
    }
  }
  const som::Schedule& schedule = result.schedule;
  answer.json = {{"command", call.command.name()},
                 {"samples", result.samples},
                 {"features", result.features},
                 {"rows", result.grid.rows},
                 {"cols", result.grid.cols},
                 {"iterations", schedule.iterations},
                 {"sigma0", schedule.sigma0},
                 {"sigmaf", schedule.sigma_final},
                 {"tau", schedule.tau},
                 {"quantization_error", result.quality.quantization_error},
                 {"topographic_error", result.quality.topographic_error},
                 {"neighbors", result.neighbors},
                 {"empty_neurons", result.quality.empty},
                 {"clusters", result.clusters},
                 {"silhouettes", result.silhouettes}};
  if (result.accuracy) {
    answer.json["accuracy"] = *result.accuracy;
    answer.json["unknown_class_samples"] = result.unknown;
  }
  answer.json["notices"] = result.notices;
  answer.json["stages"] = stages_json(context);
  answer.add_files(result.files);
  return answer;
}

template <class Enum>
Choices<Enum> named(const std::vector<Enum>& values) {
  Choices<Enum> choices;
  for (const Enum value : values) choices.emplace_back(io::name_of(value), value);
  return choices;
}

/// A number above 0, or auto, which the library writes as 0.
void add_automatic(Command& command,
                   const std::string& name,
                   double& value,
                   const std::string& help) {
  const auto take = [&value, name](const std::string& text) {
    const std::optional<double> number = text == "auto" ? 0 : number_of<double>(text);
    if (!number || !std::isfinite(*number) || (text != "auto" && *number <= 0)) {
      throw usage_error("{}: expected a number above 0, or auto, got '{}'", name, text);
    }
    value = *number;
  };
  command.word(name, take, help).shows(value == 0 ? "auto" : fmt::format("{}", value));
}

void add_image(Command& command, job::SomFitParams& params) {
  const auto take = [&params](const std::string& text) {
    constexpr std::int64_t most = 999999;
    const std::size_t cross = std::min(text.find('x'), text.size());
    const auto rows = number_of<std::int64_t>(text.substr(0, cross));
    const auto cols = number_of<std::int64_t>(text.substr(std::min(cross + 1, text.size())));
    if (!rows || !cols || *rows < 1 || *cols < 1 || *rows > most || *cols > most) {
      throw usage_error("--image: expected rows x columns, as 64x64, got '{}'", text);
    }
    params.image_rows = *rows;
    params.image_cols = *cols;
  };
  command.word(
      "--image", take, "samples are images of HxW pixels, row by row: draw the neurons as such");
}

/// A number, auto, or none.
void add_clusters(Command& command, std::int64_t& clusters, const std::string& shown) {
  const auto take = [&clusters](const std::string& text) {
    const std::optional<std::int64_t> number = text == "auto"   ? job::chosen_clusters
                                               : text == "none" ? job::no_clusters
                                                                : number_of<std::int64_t>(text);
    if (!number || (*number < 1 && text != "auto" && text != "none")) {
      throw usage_error("--clusters: expected a whole number of at least 1, auto or none, got '{}'",
                        text);
    }
    clusters = *number;
  };
  command
      .word("--clusters",
            take,
            "of neurons, by Ward's method along the map; auto: as many as give the largest mean "
            "simplified silhouette (distances to clusters' means), 2 to the root of the neurons")
      .shows(shown);
}

void add_title(Command& command, std::string& title) {
  command.text("--title", title, "of the report; default: names the table");
}

void add_neighbors(Command& command, int& neighbors, const std::string& help) {
  command.choice("--neighbors", neighbors, {{"4", 4}, {"6", 6}, {"8", 8}}, help);
}

Names add_p_matrix(Command& command, std::optional<bool>& value) {
  command.flag(
      "--p-matrix", [&value] { value = true; }, "count it even if it takes long");
  command.flag(
      "--no-p-matrix", [&value] { value = false; }, "leave it out");
  command.only_one({"--p-matrix", "--no-p-matrix"});
  return {"--p-matrix", "--no-p-matrix"};
}

void add_map_options(Command& command, som::SomParams& map) {
  using som::Initial, som::Lattice, som::Neighborhood;
  som::Schedule& schedule = map.schedule;
  command.number("--rows", map.grid.rows, "of neurons", 1);
  command.number("--cols", map.grid.cols, "of neurons", 1);
  command.number("--iterations", schedule.iterations, "over all samples", 0);
  add_automatic(
      command, "--sigma0", schedule.sigma0, "radius at first; auto: half the longer side");
  command.number("--sigmaf", schedule.sigma_final, "radius of the last --smooth iterations");
  add_automatic(command,
                "--tau",
                schedule.tau,
                "sigma0 e^(-t/tau) in iteration t; auto: sigmaf when the smooth ones begin");
  command.number("--smooth", schedule.smooth, "last iterations, at sigmaf", 0);
  command.choice(
      "--neighborhood",
      map.neighborhood,
      named<Neighborhood>({Neighborhood::gaussian, Neighborhood::truncated, Neighborhood::bubble}),
      "weight by distance on the map");
  command.choice("--lattice",
                 map.grid.lattice,
                 named<Lattice>({Lattice::rectangular, Lattice::hexagonal}),
                 "places of the neurons");
  command.flag("--toroidal", map.grid.toroidal, "opposite edges of the map are joined");
  command.choice("--init",
                 map.initial,
                 named<Initial>({Initial::uniform, Initial::samples, Initial::pca}),
                 "first codebook");
  command.seed(map.seed, "of the first codebook, the order of --online and the P-matrix's pairs");
  command.flag(
      "--online",
      [&map] { map.training = som::Training::online; },
      "one sample at a time, on one thread, for small tables");
  command
      .word(
          "--learning-rate",
          [&map](const std::string& text) {
            const std::optional<double> rate = number_of<double>(text);
            if (!rate || *rate <= 0 || *rate > 1) {
              throw usage_error("--learning-rate: expected a number above 0, at most 1, got '{}'",
                                text);
            }
            map.learning_rate = *rate;
          },
          "above 0, at most 1; decays as sigma does")
      .shows(fmt::format("{}", map.learning_rate));
  command.needs({"--learning-rate"}, {"--online"});
}

/// Refuses options of the training that this one makes no use of.
void check_effects(const Context& context,
                   const Command& command,
                   const job::SomFitParams& params) {
  const som::Schedule& schedule = params.som.schedule;
  if (schedule.iterations == 0) {
    command.refuse({"--sigma0", "--sigmaf", "--tau", "--neighborhood", "--online"},
                   "with --iterations 0, which keeps the first codebook");
  } else if (schedule.smooth == schedule.iterations) {
    command.refuse({"--sigma0", "--tau"},
                   fmt::format("with --smooth {}, which is every iteration", schedule.smooth));
  }
  if (params.som.initial == som::Initial::pca && params.p_matrix == false &&
      params.som.training == som::Training::batch) {
    command.refuse({"--seed"}, "with --init pca and --no-p-matrix: nothing is drawn");
  }
  if (params.som.training == som::Training::online && command.given("--threads") &&
      context.threads() > 1) {
    context.note("--online trains on one thread; --threads are for what comes before and after");
  }
}

void add_fit(Command& som) {
  auto params = std::make_shared<job::SomFitParams>();
  Command command = add_command(
      som,
      {.name = "fit",
       .purpose = "Train a map: model, neurons of the samples, report.",
       .example =
           "yupana som fit table.csv --rows 8 --cols 7 --iterations 10 --sigma0 4 --sigmaf 0.1 "
           "--tau 10 --smooth 5 -o out/map",
       .ranks = true,
       .endings = {".json", ".html", ".svg", ".png"}},
      [params](Context& context, const Call& call) {
        check_effects(context, call.command, *params);
        params->out = call.out;
        return make_answer(context, call, job::som_fit(context, *params));
      });
  command
      .input("table",
             params->table,
             ".npy (n x d), or CSV, TSV or libsvm, also gzip; values become float32")
      .required();
  add_map_options(command, params->som);
  command.flag("--standardize", params->standardize, "features to mean 0 and deviation 1");
  add_neighbors(command,
                params->neighbors,
                "adjacent neurons of the topographic error; default: 8, hexagonal 6");
  add_image(command, *params);
  add_clusters(command, params->clusters, "auto");
  add_title(command, params->title);
  add_p_matrix(command, params->p_matrix);
  add_reading_options(command, params->reading);
  add_column_options(command, params->reading);
  add_ids(command, params->reading);
}

void add_use(Command& som, bool report) {
  auto params = std::make_shared<job::SomApplyParams>();
  Command command = add_command(
      som,
      {.name = report ? "report" : "apply",
       .purpose = report
                      ? "Draw a model's report, of its training's samples or of another table's."
                      : "Neuron, distance and, where the model has classes, class of every sample.",
       .example = report ? "yupana som report out/map.json -o out/again"
                         : "yupana som apply out/map.json table.csv -o out/new",
       .endings = report ? Names{".html", ".svg", ".png"} : Names{".bmu.tsv"}},
      [params, report](Context& context, const Call& call) {
        check_prefix(call.out);
        params->out = call.out;
        const auto& run = report ? job::som_report : job::som_apply;
        return make_answer(context, call, run(context, *params));
      });
  command
      .word(
          "model",
          [params](const std::string& name) {
            if (name == "-" || name == "/dev/stdin") {
              throw usage_error(
                  "model: expected the .json of 'yupana som fit', next to its .codebook.npy, got "
                  "standard input; name the file");
            }
            params->model = name;
          },
          "the .json of 'yupana som fit'")
      .required();
  const Option table =
      command.input("table", params->table, "with the model's columns by name, or all in order");
  add_neighbors(command, params->neighbors, "default: as the model was fitted");
  Names reading = add_reading_options(command, params->reading);
  const Names features = add_feature_options(
      command, params->reading, "those of the model, by name or all others in order");
  reading.insert(reading.end(), features.begin(), features.end());
  if (!report) {
    table.required();
    add_ids(command, params->reading);
    return;
  }
  add_clusters(command, params->clusters, "those of the model");
  add_title(command, params->title);
  command.needs(reading, {"table"});
  command.needs(add_p_matrix(command, params->p_matrix), {"table"});
}

}  // namespace

void add_som(Command& program) {
  Command som = program.add_group(
      "som",
      "Self-organizing maps: fit one, apply it to other samples, draw its report.",
      "yupana som fit table.csv --rows 8 --cols 7 -o out/map\n  yupana som fit --help");
  add_fit(som);
  add_use(som, false);
  add_use(som, true);
}

}  // namespace yupana::cli
