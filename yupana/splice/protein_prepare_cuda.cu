#include <algorithm>
#include <array>

#include "yupana/core/error.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/splice/align_backends.hpp"
#include "yupana/splice/protein_prepare_cuda.hpp"

namespace yupana::splice::cuda {
namespace {

constexpr std::int64_t most_letters = 1 << 28;
constexpr std::int32_t no_row = -1;

/// Goes through the starts as the CPU's solver does, with the places of rows for the rows.
class Script {
 public:
  Script(const Case& problem, const ProteinParams& params, PreparedProtein& to)
      : problem_(problem),
        params_(params),
        any_stop_(!stops_end(problem, params)),
        to_(to),
        slots_(to.plan.slots) {
    running_.fill(no_row);
  }

  void write() {
    // About what a genome's exons take; more grows as it comes.
    const std::size_t starts = to_.plan.starts.size();
    to_.starts.reserve(starts), to_.streams.reserve(3 * starts);
    to_.readings.reserve(to_.plan.readings.size());
    to_.carries.reserve(16 * starts), to_.leavings.reserve(3 * to_.plan.readings.size());
    for (std::size_t s = 0; s < to_.plan.starts.size(); ++s) {
      const Start& start = to_.plan.starts[s];
      for (std::int64_t r = start.readings_from; r < start.readings_to; ++r) {
        const Reading& reading = to_.plan.readings[r];
        to_.readings.push_back({static_cast<std::int32_t>(s),
                                static_cast<std::int32_t>(reading.rows),
                                static_cast<std::int32_t>(reading.rank)});
      }
      absorb(start);
      for (int carried = 0; carried < 3; ++carried) stream(start, carried);
      to_.bases += start.rows;
    }
    to_.rows = next_row_;
  }

 private:
  /// The rows of exons with one end, by carry.
  struct Slot {
    std::array<std::int32_t, carries> row;
    std::array<bool, carries> used{};
    Slot() { row.fill(no_row); }
  };

  static std::int32_t size_of(const auto& list) { return static_cast<std::int32_t>(list.size()); }
  std::int32_t new_row() {
    if (next_row_ >= INT32_MAX) throw Error(ErrorCode::out_of_resources, "splice: too many exons");
    return static_cast<std::int32_t>(next_row_++);
  }

  // With alignments every start's view stays as it is; else rows are written over.
  void absorb(const Start& start) {
    DeviceProteinStart here;
    here.merges_from = size_of(to_.merges);
    for (Carry u = 0; u < carries && start.ended_from < start.ended_to; ++u) {
      DeviceMerge merge;
      merge.merged_from = size_of(to_.merged);
      for (std::int64_t e = start.ended_from; e < start.ended_to; ++e) {
        Slot& slot = slots_[to_.plan.ended[e]];
        if (!slot.used[u]) continue;
        slot.used[u] = false;
        to_.merged.push_back(slot.row[u]);
      }
      merge.merged_to = size_of(to_.merged);
      if (merge.merged_from == merge.merged_to) continue;
      merge.before = running_[u];
      if (params_.align.alignment || running_[u] == no_row) running_[u] = new_row();
      merge.to = running_[u];
      to_.merges.push_back(merge);
    }
    here.merges_to = size_of(to_.merges);
    to_.starts.push_back(here);
  }

  void stream(const Start& start, int carried) {
    DeviceStream s;
    s.bases = to_.bases;
    s.boundary = to_.boundaries;
    s.entry = start.entry, s.begin = start.begin;
    s.carried = carried;
    s.carries_from = size_of(to_.carries);
    s.passes_from = size_of(to_.leavings);
    const char* first = problem_.bases.data() + start.first - 1;
    const OpenCodons open(params_.code, any_stop_, first, carried, codons(carried, start.rows));
    const auto out_of = [&](std::int64_t bases) {
      return carried_out(first_carry[carried], first + bases, bases);
    };
    std::int64_t rows = 0;  // codons of the longest exon of use
    for (std::int64_t r = start.readings_from; r < start.readings_to; ++r) {
      const std::int64_t bases = to_.plan.readings[r].rows, all = codons(carried, bases);
      if (all > 0 && open.ends(all, out_of(bases))) rows = all;
    }
    std::int64_t read = 0;  // carries that the first codon is read with
    const auto& code = params_.align.substitution.code;
    for (Carry u = first_carry[carried]; u < first_carry[carried + 1]; ++u) {
      if (running_[u] == no_row && u != 0) continue;
      pass_through(start, carried, u, size_of(to_.carries));
      const char amino = rows > 0 ? first_amino(params_.code, u, first) : 'X';
      const bool reads = rows == 0 || open.reads(u);
      read += reads ? 1 : 0;
      to_.carries.push_back(
          {running_[u],
           static_cast<std::int16_t>(u),
           static_cast<std::int16_t>(reads ? code[static_cast<unsigned char>(amino)] : -1)});
    }
    s.carries_to = size_of(to_.carries);
    s.passes_to = s.leavings_from = size_of(to_.leavings);
    if (read == 0) rows = 0;
    if (s.carries_from < s.carries_to) {
      for (std::int64_t r = start.readings_from; r < start.readings_to && rows > 0; ++r) {
        const std::int64_t bases = to_.plan.readings[r].rows, all = codons(carried, bases);
        if (all == 0 || !open.ends(all, out_of(bases))) continue;
        leave(r, all, out_of(bases), open.continues(all));
      }
      s.rows = static_cast<std::int32_t>(rows);
      if (rows > 0) to_.cells += (rows + read - 1) * to_.letters;
      to_.longest = std::max(to_.longest, rows);
      to_.boundaries += rows + 1;
    }
    s.leavings_to = size_of(to_.leavings);
    to_.streams.push_back(s);
  }

