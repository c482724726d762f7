#include "yupana/splice/plan.hpp"

#include <algorithm>
#include <compare>

#include "yupana/splice/align_backends.hpp"

namespace yupana::splice {
namespace {

/// Hands out places for the rows of ends that are not in the running row yet.
class Slots {
 public:
  std::int64_t take() {
    if (free_.empty()) return count_++;
    const std::int64_t slot = free_.back();
    free_.pop_back();
    return slot;
  }
  void give_back(std::int64_t slot) { free_.push_back(slot); }
  std::int64_t count() const { return count_; }

 private:
  std::vector<std::int64_t> free_;
  std::int64_t count_ = 0;
};

/// Last bases of exons in ascending order, each once, and which of them that of each rank is.
struct Ends {
  std::vector<std::int64_t> last;
  std::vector<std::int64_t> of_rank;
};

// Starts with their readings; slots and versions are not known yet.
Ends gather(std::span<const Exon> exons, Plan& plan) {
  const std::vector<std::int64_t> order = ordered_exons(exons);
  Ends ends;
  ends.of_rank.reserve(order.size());
  std::vector<std::int64_t> rank(exons.size(), -1);  // -1: as one before
  for (const std::int64_t k : order) {
    rank[static_cast<std::size_t>(k)] = std::ssize(ends.of_rank);
    if (ends.last.empty() || ends.last.back() != exons[k].last) ends.last.push_back(exons[k].last);
    ends.of_rank.push_back(std::ssize(ends.last) - 1);
  }
  // Exons of one end are met in the order of ties, since that orders by first, begin and entry too.
  // The keys lie side by side, which takes a third of the time of a sort through indices.
  struct Key {
    std::int64_t first;
    std::int32_t begin, entry;
    std::int64_t rows, rank;
    auto operator<=>(const Key&) const = default;
  };
  std::vector<Key> keys;
  keys.reserve(order.size());
  for (std::size_t k = 0; k < exons.size(); ++k) {
    const Exon& x = exons[k];
    if (rank[k] >= 0) keys.push_back({x.first, x.begin, x.entry, x.length(), rank[k]});
  }
  // Candidates come by their first bases.
  if (!std::ranges::is_sorted(keys, {}, &Key::first)) std::ranges::sort(keys, {}, &Key::first);
  for (auto from = keys.begin(); from != keys.end();) {
    const auto to =
        std::find_if(from, keys.end(), [&](const Key& key) { return key.first != from->first; });
    if (!std::is_sorted(from, to)) std::sort(from, to);
    from = to;
  }
  plan.readings.reserve(keys.size());
  for (const Key& key : keys) {
    const std::int64_t k = order[static_cast<std::size_t>(key.rank)];
    plan.readings.push_back({k, key.rank, key.rows, -1, false, exons[k].exit, exons[k].end});
  }
  for (std::size_t r = 0; r < plan.readings.size(); ++r) {
    const Exon& exon = exons[plan.readings[r].exon];
    if (plan.starts.empty() || plan.starts.back().first != exon.first ||
        plan.starts.back().begin != exon.begin || plan.starts.back().entry != exon.entry) {
      Start start;
      start.first = exon.first;
      start.begin = exon.begin;
      start.entry = exon.entry;
      start.readings_from = static_cast<std::int64_t>(r);
      plan.starts.push_back(start);
    }
    plan.starts.back().rows = plan.readings[r].rows;
    plan.starts.back().readings_to = static_cast<std::int64_t>(r) + 1;
  }
  return ends;
}

}  // namespace

Plan make_plan(std::span<const Exon> exons, std::int64_t min_intron) {
  Plan plan;
  const Ends ends = gather(exons, plan);
  Slots slots;
  std::vector<std::int64_t> slot_of(ends.last.size(), -1);  // of an end
  std::size_t ended = 0;                                    // ends that were passed
  bool changed = true;                                      // since the last version was seen
  for (Start& start : plan.starts) {
    start.rows_before = plan.rows;
    plan.rows += start.rows + 1;
    plan.longest = std::max(plan.longest, start.rows);
    start.ended_from = static_cast<std::int64_t>(plan.ended.size());
    for (; ended < slot_of.size() && ends.last[ended] + min_intron < start.first; ++ended) {
      if (slot_of[ended] < 0) continue;
      plan.ended.push_back(slot_of[ended]);
      slots.give_back(slot_of[ended]);
      changed = true;
    }
    start.ended_to = static_cast<std::int64_t>(plan.ended.size());
    plan.versions += changed;
    changed = false;
    start.version = plan.versions - 1;
    for (std::int64_t r = start.readings_from; r < start.readings_to; ++r) {
      Reading& reading = plan.readings[r];
      const auto end = static_cast<std::size_t>(ends.of_rank[reading.rank]);
      if (ends.last[end] + min_intron >= plan.starts.back().first) continue;
      reading.fresh = slot_of[end] < 0;
      if (reading.fresh) slot_of[end] = slots.take();
      reading.slot = slot_of[end];
    }
  }
  plan.slots = slots.count();
  return plan;
}

}  // namespace yupana::splice
