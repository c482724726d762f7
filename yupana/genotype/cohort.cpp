#include "yupana/genotype/cohort.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstring>
#include <exception>
#include <future>
#include <utility>

#include "yupana/core/messages.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/genotype/cohort_notes.hpp"
#include "yupana/genotype/site_filter.hpp"
#include "yupana/genotype/site_names.hpp"
#include "yupana/genotype/transpose.hpp"

namespace yupana::genotype {

struct Cohort::State {
  State(Context& context_, std::unique_ptr<Source> source_, const CohortParams& params_)
      : context(context_), source(std::move(source_)), params(params_), total(source->sites()) {}
  ~State() { stop_prefetch(); }

  void choose_samples();
  void set_samples(std::vector<std::int64_t> samples);
  void drop_incomplete_samples();
  void start(std::int64_t capacity);
  FilteredSites await();
  FilteredSites take(std::int64_t sites);
  void stop_prefetch();
  void finish();

  Context& context;
  std::unique_ptr<Source> source;
  CohortParams params;
  std::int64_t total;              ///< sites of the source, at most; -1 unknown
  std::vector<std::int64_t> kept;  ///< places of the kept samples in the source
  std::vector<std::string> ids;
  std::vector<Sex> kept_sexes;
  std::vector<std::int64_t> founders;  ///< places of the founders among them
  std::vector<std::int64_t> counted;   ///< places of the samples that --maf counts
  std::unique_ptr<SiteFilter> filter;
  CohortSummary summary;

  std::atomic<bool> stop{false};
  std::future<FilteredSites> pending;  ///< the block being read ahead
  FilteredSites left;                  ///< read, not handed out: the caller changed max_sites
  std::int64_t left_next = 0;
  std::int64_t position = 0;   ///< sites the source had delivered when the last block was ready
  std::exception_ptr failure;  ///< of the reader; every read() until rewind() throws it
  FilteredSites spare;         ///< memory for the next block
  CallBlock calls;             ///< of the last block read as planes
  bool ended = false;
  bool noted = false;  ///< notes were passed on
  bool haploid_noted = false;
};

void Cohort::State::choose_samples() {
  const std::vector<std::string>& all = source->samples();
  const std::vector<bool> named_samples = marked_samples(all, params.keep, "--keep");
  const std::vector<bool> unwanted = marked_samples(all, params.remove, "--remove");
  std::vector<const std::string*> reasons(all.size(), nullptr);
  for (const LeftOut& left_out : params.left_out) {
    const std::vector<bool> marks = marked_samples(all, left_out.samples, left_out.reason.c_str());
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (marks[i] && reasons[i] == nullptr) reasons[i] = &left_out.reason;
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!params.keep.empty() && !named_samples[i]) {
      ++summary.samples_dropped["not in --keep"];
    } else if (unwanted[i]) {
      ++summary.samples_dropped["in --remove"];
    } else if (reasons[i] != nullptr) {
      ++summary.samples_dropped[*reasons[i]];
    } else {
      kept.push_back(static_cast<std::int64_t>(i));
    }
  }
  summary.samples_read = std::ssize(all);
}

/// Takes the samples at these places.
void Cohort::State::set_samples(std::vector<std::int64_t> samples) {
  kept = std::move(samples);
  summary.samples_kept = std::ssize(kept);
  if (kept.empty()) {
    if (summary.samples_read == 0) {
      throw bad_file(params.name, "expected at least one sample, got 0; check the input");
    }
    throw bad_file(params.name,
                   "no sample left of {} read{}; loosen the filters or check the input",
                   summary.samples_read,
                   reasons(summary.samples_dropped));
  }
  ids.clear();
  kept_sexes.clear();
  founders.clear();
  const std::vector<bool>& nonfounders = source->nonfounders();
  for (const std::int64_t i : kept) {
    ids.push_back(source->samples()[i]);
    if (!source->sexes().empty()) kept_sexes.push_back(source->sexes()[i]);
    if (nonfounders.empty() || !nonfounders[i]) founders.push_back(i);
  }
}

