#include "yupana/job/grm.hpp"

#include <algorithm>

#include "yupana/core/atomic_file.hpp"
#include "yupana/core/cuda/gpu_memory.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/genotype/grm_dosages.hpp"
#include "yupana/genotype/site_block.hpp"
#include "yupana/io/matrix_writer.hpp"
#include "yupana/job/count.hpp"
#include "yupana/job/input.hpp"
#include "yupana/job/run_files.hpp"

namespace yupana::job {
namespace {

constexpr std::uint64_t largest_block_bytes = std::uint64_t{1} << 30;
constexpr std::uint64_t largest_dosage_bytes = std::uint64_t{1} << 26;
constexpr std::int64_t smallest_block = 512;  ///< sites

/// Tables of a site, its place in words that are a quarter full and lists of many missing calls.
constexpr std::uint64_t most_table_bytes = 700;
/// The same of sites as they are: words are nearly full, and few calls are missing.
constexpr std::uint64_t usual_table_bytes = 130;

/// Bytes of a site: its codes while the next ones are read and a folded copy is worked on; `tables`
/// of it. Or its codes and dosages, twice. `alone`: no block follows that is read ahead.
std::uint64_t site_bytes(std::int64_t samples,
                         bool dosage,
                         bool alone = false,
                         std::uint64_t tables = most_table_bytes) {
  const auto stride = static_cast<std::uint64_t>(genotype::SiteBlock(samples, 0).stride);
  const std::uint64_t blocks = alone ? 1 : 2;
  return dosage ? blocks * (stride + 2 * static_cast<std::uint64_t>(samples)) + 100
                : (blocks + 1) * stride + tables;
}

/// Bytes of a run besides its pairs and blocks.
std::uint64_t fixed_bytes(std::int64_t samples, bool dosage, std::int64_t sites = -1) {
  if (!dosage) return genotype::GrmCounter::bytes(samples, sites);
  constexpr std::uint64_t piece_of_filter = 1 << 20;
  return genotype::grm_dosages_bytes(samples) + 40 * static_cast<std::uint64_t>(samples) +
         piece_of_filter;
}

/// Lower triangle with diagonal of rows of the band, as float32 at their place of the file.
template <class Value>
void write_triangle(Context& context, AtomicFile& file, Range band, const Value& value) {
  context.parallel_for(band.size(), 16, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> row;
    for (std::int64_t i = band.begin + begin; i < band.begin + end; ++i) {
      context.check_cancelled();
      row.clear();
      for (std::int64_t j = 0; j <= i; ++j) row.push_back(static_cast<float>(value(i, j)));
      file.write_at(4 * triangle_cells(i), row.data(), 4 * row.size());
    }
  });
}

/// GCTA's sparse matrix: "i<TAB>j<TAB>value", i >= j from 0.
void write_sparse(Context& context, AtomicFile& file, const genotype::Grm& grm, double cutoff) {
  constexpr std::int64_t line = 32;  // bytes, at most
  context.in_order(
      grm.rows.size(),
      line * grm.rows.end,
      [&](std::int64_t k) {
        const std::int64_t i = grm.rows.begin + k;
        context.check_cancelled();
        std::string text;
        for (std::int64_t j = 0; j <= i; ++j) {
          const double value = grm.at(i, j);
          if (i == j || value >= cutoff) text += fmt::format("{}\t{}\t{}\n", i, j, value);
        }
        return text;
      },
      [&](const std::string& text) { file.write(text); });
}

struct GrmFiles {
  AtomicFile* values = nullptr;
  AtomicFile* counts = nullptr;
  AtomicFile* sparse = nullptr;
  std::optional<io::NpyMatrix> npy;
};

GrmFiles open_files(const GrmJobParams& params, std::int64_t samples, OutputFiles& files) {
  GrmFiles result;
  if (params.gcta) {
    result.values = &files.add(params.out + ".grm.bin");
    result.counts = &files.add(params.out + ".grm.N.bin");
  }
  if (params.cutoff) result.sparse = &files.add(params.out + ".grm.sp");
  if (params.npy) result.npy.emplace(files.add(params.out + ".grm.npy"), samples, params.type);
  return result;
}

void write_band(Context& context,
                const GrmJobParams& params,
                const GrmPlan& plan,
                const genotype::Grm& grm,
                GrmFiles& files) {
  const Stage stage(context, "write");
  const auto value = [&](std::int64_t i, std::int64_t j) { return grm.at(i, j); };
  if (params.gcta) {
    write_triangle(context, *files.values, grm.rows, value);
    write_triangle(context, *files.counts, grm.rows, [&](std::int64_t i, std::int64_t j) {
      return grm.shared(i, j);
    });
  }
  if (params.cutoff) write_sparse(context, *files.sparse, grm, *params.cutoff);
  if (!params.npy) return;
  constexpr std::uint64_t most = std::uint64_t{256} << 20;
  const auto lower = [&](std::int64_t i, double* row) {
    for (std::int64_t j = 0; j <= i; ++j) row[j] = grm.at(i, j);
  };
  files.npy->write_band(
      context, grm.rows, lower, static_cast<std::int64_t>(std::min(most, plan.write_bytes)));
}

/// The samples as GCTA and PLINK 2 list them: family and individual identifier.
void write_grm_ids(AtomicFile& file, const Input& input) {
  for (const std::string& pair : io::id_pairs(input.names)) file.write(io::plink_id(pair) + "\n");
}

GrmPlan plan_run(const Context& context, const Input& input, const GrmJobParams& params) {
  return plan_grm(context, input, params.input, {.cell_bytes = params.npy ? 8 : 0});
}

std::uint64_t output_bytes(const GrmJobParams& params, std::int64_t samples) {
  const auto n = static_cast<std::uint64_t>(samples);
  const std::uint64_t number = params.type == io::NpyType::float32 ? 4 : 8;
  return (params.gcta ? 4 * n * (n + 1) : 0) + (params.npy ? number * n * n : 0);
}

}  // namespace