  void pass_through(const Start& start, int carried, Carry carry, std::int32_t place) {
    const char* first = problem_.bases.data() + start.first - 1;
    for (std::int64_t r = start.readings_from; r < start.readings_to; ++r) {
      const std::int64_t bases = to_.plan.readings[r].rows;
      if (codons(carried, bases) > 0) break;
      leave(r, 0, carried_out(carry, first + bases, bases));
      to_.leavings.back().carry = place;
    }
  }

  void leave(std::int64_t index, std::int64_t rows, Carry out, bool continues = true) {
    const Reading& reading = to_.plan.readings[index];
    const std::int64_t extend = params_.align.gap_extend;
    DeviceLeaving leaving;
    leaving.score_of_zero =
        extend * (rows + to_.letters) + reading.end + (out == 0 ? 0 : params_.partial_codon);
    leaving.codons = static_cast<std::int32_t>(rows);
    leaving.reading = static_cast<std::int32_t>(index);
    leaving.rank = static_cast<std::int32_t>(reading.rank);
    leaving.added = static_cast<std::int32_t>(extend * rows + reading.exit);
    if (continues && reading.slot >= 0) {
      Slot& slot = slots_[reading.slot];
      if (slot.row[out] == no_row) slot.row[out] = new_row();
      leaving.row = slot.row[out];
      leaving.fresh = slot.used[out] ? 0 : 1;
      slot.used[out] = true;
    }
    to_.leavings.push_back(leaving);
  }

  const Case& problem_;
  const ProteinParams& params_;
  const bool any_stop_;
  PreparedProtein& to_;
  std::vector<Slot> slots_;
  std::array<std::int32_t, carries> running_;
  std::int64_t next_row_ = 0;
};

}  // namespace

PreparedProtein prepare_protein(const Case& problem, const ProteinParams& params) {
  PreparedProtein c;
  c.plan = make_plan(problem.exons, params.align.min_intron);
  if (std::ssize(problem.target) > most_letters || c.plan.rows > most_letters) {
    throw Error(
        ErrorCode::bad_input,
        fmt::format("splice: {} amino acids and exons of {} bases; the GPU takes {} of each "
                    "at most, use --device cpu",
                    problem.target.size(),
                    c.plan.rows,
                    most_letters));
  }
  check_protein_range(problem, params, c.plan);
  c.letters = static_cast<std::int32_t>(problem.target.size());
  c.blocks = static_cast<std::int32_t>(divide_up(std::int64_t{c.letters} + 1, codon_width));
  Script(problem, params, c).write();
  return c;
}

std::int64_t protein_path_words(const PreparedProtein& c) {
  return 2 * std::int64_t{c.letters} + 4 * std::ssize(c.plan.starts) + 8;
}

std::int64_t protein_upload_bytes(const PreparedProtein& c) {
  return static_cast<std::int64_t>(
             c.streams.size() * sizeof(DeviceStream) + c.carries.size() * sizeof(DeviceCarry) +
             c.leavings.size() * sizeof(DeviceLeaving) + c.merges.size() * sizeof(DeviceMerge) +
             c.merged.size() * 4 + c.readings.size() * sizeof(DeviceProteinReading) +
             c.starts.size() * sizeof(DeviceProteinStart)) +
         c.bases + c.letters;
}

std::uint64_t protein_device_bytes(const PreparedProtein& c, bool alignment) {
  std::int64_t bytes = c.rows * (alignment ? 4 : 2) * codon_width * 4 * c.blocks;
  bytes += 16 * c.boundaries * (c.blocks - 1);
  bytes += protein_upload_bytes(c) + 1024;
  if (alignment) bytes += 4 * protein_path_words(c);
  return static_cast<std::uint64_t>(bytes);
}

std::vector<ExonAlignment> read_protein_path(const Case& problem,
                                             const PreparedProtein& prepared,
                                             const ProteinParams& params,
                                             std::span<const std::uint32_t> words) {
  std::vector<ExonAlignment> chain;
  auto letter = std::ssize(problem.target);
  for (std::size_t w = 0; w < words.size(); ++w) {
    const std::uint32_t operation = words[w] >> word_shift;
    const std::int64_t length = words[w] & ((1u << word_shift) - 1);
    if (operation == word_exon) {
      if (!chain.empty()) chain.back().target_begin = letter;
      chain.push_back({prepared.plan.readings[words[++w]].exon, 0, letter, {}});
      continue;
    }
    append(chain.back().runs,
           operation == word_pair    ? '='
           : operation == word_bases ? 'D'
                                     : 'I',
           length);
    if (operation != word_bases) letter -= length;
  }
  std::reverse(chain.begin(), chain.end());
  // Which pairs are equal, from what the whole chain reads.
  const std::string amino = translation(spliced_bases(problem, chain), params.code);
  std::int64_t codon = 0;
  for (ExonAlignment& part : chain) {
    std::reverse(part.runs.begin(), part.runs.end());
    const std::vector<Run> runs = std::move(part.runs);
    part.runs.clear();
    for (const Run& run : runs) {
      for (std::int64_t i = 0; run.operation == '=' && i < run.length; ++i) {
        const char target = problem.target[static_cast<std::size_t>(letter++)];
        append(part.runs,
               column_of_amino(
                   params.align.substitution, amino[static_cast<std::size_t>(codon++)], target));
      }
      if (run.operation == '=') continue;
      append(part.runs, run.operation, run.length);
      (run.operation == 'D' ? codon : letter) += run.length;
    }
  }
  return chain;
}

}  // namespace yupana::splice::cuda