/// --mind: one pass over the source counts the calls of every kept sample on the planes, of males
/// alone on Y.
void Cohort::State::drop_incomplete_samples() {
  CohortParams thinned;
  thinned.thin = params.thin;
  thinned.seed = params.seed;
  thinned.autosomes = params.autosomes;
  SiteFilter pass(*source, thinned, context.backend(), kept);
  const bool may_be_on_y = pass.name_haploid();
  const std::vector<Sex>& sexes = source->sexes();
  const auto is_male = [&](std::int64_t i) { return !sexes.empty() && sexes[i] == Sex::male; };
  Stage stage(context,
              "missing calls of samples",
              static_cast<double>(std::max<std::int64_t>(total, 0)),
              "sites");
  const std::int64_t block_sites =
      std::clamp<std::int64_t>((4 << 20) / SiteBlock(summary.samples_read, 0).stride, 64, 16384);
  std::vector<std::int64_t> missing(kept.size());
  std::vector<std::uint64_t> on_y;  // a bit a site of the block, as in its planes
  std::int64_t sites_on_y = 0;
  FilteredSites sites;
  PlaneBlock planes;
  while (!sites.end) {
    pass.fill(sites, block_sites, stop);
    stage.advance(static_cast<double>(sites.codes.sites));
    const auto all = first_integers<std::int64_t>(sites.codes.sites);
    transpose(context, sites.codes, kept, all, 3, planes);
    on_y.assign(planes.chunks * chunk_bytes / 8, 0);
    for (std::int64_t s = 0; may_be_on_y && s < sites.codes.sites; ++s) {
      if (chromosome_of(sites.codes.names[s].chromosome, params.autosomes) != Chromosome::y)
        continue;
      on_y[s / 64] |= std::uint64_t{1} << (s % 64);
      ++sites_on_y;
    }
    context.parallel_for(std::ssize(kept), 64, [&](std::int64_t r) {
      std::int64_t called = 0;
      const bool male = is_male(kept[r]);
      for (std::int64_t c = 0; c < planes.chunks; ++c) {
        std::uint64_t words[chunk_bytes / 8];
        std::memcpy(words, planes.chunk(r, c, 2), sizeof(words));
        const std::uint64_t* const y = on_y.data() + c * chunk_bytes / 8;
        for (std::size_t k = 0; k < std::size(words); ++k) {
          called += std::popcount(male ? words[k] : words[k] | y[k]);
        }
      }
      missing[r] += planes.sites - called;
    });
  }
  const auto most = [&](bool male) {
    return allowed_missing(params.max_sample_missing, pass.kept() - (male ? 0 : sites_on_y));
  };
  const std::int64_t most_of_males = most(true), most_of_others = most(false);
  std::vector<std::int64_t> complete;
  for (std::size_t r = 0; r < kept.size(); ++r) {
    if (missing[r] <= (is_male(kept[r]) ? most_of_males : most_of_others)) {
      complete.push_back(kept[r]);
    }
  }
  const std::int64_t dropped = std::ssize(kept) - std::ssize(complete);
  if (dropped > 0) summary.samples_dropped["missing rate above --mind"] = dropped;
  kept = std::move(complete);
  source->rewind();
}

void Cohort::State::start(std::int64_t capacity) {
  pending =
      std::async(std::launch::async, [this, capacity, block = std::exchange(spare, {})]() mutable {
        filter->fill(block, capacity, stop);
        return std::move(block);
      });
}

FilteredSites Cohort::State::await() {
  while (pending.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
    context.check_cancelled();
  }
  try {
    return pending.get();
  } catch (...) {
    failure = std::current_exception();
    throw;
  }
}

/// The next `sites` sites (fewer at the end): as a rule the very block that was read ahead.
FilteredSites Cohort::State::take(std::int64_t sites) {
  FilteredSites result;
  for (;;) {
    const std::int64_t count = std::min(left.codes.sites - left_next, sites - result.codes.sites);
    if (count > 0) {
      const bool dosage = params.dosage;
      if (result.codes.capacity == 0) result.codes = SiteBlock(left.codes.samples, sites, dosage);
      if (dosage) {
        std::copy_n(left.codes.dosage_row(left_next),
                    count * left.codes.samples,
                    result.codes.dosage_row(result.codes.sites));
      }
      std::memcpy(result.codes.row(result.codes.sites),
                  left.codes.row(left_next),
                  count * left.codes.stride);
      result.missing.insert(result.missing.end(),
                            left.missing.begin() + left_next,
                            left.missing.begin() + left_next + count);
      result.codes.sites += count;
      if (!left.codes.names.empty()) {
        const auto from = left.codes.names.begin() + left_next;
        result.codes.names.insert(result.codes.names.end(), from, from + count);
      }
      left_next += count;
    }
    if (result.codes.sites == sites || ended) return result;
    if (!pending.valid()) start(sites);
    FilteredSites next = await();
    ended = next.end;
    position = next.position;
    if (result.codes.sites == 0 && next.codes.capacity == sites) {
      left = {};
      return next;
    }
    left = std::move(next);
    left_next = 0;
  }
}

/// Ends the reading ahead; its result and its errors are of no interest any more.
void Cohort::State::stop_prefetch() {
  stop = true;
  if (pending.valid()) {
    pending.wait();
    pending = {};
  }
  stop = false;
}

void Cohort::State::finish() {
  const SiteAccount& read = source->account();
  summary.sites = read;
  summary.sites.kept = filter->kept();
  for (const auto& [reason, count] : filter->dropped()) summary.sites.skipped[reason] += count;
  summary.calls_missing = filter->calls_missing();
  summary.dosage_sites = filter->dosage_sites();
  summary.call_sites = filter->read() - filter->dosage_sites();
  if (params.parts == 1) check_sites_left(summary, params.name);
  // A pass for kinships leaves these sites out.
  if (!params.written && filter->haploid_kept() > 0 && !std::exchange(haploid_noted, true)) {
    note_haploid(context);
  }
  if (std::exchange(noted, true)) return;
  for (const std::string& text : read.notes) context.note(text);
  if (params.dosage) note_dosages(context, params, summary);
  if (filter->founders() < std::ssize(kept))
    note_founders(context, params, filter->founders(), kept.size());
  if (params.parts == 1 && params.missing == Missing::mode) note_imputed(context, summary);
}