std::int64_t pairs_without_sites(const genotype::Grm& grm) {
  std::int64_t pairs = 0;
  if (grm.missing_both.empty()) return pairs;
  for (std::int64_t i = grm.rows.begin; i < grm.rows.end; ++i) {
    for (std::int64_t j = 0; j < i; ++j) pairs += grm.shared(i, j) == 0;
  }
  return pairs;
}

GrmPlan plan_grm(const Context& context,
                 const Input& input,
                 const InputParams& params,
                 const GrmNeeds& needs) {
  const std::int64_t samples = std::ssize(input.cohort.samples());
  const bool dosage = input.cohort.has_dosages();
  const std::uint64_t site = site_bytes(samples, dosage);
  const auto cell = static_cast<std::uint64_t>(12 + needs.cell_bytes);
  const std::int64_t known = input.cohort.sites();
  const std::int64_t few =
      known < 0 ? smallest_block : std::clamp<std::int64_t>(known, 1, smallest_block);
  const std::int64_t least_cells = needs.one_band ? triangle_cells(samples) : samples;
  const std::uint64_t besides =
      fixed_bytes(samples, dosage) + plan_sizes(context, input, params).reader_bytes;
  const std::uint64_t least = std::max(needs.later_bytes,
                                       besides + static_cast<std::uint64_t>(few) * site +
                                           static_cast<std::uint64_t>(least_cells) * cell);
  const std::uint64_t largest = dosage ? largest_dosage_bytes : largest_block_bytes;
  // What is held with so many bytes of sums: a block takes a quarter of all.
  const auto with_block = [&](std::uint64_t sums) {
    const std::uint64_t share = std::min(largest, sums / 3 + 1);
    return std::max(needs.later_bytes,
                    sums + std::max(share, static_cast<std::uint64_t>(few) * site));
  };
  if (least > context.memory()) {
    const auto needed = static_cast<double>(least);
    // A band of whole rows may lack almost one of its cells.
    const std::uint64_t cut =
        besides + cell * static_cast<std::uint64_t>(triangle_cells(samples) / few_passes + samples);
    throw resource_error(
        "memory: the relationships of {} need {}, --memory allows {}; raise "
        "--memory to {}{}, or take fewer samples (--keep)",
        counted(samples, "sample"),
        needed_bytes(needed),
        allowed_bytes(context.memory()),
        memory_option(needed),
        few_passes_advice(
            least, needs.one_band || context.backend() == Backend::cuda ? 0 : with_block(cut)));
  }
  // A larger block takes what the smallest run leaves, so that the bytes a refusal names are
  // enough.
  const std::uint64_t block =
      std::min({largest,
                context.memory() / 4,
                static_cast<std::uint64_t>(few) * site + (context.memory() - least)});
  GrmPlan plan;
  plan.block_sites = std::max(few, static_cast<std::int64_t>(block / site));
  if (known >= 0) plan.block_sites = std::clamp<std::int64_t>(known, 1, plan.block_sites);
  const genotype::GrmRoom room = genotype::GrmCounter::room(context, samples);
  plan.block_sites = std::max<std::int64_t>(1, std::min(plan.block_sites, room.block_sites));
  const std::uint64_t fixed = besides + static_cast<std::uint64_t>(plan.block_sites) * site;
  auto cells = static_cast<std::int64_t>((context.memory() - fixed) / cell);
  if (!needs.one_band && !dosage) {
    if (room.cells < samples || room.block_sites < 1) {
      throw gpu_memory_error(
          "summing the relationships of " + counted(samples, "sample"),
          static_cast<double>(genotype::GrmCounter::least_gpu_memory(context, samples)),
          context.gpu_memory());
    }
    cells = std::min(cells, room.cells);
  }
  for (std::int64_t row = 0; row < samples; row = plan.bands.back().end) {
    plan.bands.push_back(triangle_band(row, samples, cells));
    const Range band = plan.bands.back();
    const std::int64_t pairs = triangle_cells(band.end) - triangle_cells(band.begin);
    plan.cells = std::max(plan.cells, static_cast<std::uint64_t>(pairs));
  }
  if (plan.bands.size() > 1 && context.backend() != Backend::cuda) {
    plan.one_pass_bytes =
        with_block(besides + static_cast<std::uint64_t>(triangle_cells(samples)) * cell);
  }
  if (!needs.one_band) {
    plan.write_bytes = plan.cells * static_cast<std::uint64_t>(needs.cell_bytes);
  }
  plan.block_bytes = static_cast<std::uint64_t>(plan.block_sites) *
                     site_bytes(samples, dosage, plan.block_sites == known, usual_table_bytes);
  return plan;
}

