#include <algorithm>
#include <array>

#include "yupana/core/tiles.hpp"
#include "yupana/splice/protein_pack_cuda.hpp"
#include "yupana/splice/protein_strip_cuda.cuh"

namespace yupana::splice::cuda {
namespace {

std::array<std::uint8_t, 256> base_codes_by_letter() {
  std::array<std::uint8_t, 256> codes{};
  for (int letter = 0; letter < 256; ++letter) {
    codes[static_cast<std::size_t>(letter)] =
        static_cast<std::uint8_t>(base_code(static_cast<char>(letter)));
  }
  return codes;
}

template <class T>
T* at(std::uint8_t* memory, std::int64_t offset) {
  return reinterpret_cast<T*>(memory + offset);
}

/// What a case holds goes behind that of the cases before it.
template <class T>
void put(const std::vector<T>& from,
         std::uint8_t* memory,
         std::int64_t offset,
         std::int64_t first) {
  std::copy(from.begin(), from.end(), at<T>(memory, offset) + first);
}

}  // namespace

PackedProteins::PackedProteins(std::span<const Case> problems,
                               std::span<const PreparedProtein> prepared,
                               std::span<const std::size_t> places,
                               const ProteinParams& params)
    : problems_(problems), prepared_(prepared), places_(places), params_(params) {
  const std::int64_t row_words = codon_row_words(params.align.alignment);
  DeviceProteinCase c;  // where the next one begins
  for (const std::size_t place : places) {
    const PreparedProtein& p = prepared[place];
    c.rows_of_block = p.rows * row_words;
    c.words_of_block = 2 * p.boundaries;
    c.start_count = static_cast<std::int32_t>(p.starts.size());
    c.letters = p.letters;
    c.blocks = p.blocks;
    cases_.push_back(c);
    first_item_.push_back(layout_.item_count);
    c.starts += std::ssize(p.starts);
    c.carries += std::ssize(p.carries), c.leavings += std::ssize(p.leavings);
    c.merges += std::ssize(p.merges), c.merged += std::ssize(p.merged);
    c.readings += std::ssize(p.readings);
    c.bases += p.bases, c.target += p.letters;
    c.rows += c.blocks * c.rows_of_block;
    c.words += (c.blocks - 1) * c.words_of_block;
    layout_.item_count += c.blocks;
    layout_.words += protein_path_words(p);
    layout_.path_words = std::max(layout_.path_words, protein_path_words(p));
    layout_.longest = std::max(layout_.longest, p.longest);
  }
  layout_.rows = c.rows, layout_.between = c.words;
  const auto take = [&](std::int64_t count, std::size_t size) {
    const std::int64_t here = layout_.bytes;
    layout_.bytes = round_up(here + count * static_cast<std::int64_t>(size), 16);
    return here;
  };
  const std::int64_t letters = params.align.substitution.letters;
  layout_.cases = take(std::ssize(cases_), sizeof(DeviceProteinCase));
  layout_.starts = take(c.starts, sizeof(DeviceProteinStart));
  layout_.streams = take(3 * c.starts, sizeof(DeviceStream));
  layout_.carries = take(c.carries, sizeof(DeviceCarry));
  layout_.leavings = take(c.leavings, sizeof(DeviceLeaving));
  layout_.merges = take(c.merges, sizeof(DeviceMerge));
  layout_.merged = take(c.merged, sizeof(std::int32_t));
  layout_.readings = take(c.readings, sizeof(DeviceProteinReading));
  layout_.items = take(layout_.item_count, sizeof(WorkItem));
  layout_.substitution = take(letters * letters, sizeof(std::int32_t));
  layout_.amino = take(125, 1);
  layout_.targets = take(c.target, 1);
  layout_.bases = take(c.bases, 1);
}

void PackedProteins::fill(Context& context, std::uint8_t* memory) const {
  auto* scores = at<std::int32_t>(memory, layout_.substitution);
  for (const int score : params_.align.substitution.scores) {
    *scores++ = score - 2 * params_.align.gap_extend;
  }
  std::uint8_t* amino = memory + layout_.amino;
  for (int codon = 0; codon < 125; ++codon) {
    const char letter = params_.code.translate_codes(codon / 25, codon / 5 % 5, codon % 5);
    *amino++ = params_.align.substitution.code[static_cast<unsigned char>(letter)];
  }
  context.parallel_for(std::ssize(cases_), 2, [&](std::int64_t i) {
    fill_case(static_cast<std::size_t>(i), memory);
  });
}

void PackedProteins::fill_case(std::size_t index, std::uint8_t* memory) const {
  static const std::array<std::uint8_t, 256> code_of = base_codes_by_letter();
  const DeviceProteinCase& c = cases_[index];
  const PreparedProtein& p = prepared_[places_[index]];
  const Case& problem = problems_[places_[index]];
  at<DeviceProteinCase>(memory, layout_.cases)[index] = c;
  auto* items = at<WorkItem>(memory, layout_.items) + first_item_[index];
  for (std::int32_t b = 0; b < c.blocks; ++b) items[b] = {static_cast<std::int32_t>(index), b};
  put(p.starts, memory, layout_.starts, c.starts);
  put(p.streams, memory, layout_.streams, 3 * c.starts);
  put(p.carries, memory, layout_.carries, c.carries);
  put(p.leavings, memory, layout_.leavings, c.leavings);
  put(p.merges, memory, layout_.merges, c.merges);
  put(p.merged, memory, layout_.merged, c.merged);
  put(p.readings, memory, layout_.readings, c.readings);
  std::uint8_t* base = memory + layout_.bases + c.bases;
  for (const Start& start : p.plan.starts) {
    const char* first = problem.bases.data() + start.first - 1;
    for (std::int64_t i = 0; i < start.rows; ++i) {
      *base++ = code_of[static_cast<unsigned char>(first[i])];
    }
  }
  std::uint8_t* target = memory + layout_.targets + c.target;
  for (const char letter : problem.target) {
    *target++ = params_.align.substitution.code[static_cast<unsigned char>(letter)];
  }
}

void PackedProteins::point_into(const std::uint8_t* upload, DeviceProteins& batch) const {
  const auto set = [&]<class T>(const T*& to, std::int64_t offset) {
    to = reinterpret_cast<const T*>(upload + offset);
  };
  set(batch.cases, layout_.cases);
  set(batch.starts, layout_.starts);
  set(batch.streams, layout_.streams);
  set(batch.carries, layout_.carries);
  set(batch.leavings, layout_.leavings);
  set(batch.merges, layout_.merges);
  set(batch.merged, layout_.merged);
  set(batch.readings, layout_.readings);
  set(batch.items, layout_.items);
  set(batch.bases, layout_.bases);
  set(batch.targets, layout_.targets);
  set(batch.substitution, layout_.substitution);
  set(batch.amino, layout_.amino);
  batch.row_words = codon_row_words(params_.align.alignment);
  batch.path_words = layout_.path_words;
  batch.item_count = static_cast<std::int32_t>(layout_.item_count);
  batch.case_count = static_cast<std::int32_t>(cases_.size());
  batch.letters = params_.align.substitution.letters;
  batch.open = params_.align.gap_open;
  batch.alignment = params_.align.alignment;
}

}  // namespace yupana::splice::cuda
