#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

#include "yupana/core/messages.hpp"
#include "yupana/core/text.hpp"
#include "yupana/genotype/grm_product.hpp"
#include "yupana/io/loadings.hpp"
#include "yupana/job/count.hpp"
#include "yupana/job/distances.hpp"
#include "yupana/job/grm.hpp"
#include "yupana/job/input.hpp"
#include "yupana/job/plan.hpp"
#include "yupana/job/run_files.hpp"

namespace yupana::job {
namespace {

/// Sites that are read at a time where no matrix is made: whole tiles of products.
constexpr std::int64_t pass_sites = 2048;
constexpr std::int64_t most_products = 20;  ///< of --approx, a pass each

void refuse_unshared_pairs(const genotype::Grm& grm, const Input& input) {
  const auto shares = [&](std::int64_t i, std::int64_t j) { return grm.shared(i, j) > 0; };
  refuse_unshared(
      input.name, pairs_without_sites(grm), input.cohort.samples(), {0, grm.samples}, shares);
}

/// As PLINK 2: a header "#FID IID SID PC1 ...", without FID and SID where the input has none.
void write_vectors(AtomicFile& file, const Input& input, const Matrix<double>& vectors) {
  std::string text = fmt::format("#{}", joined(io::id_columns(input.names), "\t"));
  for (std::int64_t k = 1; k <= vectors.cols(); ++k) text += fmt::format("\tPC{}", k);
  file.write(text + "\n");
  const std::vector<std::string> names = io::id_rows(input.names);
  for (std::int64_t i = 0; i < vectors.rows(); ++i) {
    text = names[static_cast<std::size_t>(i)];
    for (std::int64_t k = 0; k < vectors.cols(); ++k) text += fmt::format("\t{}", vectors(i, k));
    file.write(text + "\n");
  }
}

/// Sites that appear again, which no sample can be placed by: one of them stands beside the other
/// in sorted files, where they are looked for.
class RepeatedSites {
 public:
  void add(const genotype::SiteName& site) {
    if (site.position != position_ || site.chromosome != chromosome_) at_position_.clear();
    position_ = site.position;
    chromosome_ = site.chromosome;
    const auto [a, b] = std::minmax(site.a1, site.a2);
    if (at_position_.emplace(a, b).second) return;
    if (count_++ == 0) {
      first_ = fmt::format("{}:{} {} {}", site.chromosome, site.position, site.a1, site.a2);
    }
  }

  void note(Context& context, const std::string& path) const {
    if (count_ == 0) return;
    context.note(fmt::format(
        "{}: {} again, the first {}; --project refuses such loadings: leave one of each site out, "
        "and run pca again",
        path,
        counted(count_, "site appears", "sites appear"),
        first_));
  }

 private:
  std::string chromosome_;
  std::int64_t position_ = -1;
  std::set<std::pair<std::string, std::string>> at_position_;
  std::int64_t count_ = 0;
  std::string first_;
};

/// Samples of which no call differs from its site's mean: their sums are zeros.
void note_origin(Context& context,
                 const std::vector<std::string>& names,
                 MatrixView<const double> sums) {
  std::int64_t count = 0, first = 0;
  for (std::int64_t i = sums.rows; i-- > 0;) {
    if (std::any_of(sums.row(i), sums.row(i) + sums.cols, [](double sum) { return sum != 0; })) {
      continue;
    }
    first = i;
    ++count;
  }
  if (count == 0) return;
  context.note(
      fmt::format("{} (the first: {}) without a call that differs from its site's mean {} at the "
                  "origin; --mind 0.99 leaves out samples without calls",
                  counted(count, "sample"),
                  names[static_cast<std::size_t>(first)],
                  count == 1 ? "is" : "are"));
}

/// One line a site: z' v / sqrt(sites * eigenvalue) for each component, z the standardized
/// genotypes, so that of complete genotypes the loadings of a component have norm 1.
void write_loadings(Context& context,
                    Input& input,
                    const PcaJobParams& params,
                    const Components& components,
                    BiplotSites& biplot,
                    AtomicFile& file) {
  const Stage stage(context, "loadings");
  const Matrix<double>& vectors = components.pca.vectors;
  file.write(io::loadings_header(vectors.cols()) + "\n");
  input.cohort.name_sites();
  input.cohort.rewind();
  RepeatedSites repeated;
  genotype::CallBlock block;
  while (input.cohort.read(block, pass_sites)) {
    const Matrix<double> products =
        genotype::site_products(context, block, params.standardize, vectors.view());
    const auto scales = genotype::site_scales(context, block, params.standardize);
    for (std::int64_t site = 0; site < products.rows(); ++site) {
      const genotype::SiteName& name = block.codes.names.at(static_cast<std::size_t>(site));
      const genotype::SiteScale& scale = scales[static_cast<std::size_t>(site)];
      std::string text = fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}",
                                     name.chromosome,
                                     name.position,
                                     name.name,
                                     name.a1,
                                     name.a2,
                                     scale.frequency,
                                     scale.deviation);
      std::vector<double> loadings;
      for (std::int64_t k = 0; k < products.cols(); ++k) {
        const double value = components.pca.eigenvalues[static_cast<std::size_t>(k)];
        const double norm = std::sqrt(static_cast<double>(components.sites) * std::max(value, 0.0));
        loadings.push_back(norm > 0 ? products(site, k) / norm : 0.0);
        text += fmt::format("\t{}", loadings.back());
      }
      repeated.add(name);
      biplot.add(name, std::move(loadings));
      file.write(fmt::format("{}\t{}\n", text, components.sites));
    }
  }
  repeated.note(context, params.out + ".loadings.tsv");
}