Cohort::Cohort(Context& context, std::unique_ptr<Source> source, const CohortParams& params) {
  check_params(params);
  if (params.dosage && !source->has_dosages()) {
    throw usage_error("--dosage: {} holds no dosages; leave it out", params.name);
  }
  state_ = std::make_unique<State>(context, std::move(source), params);
  state_->choose_samples();
  if (params.max_sample_missing < 1 && !state_->kept.empty()) state_->drop_incomplete_samples();
  state_->set_samples(std::move(state_->kept));
  state_->counted = params.nonfounders ? state_->kept : state_->founders;
  state_->filter = std::make_unique<SiteFilter>(
      *state_->source, state_->params, context.backend(), state_->kept);
}

Cohort::~Cohort() = default;
Cohort::Cohort(Cohort&&) noexcept = default;

const std::vector<std::string>& Cohort::samples() const { return state_->ids; }

const std::vector<Sex>& Cohort::sexes() const { return state_->kept_sexes; }

std::int64_t Cohort::autosomes() const { return state_->params.autosomes; }

const std::vector<std::int64_t>& Cohort::places() const { return state_->kept; }

const std::vector<std::int64_t>& Cohort::founders() const { return state_->founders; }

const std::vector<std::int64_t>& Cohort::counted() const { return state_->counted; }

std::int64_t Cohort::sites() const {
  const State& state = *state_;
  if (state.total < 0) return -1;
  return state.total - state.position + state.left.codes.sites - state.left_next;
}

bool Cohort::has_dosages() const { return state_->params.dosage; }

bool Cohort::read(CallBlock& block, std::int64_t max_sites) {
  if (max_sites < 1) throw usage_error("read: expected at least 1 site, got {}", max_sites);
  State& state = *state_;
  state.context.check_cancelled();
  if (state.failure) std::rethrow_exception(state.failure);
  FilteredSites sites = state.take(max_sites);
  if (sites.codes.sites == 0) {
    state.spare = {};  // its memory is the caller's now: a pass is over
    state.finish();
    return false;
  }
  // The caller's last block is the memory of the next.
  state.spare.codes = std::move(block.codes);
  state.spare.missing.clear();
  if (!state.ended && !state.pending.valid()) state.start(max_sites);
  block.complete =
      std::all_of(sites.missing.begin(), sites.missing.end(), [](auto n) { return n == 0; });
  block.codes = std::move(sites.codes);
  block.samples = state.kept;
  return true;
}

bool Cohort::read(PlaneBlock& block, std::int64_t max_sites) {
  State& state = *state_;
  CallBlock& calls = state.calls;
  if (!read(calls, max_sites)) return false;
  const std::int64_t sites = calls.codes.sites;
  const auto all = first_integers<std::int64_t>(sites);
  transpose(state.context, calls.codes, state.kept, all, calls.complete ? 2 : 3, block);
  return true;
}

void Cohort::rewind() {
  State& state = *state_;
  state.stop_prefetch();
  state.filter->rewind();
  state.left = {};
  state.left_next = state.position = 0;
  state.failure = nullptr;
  state.ended = false;
}

void Cohort::name_sites() {
  state_->stop_prefetch();  // it uses the source
  state_->filter->name_sites();
}

void Cohort::leave_out(const std::string& reason, const std::vector<bool>& left_out) {
  State& state = *state_;
  state.stop_prefetch();  // it uses the samples
  std::vector<std::int64_t> kept;
  for (std::size_t i = 0; i < state.kept.size(); ++i) {
    if (!left_out[i]) kept.push_back(state.kept[i]);
  }
  const std::int64_t dropped = std::ssize(state.kept) - std::ssize(kept);
  if (dropped > 0) state.summary.samples_dropped[reason] = dropped;
  state.set_samples(std::move(kept));
  state.filter->count_missing_of(state.kept);
}

void Cohort::leave_out_haploid(bool left_out) {
  state_->stop_prefetch();  // it uses the filter
  state_->filter->leave_out_haploid(left_out);
}

void Cohort::choose_sites(std::vector<bool> chosen) {
  state_->stop_prefetch();  // it uses the filter
  state_->filter->choose_sites(std::move(chosen));
}

std::vector<std::string> Cohort::chromosomes() const {
  std::vector<std::string> names = state_->source->chromosomes();
  return names.empty() ? numbered_chromosomes() : names;
}

void Cohort::take_part(int part, int parts) {
  state_->stop_prefetch();  // it uses the part
  state_->params.part = part;
  state_->params.parts = parts;
}

const CohortSummary& Cohort::summary() const { return state_->summary; }

const std::map<std::string, std::int64_t>& Cohort::dropped_sites() const {
  return state_->filter->dropped();
}

}  // namespace yupana::genotype
