#include "yupana/job/count.hpp"

#include <chrono>
#include <cstdio>
#include <filesystem>

#include "yupana/core/comm.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/unfinished_files.hpp"
#include "yupana/genotype/counts_file.hpp"
#include "yupana/io/genotype_sources.hpp"
#include "yupana/io/vcf.hpp"

namespace yupana::job {
namespace {

using Clock = std::chrono::steady_clock;

/// Every rank saves what it has counted.
std::string counts_path(const Context& context, const CheckpointParams& checkpoint, Range band) {
  const std::string rank = context.comm() ? fmt::format("-rank{}", context.rank()) : "";
  return fmt::format("{}/counts-{}-{}{}.yupana", checkpoint.folder, band.begin, band.end, rank);
}

/// What a checkpoint must agree in to be continued.
std::string run_text(const Context& context, const Input& input, const Plan& plan, Range rows) {
  const std::string cut =
      context.comm() == nullptr
          ? ""
          : fmt::format("ranks: {}\npair groups: {}\n", context.ranks(), input.pair_groups);
  return fmt::format("{}{}rows: {}-{}\nhethet: {}\n",
                     input.fingerprint,
                     cut,
                     rows.begin,
                     rows.end,
                     plan.sizes.hethet);
}

void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw input_error("--checkpoint {}: cannot make the folder: {}", folder, error.message());
  }
}

/// Pairs of a band, without the diagonal.
double pairs_of(Range band) {
  return static_cast<double>(triangle_cells(band.end) - triangle_cells(band.begin) - band.size());
}

/// Takes the rows of a part into the counts of a larger band.
void place_rows(const genotype::PairCounts& part, genotype::PairCounts& whole) {
  using genotype::CountTriangle;
  const auto place = [&](const CountTriangle& from, CountTriangle& to) {
    if (from.empty()) return;
    if (to.empty()) to = CountTriangle(whole.rows);
    const std::int64_t at = to.offset(part.rows.begin);
    std::copy(from.low_words().begin(), from.low_words().end(), to.low() + at);
    if (from.high_words().empty()) return;
    if (to.high() == nullptr) to.widen();
    std::copy(from.high_words().begin(), from.high_words().end(), to.high() + at);
  };
  place(part.ibs1, whole.ibs1);
  place(part.ibs0, whole.ibs0);
  place(part.shared, whole.shared);
  place(part.hethet, whole.hethet);
  place(part.het, whole.het);
  whole.sites = part.sites;
  whole.called = part.called;
  whole.heterozygous = part.heterozygous;
  whole.homozygous = part.homozygous;
}

/// Where a pass saves its counts, and under what description.
struct Save {
  std::string path;  ///< empty: nowhere
  std::string run;
  double interval = 0;
  std::shared_ptr<std::string> saved = {};

  void counts(Context& context, genotype::PairCounter& counter) const {
    genotype::save_counts(context, path, run, counter.counts());
    *saved = path;
  }
};

/// Counts the sites after the first `counted` of the input, saving now and then.
void count_sites(Context& context,
                 Input& input,
                 const Plan& plan,
                 Range rows,
                 const Save& save,
                 std::int64_t counted,
                 genotype::PairCounter& counter) {
  const double pairs = pairs_of(rows);
  const double sites = static_cast<double>(std::max<std::int64_t>(plan.sizes.sites, 0));
  Stage stage(context, "pair counts", pairs * sites / input.site_groups(), "pair-SNP");
  input.cohort.rewind();
  genotype::CallBlock block;
  Clock::time_point saved_at = Clock::now();
  for (std::int64_t read = 0;; read += block.codes.sites) {
    // Sites that were counted are read again, which is quick compared with counting them, up to
    // the site that the earlier run had reached.
    const std::int64_t count =
        read < counted ? std::min(plan.block_sites, counted - read) : plan.block_sites;
    if (!input.cohort.read(block, count)) break;
    if (input.observe && rows.begin == 0) input.observe(block);
    if (read >= counted) {
      counter.add(block, &stage);
    } else {
      stage.advance(pairs * static_cast<double>(block.codes.sites));
    }
    if (save.path.empty()) continue;
    if (Clock::now() - saved_at < std::chrono::duration<double>(save.interval)) continue;
    save.counts(context, counter);
    saved_at = Clock::now();
  }
}

/// One pass over the input: `rows`, saved under the name of the band they are of.
genotype::PairCounter count_pass(Context& context,
                                 Input& input,
                                 const Plan& plan,
                                 Range rows,
                                 Range band,
                                 const CheckpointParams& checkpoint) {
  Save save;
  genotype::PairCounter counter(
      context,
      plan.sizes.samples,
      {.hethet = plan.sizes.hethet, .rows = rows, .threads = plan.threads});
  std::int64_t counted = 0;  // sites an earlier run has counted
  if (!checkpoint.folder.empty()) {
    save = {counts_path(context, checkpoint, band),
            run_text(context, input, plan, rows),
            checkpoint.interval,
            checkpoint.saved};
    make_folder(checkpoint.folder);
    if (auto saved = genotype::load_counts(context, save.path, save.run)) {
      *save.saved = save.path;
      counted = saved->sites;
      counter.resume(std::move(*saved));
      context.note(fmt::format("continuing after {} sites counted by an earlier run", counted));
    }
  }
  count_sites(context, input, plan, rows, save, counted, counter);
  if (!save.path.empty() && passes_of(plan) > 1) save.counts(context, counter);
  return counter;
}