/// The page and its pictures.
std::uint64_t page_bytes(const PcaJobParams& params, std::int64_t samples) {
  return params.report ? 27'500'000 + 3000 * static_cast<std::uint64_t>(samples) : 0;
}

/// The matrix, what is held to find its eigenvectors, and those as they are found and kept.
std::uint64_t eigenvector_bytes(const PcaJobParams& params, std::int64_t n) {
  const auto samples = static_cast<std::uint64_t>(n);
  const auto components = static_cast<std::uint64_t>(std::min(params.pca.components, n));
  return analysis::mds_bytes(n, params.pca.components) +
         samples * (8 * samples + 16 * components + 1000);
}

GrmPlan plan_components(const Context& context, const Input& input, const PcaJobParams& params) {
  const auto n = std::ssize(input.cohort.samples());
  GrmNeeds needs{.cell_bytes = 16, .one_band = true};  // a square of doubles
  needs.later_bytes = std::max(page_bytes(params, n), eigenvector_bytes(params, n));
  return plan_grm(context, input, params.input, needs);
}

std::uint64_t approximate_bytes(const Context& context,
                                const Input& input,
                                const PcaJobParams& params) {
  const std::int64_t n = std::ssize(input.cohort.samples());
  // Codes of a block are held twice, the next one being read; tiles of 64 sites as doubles.
  const std::int64_t dosages = input.cohort.has_dosages() ? 2 * n : 0;
  const std::int64_t known = input.cohort.sites();
  const std::int64_t sites = known < 0 ? pass_sites : std::min(known, pass_sites);
  const std::int64_t blocks = 2 * (genotype::SiteBlock(n, 0).stride + dosages) * sites + 64 * 8 * n;
  const auto tables = (std::uint64_t{1} << 19) + static_cast<std::uint64_t>(1280 * sites);
  return analysis::block_pca_bytes(n, params.pca) + static_cast<std::uint64_t>(blocks) + tables +
         plan_sizes(context, input, params.input).reader_bytes;
}

/// The least that vectors and loadings take as text.
std::uint64_t output_bytes(const PlanParams& sizes, const PcaJobParams& params) {
  constexpr std::int64_t number = 10;
  const std::int64_t lines =
      sizes.samples + (params.loadings ? std::max<std::int64_t>(sizes.sites, 0) : 0);
  const std::int64_t components = std::min(params.pca.components, sizes.samples);
  return static_cast<std::uint64_t>(number * components * lines);
}

/// Bytes of a projection: the loadings as they are found by their names, the blocks of sites and
/// the coordinates.
std::uint64_t projection_bytes(const PlanParams& sizes, const PcaJobParams& params, bool dosage) {
  constexpr std::int64_t components = 10;
  std::error_code none;
  const auto file = std::filesystem::file_size(params.project, none);
  const std::uint64_t loadings = none ? 0 : static_cast<std::uint64_t>(file) * 3 / 2;
  const std::int64_t codes = (dosage ? 5 : 1) * sizes.samples;
  const std::int64_t blocks = pass_sites * (3 * codes / 4 + 400);
  return sizes.reader_bytes + loadings +
         static_cast<std::uint64_t>(blocks + sizes.samples * (8 * components + 100));
}

