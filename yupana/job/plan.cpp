#include "yupana/job/plan.hpp"

#include "yupana/core/cuda/gpu_memory.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/genotype/pair_counts.hpp"
#include "yupana/genotype/site_block.hpp"

namespace yupana::job {
namespace {

/// Large enough that adding a block's counts to the totals is a few percent of making them, small
/// enough that blocks are a small part of a big run's memory.
constexpr std::uint64_t preferred_block_bytes = std::uint64_t{48} << 20;
constexpr std::int64_t largest_block = std::int64_t{1} << 22;
/// Of a band, for each group of ranks: none may have no row.
constexpr std::int64_t min_rows = 4;
/// GPUs hold sums in squares of this many rows.
constexpr std::int64_t gpu_rows = 256;

/// Bytes a site takes: its planes once, its 2-bit codes in each of `blocks`: one is read while one
/// is worked on.
double site_bytes(std::int64_t samples, int planes, int blocks = 2) {
  const std::int64_t stride = genotype::SiteBlock(samples, 0).stride;
  return static_cast<double>(samples) * planes * 0.125 + static_cast<double>(blocks * stride) + 24;
}

/// Of counts of rows that `parts` ranks sum.
std::uint64_t bytes_of_rows(Range rows, const PlanParams& sizes, int parts) {
  const std::uint64_t counts = genotype::PairCounter::bytes(rows, sizes.missing, sizes.hethet);
  if (parts == 1) return counts;
  // While ranks sum a triangle, a rank holds its share of it next to the counts; the first holds
  // all where the run needs all. Two triangles, the least, hold twice that.
  const std::uint64_t triangle = genotype::PairCounter::bytes(rows, false, false) / 2;
  return counts + (sizes.one_band ? triangle : triangle / static_cast<unsigned>(parts) + 1);
}

/// Bytes of counts of the smallest cut there is.
std::uint64_t min_counts(const PlanParams& params) {
  if (params.one_band) return bytes_of_rows({0, params.samples}, params, params.ranks);
  return bytes_of_rows({params.samples - 1, params.samples}, params, params.ranks);
}

/// What is held next to blocks and counts.
std::uint64_t held_bytes(const Context& context, const PlanParams& params) {
  return program_bytes(context, params.ranks) +
         sample_bytes * static_cast<std::uint64_t>(params.samples) + params.reader_bytes +
         params.later_bytes;
}

/// Bytes that the memory leaves next to the smallest cut. A block takes a quarter of them and
/// threads that count an eighth: what is refused needs the smallest block and two threads, so that
/// the bytes a refusal names are enough.
std::uint64_t bytes_left(const Context& context, const PlanParams& sizes) {
  const std::uint64_t least = held_bytes(context, sizes) + min_counts(sizes);
  return context.memory() - std::min(context.memory(), least);
}

std::int64_t choose_block(const Context& context, const PlanParams& sizes, int planes) {
  const double budget = std::min(static_cast<double>(preferred_block_bytes),
                                 static_cast<double>(bytes_left(context, sizes)) / 4);
  auto sites = static_cast<std::int64_t>(budget / site_bytes(sizes.samples, planes));
  sites = std::clamp(sites, smallest_block_sites, largest_block);
  if (sizes.sites >= 0) sites = std::min(sites, std::max<std::int64_t>(sizes.sites, 1));
  // A last block of few sites would leave what is held for it untouched.
  if (sizes.sites > sites && sizes.ranks == 1) {
    sites = divide_up(sizes.sites, divide_up(sizes.sites, sites));
  }
  return round_up(sites, genotype::chunk_sites);
}

/// Bytes of each thread that counts blocks of the plan.
std::uint64_t bytes_of_thread(const Context& context, const Plan& plan, bool missing) {
  const PlanParams& sizes = plan.sizes;
  const std::int64_t sites =
      sizes.sites < 0 ? plan.block_sites : std::min(sizes.sites, plan.block_sites);
  return genotype::PairCounter::thread_bytes(
      context, {0, sizes.samples}, sites, missing, sizes.hethet);
}

/// What threads beyond the first two hold, which are small next to the program.
std::uint64_t bytes_of_threads(const Context& context,
                               const Plan& plan,
                               int threads,
                               bool missing) {
  return bytes_of_thread(context, plan, missing) *
         static_cast<std::uint64_t>(std::max(threads, 2) - 2);
}

void choose_threads(const Context& context, Plan& plan) {
  const bool missing = plan.sizes.missing;
  plan.threads = genotype::PairCounter::threads_within(
      context, bytes_left(context, plan.sizes) / 8, bytes_of_thread(context, plan, missing));
  plan.thread_bytes = bytes_of_threads(context, plan, plan.threads, missing);
}

/// `bytes` and what all threads hold that count, as far as an eighth of the memory has room.
std::uint64_t with_all_threads(const Context& context, const Plan& plan, std::uint64_t bytes) {
  return bytes + std::min(bytes / 7,
                          bytes_of_threads(context, plan, context.threads(), plan.sizes.missing));
}

[[noreturn]] void refuse(const Context& context,
                         const Plan& plan,
                         std::uint64_t needed,
                         std::uint64_t few) {
  // Readers hold blocks for each thread.
  const bool by_threads = context.threads() > 2 && plan.sizes.reader_bytes > needed / 2;
  throw resource_error(
      "memory: {} need {}, --memory allows {}; raise --memory to {}{}{}, or take fewer samples{}",
      counted(plan.sizes.samples, "sample"),
      needed_bytes(needed),
      allowed_bytes(context.memory()),
      memory_option(static_cast<double>(needed)),
      few_passes_advice(needed, few),
      by_threads ? ", lower --threads" : "",
      plan.sizes.named ? " (--keep)" : "");
}

std::uint64_t gpu_bytes_of(const Context& context, Range rows, const PlanParams& sizes) {
  return genotype::PairCounter::gpu_bytes(
      context, sizes.samples, rows, sizes.missing, sizes.hethet);
}

/// Cuts a band into the rows whose sums the GPUs hold at once. Halves until they fit: sums are held
/// in squares, so that their bytes are no simple function of the rows.
void cut_for_gpu(const Context& context, Plan& plan, Range band) {
  const std::uint64_t bytes = gpu_bytes_of(context, band, plan.sizes);
  if (bytes <= context.gpu_memory()) {
    plan.gpu_bands.push_back(band);
    plan.gpu_bytes = std::max(plan.gpu_bytes, bytes);
    return;
  }
  const std::int64_t middle = round_up(band.begin + band.size() / 2, gpu_rows);
  if (middle >= band.end) {
    throw gpu_memory_error(
        fmt::format(
            "counting rows {} to {} of {} samples", band.begin, band.end, plan.sizes.samples),
        static_cast<double>(bytes),
        context.gpu_memory());
  }
  cut_for_gpu(context, plan, {band.begin, middle});
  cut_for_gpu(context, plan, {middle, band.end});
}

/// The sizes, and the blocks that follow from them.
Plan sized(const Context& context, const PlanParams& params) {
  Plan plan;
  plan.sizes = params;
  plan.planes = params.missing ? 3 : 2;
  plan.block_sites = choose_block(context, params, plan.planes);
  const int blocks = params.sites >= 0 && params.sites <= plan.block_sites ? 1 : 2;
  plan.block_bytes = static_cast<std::uint64_t>(static_cast<double>(plan.block_sites) *
                                                site_bytes(params.samples, plan.planes, blocks));
  choose_threads(context, plan);
  if (params.sites > 0) {
    plan.pair_sites = static_cast<double>(params.samples) *
                      static_cast<double>(params.samples - 1) / 2 *
                      static_cast<double>(params.sites);
  }
  return plan;
}

/// Whether the ranks can be cut into so many groups, and --pair-groups allows it.
bool may_cut(const PlanParams& params, int groups) {
  if (params.ranks % groups != 0 || (params.one_band && groups > 1)) return false;
  return params.pair_groups == 0 || params.pair_groups == groups;
}

void check_groups(const PlanParams& params) {
  const int groups = params.pair_groups;
  if (groups == 0) return;
  if (params.ranks % groups != 0) {
    throw usage_error(
        "--pair-groups: expected a divisor of the {} ranks, got {}", params.ranks, groups);
  }
  if (groups > 1 && params.samples < min_rows * groups) {
    throw usage_error("--pair-groups {}: {} too few for so many; at most {}",
                      groups,
                      counted(params.samples, "sample is", "samples are"),
                      std::max<std::int64_t>(1, params.samples / min_rows));
  }
  if (groups > 1 && params.one_band) {
    throw usage_error(
        "--pair-groups {}: this run needs all counts on the first rank; write matrices alone "
        "(--format npy, --matrix-only), or leave it out",
        groups);
  }
}

/// The bands of `plan`, whose groups are set, from `budget` bytes of counts on each rank; false if
/// they hold too few cells for it.
bool cut_bands(Plan& plan, std::uint64_t budget) {
  const PlanParams& sizes = plan.sizes;
  const int groups = plan.pair_groups, parts = sizes.ranks / groups;
  const std::int64_t n = sizes.samples;
  auto cells = static_cast<std::int64_t>(budget / bytes_of_rows({0, 1}, sizes, parts));
  // Groups have as many cells but for a row.
  if (groups > 1) cells = (cells - n) * groups;
  if (groups > 1 && cells <= 0) return false;
  for (std::int64_t next = 0; next < n;) {
    Range band = triangle_band(next, n, cells);
    // A last band of a few rows would leave groups without one.
    if (groups > 1 && band.end < n) band.end = std::min(band.end, n - min_rows * groups);
    if (groups > 1 && band.size() < min_rows * groups) return false;
    plan.bands.push_back(band);
    for (const Range rows : genotype::triangle_shares(band, groups)) {
      if (groups > 1 && rows.size() == 0) return false;
      plan.count_bytes = std::max(plan.count_bytes, bytes_of_rows(rows, sizes, parts));
    }
    next = band.end;
    if (plan.count_bytes > budget) return false;
  }
  return !sizes.one_band || plan.bands.size() <= 1;
}

/// What a cut costs in addition to the counting, which is the same for all: in every pass the file
/// is read, of which ranks of one machine share what they both need, and every rank lays its sites
/// out in planes; and sums pass between ranks. Where nobody knows the sites (text) every rank reads
/// all of them in a pass, whatever the cut.
double cost_of(const Plan& plan, std::int64_t passes_over) {
  // In ns. Measured: a genotype of a .bed decoded and laid out, 400 x 400,000, one thread. Taken
  // for granted: files at 2.5 GB/s and sums at 1 GB/s; a factor of two moves the choice little.
  constexpr double laid_out = 0.4, read = 0.1, summed = 1;
  const PlanParams& sizes = plan.sizes;
  const double parts = static_cast<double>(sizes.ranks) / plan.pair_groups;
  const auto n = static_cast<double>(sizes.samples);
  const auto counts = static_cast<double>(
      genotype::PairCounter::bytes({0, sizes.samples}, sizes.missing, sizes.hethet));
  const double sums = summed * counts / plan.pair_groups * (1 - 1 / parts);
  const auto passes = static_cast<double>(passes_over);
  if (sizes.sites < 0) return passes + plan.pair_groups / 1e6;
  return passes * static_cast<double>(sizes.sites) * n * (read + laid_out / parts) + sums;
}

/// Bytes for rows in flight to a file, when the block is gone: what else is held leaves them,
/// and no more than the largest band has.
std::uint64_t write_buffer(const Context& context, const Plan& plan, std::uint64_t held) {
  constexpr std::uint64_t most = std::uint64_t{256} << 20, least = std::uint64_t{1} << 18;
  if (plan.sizes.cell_bytes == 0) return 0;
  std::int64_t cells = 0;
  for (const Range band : plan.bands) cells = std::max(cells, band.size() * band.end);
  const std::uint64_t left = context.memory() - std::min(context.memory(), held);
  return std::min(
      static_cast<std::uint64_t>(cells) * static_cast<std::uint64_t>(plan.sizes.cell_bytes),
      std::clamp(left, least, most));
}

/// Cuts the bands of a group of ranks for their GPUs.
void cut_group_for_gpu(const Context& context, Plan& plan, int group) {
  plan.gpu_bands.clear();
  plan.gpu_bytes = 0;
  if (context.backend() != Backend::cuda) return;
  for (const Range band : plan.bands) {
    const auto rows = genotype::triangle_shares(band, plan.pair_groups);
    cut_for_gpu(context, plan, rows[static_cast<std::size_t>(group)]);
  }
}

/// Counts of the largest part of a band that GPUs count by itself: it is copied into the band's.
std::uint64_t part_bytes(const Plan& plan, bool missing) {
  std::uint64_t bytes = 0;
  if (plan.gpu_bands.size() <= plan.bands.size()) return bytes;
  for (const Range part : plan.gpu_bands) {
    bytes = std::max(bytes, genotype::PairCounter::bytes(part, missing, plan.sizes.hethet));
  }
  return bytes;
}

/// Rows that GPUs hold at once become the bands of the host, where each is done with before the
/// next is counted.
void take_gpu_bands(Plan& plan) {
  if (plan.sizes.one_band || plan.sizes.ranks > 1 || plan.gpu_bands.empty()) return;
  plan.bands = plan.gpu_bands;
  plan.count_bytes = 0;
  for (const Range band : plan.bands) {
    plan.count_bytes = std::max(plan.count_bytes, bytes_of_rows(band, plan.sizes, 1));
  }
}

/// What comes and goes next to the counts: a block, then rows that are written, then a tree.
std::uint64_t bytes_beside_counts(const Plan& plan) {
  return std::max(
      {plan.block_bytes + plan.thread_bytes, plan.write_bytes, plan.sizes.unblocked_bytes});
}

/// The peak if no call turns out to be missing: neither the plane of calls nor counts of shared
/// sites are made then. `held`: in addition to blocks and counts.
std::uint64_t complete_bytes(const Context& context,
                             Plan plan,
                             std::uint64_t held,
                             std::uint64_t after) {
  plan.block_bytes -= static_cast<std::uint64_t>(plan.block_sites * plan.sizes.samples / 8);
  plan.thread_bytes = bytes_of_threads(context, plan, plan.threads, false);
  std::uint64_t counts = 0;
  for (const Range band : plan.bands) {
    counts = std::max(counts, genotype::PairCounter::bytes(band, false, plan.sizes.hethet));
  }
  counts += part_bytes(plan, false);
  return std::max({after, plan.sizes.before_bytes(), held + counts + bytes_beside_counts(plan)});
}

/// Enough for all counts at once and for the largest block in addition.
std::uint64_t one_pass_bytes(const Context& context,
                             const Plan& plan,
                             std::uint64_t held,
                             std::uint64_t after) {
  const PlanParams& sizes = plan.sizes;
  if (sizes.ranks > 1 || !plan.gpu_bands.empty() || plan.bands.size() < 2) return 0;
  const auto cells = static_cast<std::uint64_t>(triangle_cells(sizes.samples));
  const std::uint64_t counts = std::max(bytes_of_rows({0, sizes.samples}, sizes, 1),
                                        cells * bytes_of_rows({0, 1}, sizes, 1));
  const double site = site_bytes(sizes.samples, plan.planes);
  const auto block =
      static_cast<std::uint64_t>(genotype::chunk_sites * site) +
      std::max(preferred_block_bytes, static_cast<std::uint64_t>(smallest_block_sites * site));
  const std::uint64_t bytes = held + counts + std::max(block, sizes.unblocked_bytes);
  return std::max(after, with_all_threads(context, plan, bytes));
}

/// Enough for counts in `few_passes` bands and a block, which takes a quarter of what is left; 0
/// where not one process on the CPU counts.
std::uint64_t few_passes_bytes(const Context& context, const Plan& plan) {
  const PlanParams& sizes = plan.sizes;
  if (sizes.ranks > 1 || sizes.one_band || context.backend() == Backend::cuda) return 0;
  // A band of whole rows may lack almost one of its cells.
  const auto cells =
      static_cast<std::uint64_t>(triangle_cells(sizes.samples) / few_passes + sizes.samples);
  const std::uint64_t counts = cells * bytes_of_rows({0, 1}, sizes, 1);
  const double site = site_bytes(sizes.samples, plan.planes);
  const auto block =
      static_cast<std::uint64_t>(2 * genotype::chunk_sites * site) +
      std::max(std::min(preferred_block_bytes, counts / 3),
               static_cast<std::uint64_t>(static_cast<double>(smallest_block_sites) * site));
  const std::uint64_t bytes =
      held_bytes(context, sizes) + counts + std::max(block, sizes.unblocked_bytes);
  return with_all_threads(context, plan, bytes);
}

}  // namespace

Plan make_plan(Context& context, const PlanParams& params) {
  check_groups(params);
  Plan plan = sized(context, params);
  const std::uint64_t names = sample_bytes * static_cast<std::uint64_t>(params.samples);
  const std::uint64_t held = held_bytes(context, params);
  const std::uint64_t fixed =
      held + std::max(plan.block_bytes + plan.thread_bytes, params.unblocked_bytes);
  const std::uint64_t after = program_bytes(context, params.ranks) + names + params.after_bytes;
  const std::uint64_t needed = std::max(after, fixed + min_counts(params));
  const std::uint64_t few = std::max(after, few_passes_bytes(context, plan));
  if (after > context.memory()) refuse(context, plan, needed, few);
  const std::uint64_t budget = context.memory() > fixed ? context.memory() - fixed : 0;
  std::optional<Plan> best;
  double least = 0;
  for (int groups = 1; groups <= params.ranks; ++groups) {
    if (!may_cut(params, groups)) continue;
    Plan cut = plan;
    cut.pair_groups = groups;
    if (!cut_bands(cut, budget)) continue;
    cut_group_for_gpu(context, cut, groups - 1);  // as good as any, and the same on every rank
    const double cost = cost_of(cut, passes_of(cut));
    if (best && cost >= least) continue;
    least = cost;
    best = std::move(cut);
  }
  if (!best) refuse(context, plan, needed, few);
  plan = *std::move(best);
  cut_group_for_gpu(context, plan, params.rank % plan.pair_groups);
  take_gpu_bands(plan);
  plan.count_bytes += part_bytes(plan, params.missing);
  plan.write_bytes = write_buffer(context, plan, held + plan.count_bytes);
  plan.total_bytes =
      std::max({after, params.before_bytes(), held + plan.count_bytes + bytes_beside_counts(plan)});
  if (plan.total_bytes > context.memory() && part_bytes(plan, params.missing) > 0) {
    refuse(context, plan, plan.total_bytes, few);
  }
  if (params.missing && params.sites >= 0 && params.ranks == 1) {
    const std::uint64_t later =
        params.complete_after_bytes > 0 ? params.complete_after_bytes : params.after_bytes;
    plan.complete_bytes = complete_bytes(context, plan, held, after - params.after_bytes + later);
  }
  plan.one_pass_bytes = one_pass_bytes(context, plan, held, after);
  return plan;
}

void add_disk(Plan& plan, const std::string& out, std::uint64_t output_bytes) {
  plan.output_bytes = output_bytes;
  if (!out.empty()) plan.free_disk = free_disk(out);
}

}  // namespace yupana::job