void hold_sums(Plan& plan, std::uint64_t held, std::uint64_t cell_bytes, std::uint64_t cells) {
  // Sites that both of a pair miss are counted from the first missing call on.
  const auto most = [&](std::uint64_t known, std::uint64_t sums) {
    return std::max({known, plan.sizes.before_bytes(), held + (sums + cell_bytes) * cells});
  };
  const std::uint64_t complete = most(plan.complete_bytes.value_or(plan.total_bytes), 8);
  plan.total_bytes = plan.sizes.missing ? most(plan.total_bytes, 12) : complete;
  const bool known = plan.sizes.sites >= 0 && !plan.bands.empty();
  if (plan.sizes.missing && known) plan.complete_bytes = complete;
}

Plan plan_of_grm(const Context& context,
                 const Input& input,
                 const InputParams& params,
                 const GrmPlan& grm) {
  Plan plan;
  plan.sizes = plan_sizes(context, input, params);
  plan.planes = 0;
  plan.at_most = true;
  plan.bands = grm.bands;
  plan.block_sites = grm.block_sites;
  plan.block_bytes = grm.block_bytes;
  plan.count_bytes = (plan.sizes.missing ? 12 : 8) * grm.cells;
  plan.one_pass_bytes = grm.one_pass_bytes;
  const std::uint64_t summing =
      fixed_bytes(plan.sizes.samples, input.cohort.has_dosages(), plan.sizes.sites);
  const std::uint64_t held = program_bytes(context) + plan.sizes.reader_bytes +
                             sample_bytes * static_cast<std::uint64_t>(plan.sizes.samples);
  hold_sums(plan, held + std::max(summing + grm.block_bytes, grm.write_bytes), 0, grm.cells);
  return plan;
}