PcaJobResult run_projection(Context& context, const PcaJobParams& params) {
  Input input = open_input(context, params.input);
  const PlanParams sizes = plan_sizes(context, input, params.input);
  check_memory(
      context, "pca --project", projection_bytes(sizes, params, input.cohort.has_dosages()));
  const Matrix<double> scores = project(context, input, params.project, params.input.autosomes);
  PcaJobResult result;
  result.cohort = input.cohort.summary();
  OutputFiles files;
  note_blanks(context, input.names, params.out + ".eigenvec");
  write_vectors(files.add(params.out + ".eigenvec"), input, scores);
  commit_files(context, files, result.files, params.out, {".eigenval", ".loadings.tsv"});
  return result;
}

/// The same without the matrix, by up to 20 passes over the input, for more samples than a matrix
/// of them fits memory. Missing calls are taken as their site's mean, as PLINK 2's --pca approx.
///   errors: out_of_resources where the vectors do not fit memory
Components approximate_components(Context& context, Input& input, const PcaJobParams& params) {
  const std::int64_t n = std::ssize(input.cohort.samples());
  check_memory(context,
               "pca --approx",
               std::max(approximate_bytes(context, input, params), page_bytes(params, n)));
  Components result;
  bool first_pass = true;
  const auto product = [&](MatrixView<const double> x, MatrixView<double> sums) {
    const Stage stage(context, "product");
    double squares = 0;
    result.sites = 0;
    input.cohort.rewind();
    genotype::CallBlock block;
    while (input.cohort.read(block, pass_sites)) {
      squares += genotype::add_grm_product(context, block, params.standardize, x, sums);
      result.sites += block.codes.sites;
    }
    if (std::exchange(first_pass, false)) note_origin(context, input.cohort.samples(), sums);
    const auto sites = static_cast<double>(result.sites);
    std::for_each(sums.data, sums.row(n), [&](double& sum) { sum /= sites; });
    return squares / sites;
  };
  result.pca = analysis::block_pca(context, n, product, params.pca);
  return result;
}

}  // namespace

/// Fewer components than expected, and those that are rounding alone.
void note_components(Context& context, std::int64_t expected, const analysis::PcaResult& pca) {
  const std::int64_t samples = pca.vectors.rows();
  if (expected > samples) {
    context.note(fmt::format("{} components of {}: there are no more than {}",
                             expected,
                             counted(samples, "sample"),
                             samples));
  }
  const double least = 1e-6 * pca.eigenvalues.front();
  const auto note = [&](const char* what, const auto& is) {
    const auto count = std::count_if(pca.eigenvalues.begin(), pca.eigenvalues.end(), is);
    if (count == 0) return;
    context.note(fmt::format("{} an eigenvalue {}: samples do not differ along {}",
                             counted(count, "component has", "components have"),
                             what,
                             count == 1 ? "it" : "them"));
  };
  note("of 0 but for rounding", [&](double value) { return std::abs(value) <= least; });
  note("below 0, which missing calls bring about", [&](double value) { return value < -least; });
}

Components find_components(Context& context, Input& input, const PcaJobParams& params) {
  const GrmPlan plan = plan_components(context, input, params);
  Components result;
  SquareMatrix<double> matrix;
  {
    const genotype::Grm grm =
        count_grm(context, input, plan, {.standardize = params.standardize, .rows = {}});
    result.sites = grm.sites;
    refuse_unshared_pairs(grm, input);
    matrix = grm_matrix(context, grm);
  }
  const Stage stage(context, "components");
  result.pca = analysis::pca(context, matrix.view(), params.pca);
  return result;
}

