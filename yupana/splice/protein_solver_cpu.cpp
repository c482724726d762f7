#include "yupana/splice/protein_solver_cpu.hpp"

#include <algorithm>

#include "yupana/core/tiles.hpp"
#include "yupana/splice/align_memory.hpp"

namespace yupana::splice::cpu {

// What is reached stays within 2^28 of 0 (check_protein_range), what is not starts at -2^29 and
// gains less than 2^28: the two never meet.
constexpr std::int32_t lowest = -(1 << 29);
constexpr std::int32_t least_reached = -(1 << 28);

ProteinSolver::ProteinSolver(Context& context, const Case& problem, const ProteinParams& params)
    : context_(context),
      problem_(problem),
      params_(params),
      plan_(make_plan(problem.exons, params.align.min_intron)),
      kernels_(row_kernels<std::int32_t>()),
      affine_(params.align.gap_open != 0),
      any_stop_(!stops_end(problem, params)),
      letters_(std::ssize(problem.target)),
      vectors_(divide_up(letters_, kernels_.lanes)),
      stride_(vectors_ * kernels_.lanes),
      count_(stride_ + kernels_.lanes),
      slots_(plan_.slots) {
  saved_.fill(-1);
}

void ProteinSolver::make_profiles() {
  const Substitution& s = params_.align.substitution;
  profiles_ = Array<std::int32_t>::zeros(std::max<std::int64_t>(stride_, 1) * s.letters);
  room_ = Array<std::int32_t>::zeros(count_);
  for (int letter = 0; letter < s.letters; ++letter) {
    std::int32_t* profile = profiles_.data() + letter * stride_;
    for (std::int64_t j = 1; j <= letters_; ++j) {
      const auto target = static_cast<unsigned char>(problem_.target[j - 1]);
      profile[place(j)] =
          s.scores[letter * s.letters + s.code[target]] - 2 * params_.align.gap_extend;
    }
  }
  for (int c = 0; c < 256; ++c) {
    const int code = s.code[c];
    if (code != Substitution::no_letter) profile_of_[c] = profiles_.data() + code * stride_;
  }
}

void ProteinSolver::count_bytes(std::int64_t planes) {
  bytes_ += planes * count_ * static_cast<std::int64_t>(sizeof(std::int32_t));
  const std::uint64_t left = memory_left(context_, params_.align);
  const auto bytes = static_cast<std::uint64_t>(bytes_);
  if (bytes > left) refuse_memory(problem_, params_.align, "amino acids", bytes, left);
}

ProteinRow ProteinSolver::make_row(bool with_sources) {
  count_bytes((affine_ ? 2 : 1) * (with_sources ? 2 : 1));
  ProteinRow row;
  row.best = Array<std::int32_t>::zeros(count_);
  if (affine_) row.gap = Array<std::int32_t>::zeros(count_);
  if (with_sources) row.best_from = Array<std::int32_t>::zeros(count_);
  if (with_sources && affine_) row.gap_from = Array<std::int32_t>::zeros(count_);
  return row;
}

ProteinRow ProteinSolver::copy_of(const ProteinRow& row) {
  count_bytes((affine_ ? 2 : 1) * 2);
  ProteinRow copy;
  const auto take = [&](Array<std::int32_t>& to, const Array<std::int32_t>& from) {
    to = Array<std::int32_t>(from.size());
    std::copy(from.begin(), from.end(), to.begin());
  };
  take(copy.best, row.best);
  take(copy.gap, row.gap);
  take(copy.best_from, row.best_from);
  take(copy.gap_from, row.gap_from);
  return copy;
}

void ProteinSolver::clear(ProteinRow& row) const {
  std::fill(row.best.begin(), row.best.end(), lowest);
  std::fill(row.gap.begin(), row.gap.end(), lowest);
}

// Takes the exons that ended before a start into the running rows.
void ProteinSolver::absorb_ended(const Start& start) {
  for (std::int64_t e = start.ended_from; e < start.ended_to; ++e) {
    Slot& slot = slots_[plan_.ended[e]];
    for (Carry u = 0; u < carries; ++u) {
      if (!slot.used[u]) continue;
      slot.used[u] = false;
      ProteinRow& to = running_[u];
      const ProteinRow& from = slot.rows[u];
      if (!reached_[u]) {
        if (to.best.empty()) to = make_row(params_.align.alignment);
        clear(to);
        reached_[u] = true;
      }
      saved_[u] = -1;
      // One word holds a reading: both halves of the kernels' winners are the same plane.
      kernels_.absorb(count_,
                      to.best.data(),
                      to.best_from.data(),
                      to.best_from.data(),
                      from.best.data(),
                      from.best_from.data(),
                      from.best_from.data());
      if (!affine_) continue;
      kernels_.absorb(count_,
                      to.gap.data(),
                      to.gap_from.data(),
                      to.gap_from.data(),
                      from.gap.data(),
                      from.gap_from.data(),
                      from.gap_from.data());
    }
  }
}

// A running row that changed since the last start is kept once; starts name what they see.
void ProteinSolver::save_versions(std::int64_t index) {
  for (Carry u = 0; u < carries; ++u) {
    seen_[index][u] = -1;
    if (!reached_[u]) continue;
    if (saved_[u] < 0) {
      saved_[u] = static_cast<std::int32_t>(versions_.size());
      versions_.push_back(copy_of(running_[u]));
    }
    seen_[index][u] = saved_[u];
  }
}

// The row above a start's first codon.
void ProteinSolver::enter(const Start& start,
                          const ProteinRow& from,
                          bool may_begin,
                          ProteinRow& to) const {
  const std::int32_t open = params_.align.gap_open;
  const std::int32_t none = may_begin ? start.begin : lowest;
  const std::int32_t none_gap = may_begin ? start.begin + open : lowest;
  kernels_.enter(stride_, to.best.data(), from.best.data(), start.entry, none_gap, room_.data());
  kernels_.enter(kernels_.lanes,
                 to.best.data() + stride_,
                 from.best.data() + stride_,
                 start.entry,
                 none,
                 room_.data());
  if (!affine_) return;
  kernels_.enter(count_, to.gap.data(), from.gap.data(), start.entry, lowest, room_.data());
  kernels_.merge(count_, to.gap.data(), nullptr, nullptr, to.best.data(), open, 0, 0);
}

// In pieces of some ten milliseconds, so that a run can be stopped between them.
void ProteinSolver::run_rows(ProteinRow& row, const char* amino, std::int64_t rows) {
  const std::int64_t piece = std::max<std::int64_t>(1, 10'000'000 / (letters_ + 1));
  for (std::int64_t from = 0; from < rows; from += piece) {
    if (from > 0) context_.check_cancelled();
    run_piece(row, amino + from, std::min(piece, rows - from));
  }
}

void ProteinSolver::run_piece(ProteinRow& row, const char* amino, std::int64_t rows) {
  // Before the first letter all codons are in gaps.
  const std::int32_t below = affine_ ? row.gap[stride_] : row.best[stride_];
  left_.assign(rows + 1, below);
  left_[0] = row.best[stride_];
  left_gap_.assign(rows + 1, below + params_.align.gap_open);
  RowsTask<std::int32_t> task;
  task.rows = rows;
  task.vectors = vectors_;
  task.bases = amino;
  task.profiles = profile_of_.data();
  task.open = params_.align.gap_open;
  task.best = row.best.data();
  task.gap = row.gap.data();
  task.left = left_.data();
  task.left_gap = left_gap_.data();
  (affine_ ? kernels_.affine : kernels_.linear)(task);
  row.best[stride_] = below;
  cells_ += rows * letters_;
}

// An exon is left: its row is of use to the exons behind its end.
void ProteinSolver::leave(const Reading& reading,
                          Carry out,
                          const ProteinRow& row,
                          std::int64_t rows) {
  if (reading.slot < 0) return;
  Slot& slot = slots_[reading.slot];
  ProteinRow& to = slot.rows[out];
  if (!slot.used[out]) {
    if (to.best.empty()) to = make_row(params_.align.alignment);
    clear(to);
    slot.used[out] = true;
  }
  const auto added = static_cast<std::int32_t>(params_.align.gap_extend * rows + reading.exit);
  const auto index = static_cast<std::int32_t>(&reading - plan_.readings.data());
  std::int32_t* from = to.best_from.data();
  kernels_.merge(count_, to.best.data(), from, from, row.best.data(), added, index, index);
  if (!affine_) return;
  from = to.gap_from.data();
  kernels_.merge(count_, to.gap.data(), from, from, row.gap.data(), added, index, index);
}

void ProteinSolver::read(
    const Reading& reading, int carried, Carry out, std::int64_t rows, bool continues) {
  const std::int64_t value = row_.best[place(letters_)];
  if (continues) leave(reading, out, row_, rows);
  if (value < least_reached) return;
  const std::int64_t score = value + params_.align.gap_extend * (rows + letters_) + reading.end +
                             (out == 0 ? 0 : params_.partial_codon);
  const std::int64_t rank =
      best_.reading < 0 ? 0 : plan_.readings[best_.reading].rank;  // of the best so far
  const bool first = score == best_.score &&
                     (reading.rank < rank || (reading.rank == rank && carried < best_.carried));
  if (best_.reading >= 0 && score <= best_.score && !first) return;
  best_ = {&reading - plan_.readings.data(), score, carried};
}

// Exons too short for a codon's end are left with what was carried in and their own bases.
void ProteinSolver::pass_through(const Start& start, int carried, Carry carry) {
  const char* first = problem_.bases.data() + start.first - 1;
  for (std::int64_t r = start.readings_from; r < start.readings_to; ++r) {
    const Reading& reading = plan_.readings[r];
    if (codons(carried, reading.rows) > 0) break;
    std::swap(row_, entered_);
    read(reading, carried, carried_out(carry, first + reading.rows, reading.rows), 0);
    std::swap(row_, entered_);
  }
}

void ProteinSolver::run_stream(const Start& start, int carried) {
  const char* first = problem_.bases.data() + start.first - 1;
  const OpenCodons open = open_codons(start, carried);
  const auto out_of = [&](const Reading& reading) {
    return carried_out(first_carry[carried], first + reading.rows, reading.rows);
  };
  std::int64_t rows = 0;  // codons of the longest exon of use
  for (std::int64_t r = start.readings_from; r < start.readings_to; ++r) {
    const Reading& reading = plan_.readings[r];
    const std::int64_t all = codons(carried, reading.rows);
    if (all > 0 && open.ends(all, out_of(reading))) rows = all;
  }
  bool reached = false;
  for (Carry u = first_carry[carried]; u < first_carry[carried + 1]; ++u) {
    if (!reached_[u] && u != 0) continue;
    if (u == 0 && !reached_[0]) {
      if (running_[0].best.empty()) running_[0] = make_row(params_.align.alignment);
      clear(running_[0]);
    }
    enter(start, running_[u], u == 0, entered_);
    pass_through(start, carried, u);
    if (rows == 0 || !open.reads(u)) continue;
    const char amino = first_amino(params_.code, u, first);
    run_rows(entered_, &amino, 1);
    if (!reached) {
      std::swap(row_, entered_);
    } else {
      kernels_.absorb(
          count_, row_.best.data(), nullptr, nullptr, entered_.best.data(), nullptr, nullptr);
      if (affine_) {
        kernels_.absorb(
            count_, row_.gap.data(), nullptr, nullptr, entered_.gap.data(), nullptr, nullptr);
      }
    }
    reached = true;
  }
  if (!reached) return;
  amino_.clear();
  for (std::int64_t c = 1; c < rows; ++c) amino_ += amino_at(start.first - 1 + 3 * c - carried);
  std::int64_t done = 1;
  for (std::int64_t r = start.readings_from; r < start.readings_to; ++r) {
    const Reading& reading = plan_.readings[r];
    const std::int64_t wanted = codons(carried, reading.rows);
    if (wanted == 0 || !open.ends(wanted, out_of(reading))) continue;
    run_rows(row_, amino_.data() + done - 1, wanted - done);
    done = wanted;
    read(reading, carried, out_of(reading), done, open.continues(done));
  }
}

void ProteinSolver::run_start(std::int64_t index) {
  const Start& start = plan_.starts[index];
  absorb_ended(start);
  if (params_.align.alignment) save_versions(index);
  for (int carried = 0; carried < 3; ++carried) run_stream(start, carried);
}

void ProteinSolver::solve(Stage& stage, SplicedAlignment& result) {
  check_protein_range(problem_, params_, plan_);
  make_profiles();
  row_ = make_row(false);
  entered_ = make_row(false);
  if (params_.align.alignment) seen_.resize(plan_.starts.size());
  std::int64_t told = 0;
  for (std::int64_t s = 0; s < std::ssize(plan_.starts); ++s) {
    run_start(s);
    if (cells_ - told < 10'000'000) continue;
    stage.advance(static_cast<double>(cells_ - told));
    told = cells_;
  }
  stage.advance(static_cast<double>(cells_ - told));
  result.executed_cells = cells_;
  result.wide = true;
  result.score = letters_ == 0
                     ? 0
                     : params_.align.gap_open + std::int64_t{params_.align.gap_extend} * letters_;
  if (best_.reading < 0) return;
  result.score = best_.score;
  if (params_.align.alignment) result.chain = trace_protein(*this, result.traced_cells);
}

}  // namespace yupana::splice::cpu