genotype::Grm count_grm(Context& context,
                        Input& input,
                        const GrmPlan& plan,
                        const genotype::GrmParams& params) {
  const std::int64_t samples = std::ssize(input.cohort.samples());
  genotype::GrmParams counted_params = params;
  counted_params.dosage = input.cohort.has_dosages();
  counted_params.gpu =
      params.rows.end > 0 ||
      triangle_cells(samples) <= genotype::GrmCounter::room(context, samples).cells;
  if (context.backend() == Backend::cuda && (counted_params.dosage || !counted_params.gpu)) {
    context.note(counted_params.dosage
                     ? "relationships of dosages are summed on the CPU"
                     : "relationships are summed on the CPU: the GPUs have no room for all pairs");
  }
  genotype::GrmCounter counter(context, samples, counted_params);
  const Range rows = counter.rows();
  const auto pairs = static_cast<double>(triangle_cells(rows.end) - triangle_cells(rows.begin));
  const double sites = static_cast<double>(std::max<std::int64_t>(input.cohort.sites(), 0));
  Stage stage(context, "relationships", pairs * sites, "pair-SNP");
  input.cohort.rewind();
  genotype::CallBlock block;
  while (input.cohort.read(block, plan.block_sites)) counter.add(block, &stage);
  return counter.take();
}

SquareMatrix<double> grm_matrix(Context& context, const genotype::Grm& grm) {
  SquareMatrix<double> matrix(grm.samples);
  context.parallel_for(grm.samples, 16, [&](std::int64_t i) {
    context.check_cancelled();
    for (std::int64_t j = 0; j <= i; ++j) matrix(i, j) = grm.at(i, j);
    // Reads down a column of the triangle: every line of the matrix is written by one thread.
    for (std::int64_t j = i + 1; j < grm.samples; ++j) matrix(i, j) = grm.at(j, i);
  });
  return matrix;
}

void note_frequencies(const Context& context, const Input& input) {
  const std::int64_t all = std::ssize(input.cohort.samples());
  const std::int64_t founders = std::ssize(input.cohort.founders());
  if (founders == all) return;
  context.note(
      fmt::format("allele frequencies are of all {}, as GCTA takes them; PLINK 2 takes those of "
                  "the {}, unless it is given --nonfounders",
                  counted(all, "sample"),
                  counted(founders, "founder")));
}

Plan plan_grm_job(Context& context, const GrmJobParams& params) {
  const Input input = open_input(context, params.input);
  Plan plan = plan_of_grm(context, input, params.input, plan_run(context, input, params));
  add_disk(plan, params.out, output_bytes(params, plan.sizes.samples));
  plan.output_may_grow = params.cutoff.has_value();
  return plan;
}

GrmJobResult run_grm(Context& context, const GrmJobParams& params) {
  Input input = open_input(context, params.input);
  const std::int64_t n = std::ssize(input.cohort.samples());
  const GrmPlan plan = plan_run(context, input, params);
  check_disk(params.out, output_bytes(params, n));
  if (params.gcta) refuse_blanks(input.names, "GCTA's .grm.id");
  note_frequencies(context, input);
  OutputFiles files;
  GrmFiles matrices = open_files(params, n, files);
  GrmJobResult result;
  result.passes = std::ssize(plan.bands);
  note_passes(context, plan_of_grm(context, input, params.input, plan));
  for (const Range band : plan.bands) {
    const genotype::Grm grm =
        count_grm(context, input, plan, {.standardize = params.standardize, .rows = band});
    result.pairs_without_sites += pairs_without_sites(grm);
    write_band(context, params, plan, grm, matrices);
  }
  result.cohort = input.cohort.summary();
  if (result.pairs_without_sites > 0) {
    context.note(fmt::format("{} of samples without a called site in common; nan in the matrix",
                             counted(result.pairs_without_sites, "pair")));
  }
  write_grm_ids(files.add(params.out + ".grm.id"), input);
  commit_files(
      context, files, result.files, params.out, {".grm.bin", ".grm.N.bin", ".grm.sp", ".grm.npy"});
  return result;
}

}  // namespace yupana::job