/// This process's counts of `rows` of the band: over the sites it reads.
genotype::PairCounts count_rows(Context& context,
                                Input& input,
                                const Plan& plan,
                                Range rows,
                                Range band,
                                const CheckpointParams& checkpoint) {
  std::vector<Range> parts;
  for (const Range part : plan.gpu_bands) {
    if (part.begin >= rows.begin && part.end <= rows.end) parts.push_back(part);
  }
  if (parts.size() < 2) return count_pass(context, input, plan, rows, band, checkpoint).take();
  // The host holds what the GPUs cannot hold at once.
  genotype::PairCounts whole;
  whole.samples = plan.sizes.samples;
  whole.rows = rows;
  for (const Range part : parts) {
    place_rows(count_pass(context, input, plan, part, part, checkpoint).take(), whole);
  }
  return whole;
}

}  // namespace

PlanParams plan_sizes(const Context& context, const Input& input, const InputParams& params) {
  PlanParams sizes;
  sizes.samples = std::ssize(input.cohort.samples());
  sizes.sites = input.cohort.sites();
  sizes.reader_bytes = reading_bytes(sizes.sites);
  sizes.missing = params.cohort.missing == genotype::Missing::pairwise;
  const bool in_memory = params.path.empty();  // an array of Python's
  const InputKind kind = in_memory ? InputKind::array : input_kind(params);
  if (kind == InputKind::vcf) {
    sizes.reader_bytes += io::vcf_reader_bytes(context.threads(), !params.path.ends_with(".vcf"));
  } else if (kind == InputKind::pgen) {
    sizes.reader_bytes += io::pgen_reader_bytes(sizes.samples, sizes.sites, context.threads());
  }
  if (kind == InputKind::npy) {
    sizes.reader_bytes += io::npy_reader_bytes(sizes.samples, sizes.sites);
  }
  if (kind == InputKind::bgen) {
    sizes.reader_bytes += io::bgen_reader_bytes(sizes.samples, sizes.sites, context.threads());
  }
  if (kind == InputKind::zarr) {
    sizes.reader_bytes += io::zarr_reader_bytes(params.path, sizes.samples, context.threads());
  }
  sizes.reader_bytes += input.held_bytes;
  sizes.kinship_bytes = input.kinship_bytes;
  sizes.kinship_passes = input.kinship_passes;
  if (input.pruning_bytes > 0) {
    sizes.pruning_bytes = program_bytes(context, context.ranks()) + input.pruning_bytes +
                          sizes.reader_bytes +
                          sample_bytes * static_cast<std::uint64_t>(sizes.samples);
  }
  sizes.ranks = context.ranks();
  sizes.rank = context.rank();
  sizes.pair_groups = params.pair_groups;
  return sizes;
}

std::vector<RankRows> rank_rows(const Plan& plan, Range band) {
  const int groups = plan.pair_groups, parts = plan.sizes.ranks / groups;
  const std::vector<Range> counted = genotype::triangle_shares(band, groups);
  std::vector<RankRows> rows(static_cast<std::size_t>(plan.sizes.ranks));
  for (int group = 0; group < groups; ++group) {
    const Range all = counted[static_cast<std::size_t>(group)];
    std::vector<Range> kept(static_cast<std::size_t>(parts), Range{all.end, all.end});
    if (plan.sizes.one_band) {
      kept.front() = all;
    } else {
      kept = genotype::triangle_shares(all, parts);
    }
    for (int part = 0; part < parts; ++part) {
      rows[static_cast<std::size_t>(part * groups + group)] = {
          all, kept[static_cast<std::size_t>(part)]};
    }
  }
  return rows;
}

genotype::PairCounts count_pairs(Context& context,
                                 Input& input,
                                 const Plan& plan,
                                 Range band,
                                 const CheckpointParams& checkpoint) {
  if (context.comm() == nullptr) return count_rows(context, input, plan, band, band, checkpoint);
  const std::vector<RankRows> rows = rank_rows(plan, band);
  const auto self = static_cast<std::size_t>(context.rank());
  genotype::PairCounts counts =
      count_rows(context, input, plan, rows[self].counted, band, checkpoint);
  const Stage stage(context, "sum over ranks");
  std::vector<Range> kept;
  for (std::size_t rank = self % plan.pair_groups; rank < rows.size(); rank += plan.pair_groups) {
    kept.push_back(rows[rank].kept);
  }
  return genotype::sum_over_ranks(*input.same_pairs, std::move(counts), plan.sizes.hethet, kept);
}

genotype::PairCounter count_whole(Context& context,
                                  Input& input,
                                  const Plan& plan,
                                  const CheckpointParams& checkpoint) {
  const Range all = {0, plan.sizes.samples};
  return count_pass(context, input, plan, all, all, checkpoint);
}

void remove_checkpoint(const Context& context,
                       const Plan& plan,
                       const CheckpointParams& checkpoint) {
  if (checkpoint.folder.empty()) return;
  if (context.comm() != nullptr) context.comm()->barrier();
  for (const auto* bands : {&plan.bands, &plan.gpu_bands}) {
    for (const Range band : *bands) {
      const std::string path = counts_path(context, checkpoint, band);
      remove_left_parts(path);
      std::remove(path.c_str());
    }
  }
  std::error_code ignored;
  std::filesystem::remove(checkpoint.folder, ignored);  // only if nothing else is in it
}

}  // namespace yupana::job