Plan plan_pca(Context& context, const PcaJobParams& params) {
  const Input input = open_input(context, params.input);
  Plan plan;
  plan.at_most = true;
  plan.sizes = plan_sizes(context, input, params.input);
  const auto samples = static_cast<std::uint64_t>(plan.sizes.samples);
  const std::uint64_t program = program_bytes(context) + sample_bytes * samples;
  std::uint64_t bytes = page_bytes(params, plan.sizes.samples);
  if (!params.project.empty()) {
    plan.passes = 1;
    bytes = projection_bytes(plan.sizes, params, input.cohort.has_dosages());
  } else if (params.approximate) {
    plan.passes = most_products;
    bytes = std::max(bytes, approximate_bytes(context, input, params));
  } else {
    const GrmPlan grm = plan_components(context, input, params);
    plan = plan_of_grm(context, input, params.input, grm);
    hold_sums(plan, program + plan.sizes.reader_bytes + 1000 * samples, 16, grm.cells);
    bytes =
        std::max(bytes, plan.sizes.reader_bytes + eigenvector_bytes(params, plan.sizes.samples));
  }
  plan.passes += params.loadings ? 1 : 0;
  hold_sums(plan, program + bytes, 0, 0);
  add_disk(plan, params.out, output_bytes(plan.sizes, params));
  plan.output_may_grow = true;
  return plan;
}

PcaJobResult run_pca(Context& context, const PcaJobParams& params) {
  if (params.loadings) refuse_second_pass(params.input, "--loadings");
  if (params.approximate) refuse_second_pass(params.input, "--approx");
  if (!params.project.empty()) return run_projection(context, params);
  Input input = open_input(context, params.input);
  const RunLabels labels =
      read_run_labels(context, params.labels, params.label_column, input.names);
  note_frequencies(context, input);
  const auto find = params.approximate ? approximate_components : find_components;
  Components components =
      with_input_name(input.name, "pca: ", [&] { return find(context, input, params); });
  analysis::PcaResult& pca = components.pca;
  note_components(context, params.pca.components, pca);
  PcaJobResult result;
  result.cohort = input.cohort.summary();
  OutputFiles files;
  note_blanks(context, input.names, params.out + ".eigenvec");
  write_vectors(files.add(params.out + ".eigenvec"), input, pca.vectors);
  AtomicFile& values = files.add(params.out + ".eigenval");
  for (const double value : pca.eigenvalues) values.write(fmt::format("{}\n", value));
  BiplotSites biplot;
  if (params.loadings) {
    write_loadings(
        context, input, params, components, biplot, files.add(params.out + ".loadings.tsv"));
  }
  if (params.report) {
    write_pca_report(context, params, components, input.cohort, labels, biplot, files);
  }
  commit_files(
      context, files, result.files, params.out, {".loadings.tsv", ".html", ".svg", ".pdf", ".png"});
  result.eigenvalues = std::move(pca.eigenvalues);
  result.trace = pca.trace;
  return result;
}

// Samples among the components of an earlier run.

Matrix<double> project(Context& context,
                       Input& input,
                       const std::string& path,
                       std::int64_t autosomes) {
  const io::Loadings loadings(path, autosomes);
  if (!loadings.counted()) {
    context.note(fmt::format(
        "{}: written by an earlier version, which did not say how many sites there are: that it is "
        "whole is not known",
        path));
  }
  const std::int64_t n = std::ssize(input.cohort.samples());
  Matrix<double> scores(n, loadings.components());
  std::fill(scores.data(), scores.data() + n * loadings.components(), 0.0);
  const Stage stage(context, "projection");
  std::set<const double*> met;
  input.cohort.name_sites();
  input.cohort.rewind();
  genotype::CallBlock block;
  while (input.cohort.read(block, pass_sites)) {
    std::vector<genotype::SiteScore> sites;
    for (std::int64_t k = 0; k < block.codes.sites; ++k) {
      const genotype::SiteName& name = block.codes.names.at(static_cast<std::size_t>(k));
      sites.push_back(loadings.score(name));
      if (sites.back().weights == nullptr || met.insert(sites.back().weights).second) continue;
      throw bad_file(input.name,
                     "site {}:{} {} {} appears twice, and {} has it once; leave one out (--exclude "
                     "takes IDs)",
                     name.chromosome,
                     name.position,
                     name.a1,
                     name.a2,
                     path);
    }
    genotype::add_scores(context, block, sites, scores.view());
  }
  if (met.empty()) {
    throw bad_file(input.name,
                   "has no site of {}; expected the same chromosomes, positions and alleles",
                   path);
  }
  if (std::ssize(met) < loadings.sites()) {
    context.note(
        fmt::format("--project: {} of {} {} not among the sites of the input that are kept, and "
                    "counted as missing calls",
                    loadings.sites() - std::ssize(met),
                    counted(loadings.sites(), "site"),
                    loadings.sites() - std::ssize(met) == 1 ? "is" : "are"));
  }
  return scores;
}

}  // namespace yupana::job
