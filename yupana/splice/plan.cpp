#include "yupana/splice/plan.hpp"

#include <algorithm>
#include <compare>
#include <map>

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

// Starts with their readings; slots and versions are not known yet.
void gather(std::span<const Exon> exons, Plan& plan) {
  const std::vector<std::int64_t> order = ordered_exons(exons);
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
  for (const std::int64_t k : order) {
    const Exon& x = exons[k];
    keys.push_back({x.first, x.begin, x.entry, x.length(), std::ssize(keys)});
  }
  std::ranges::sort(keys);
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
}

}  // namespace

Plan make_plan(std::span<const Exon> exons, std::int64_t min_intron) {
  Plan plan;
  gather(exons, plan);
  Slots slots;
  std::map<std::int64_t, std::int64_t> waiting;  // end -> slot
  bool changed = true;                           // since the last version was seen
  for (Start& start : plan.starts) {
    start.rows_before = plan.rows;
    plan.rows += start.rows + 1;
    plan.longest = std::max(plan.longest, start.rows);
    start.ended_from = static_cast<std::int64_t>(plan.ended.size());
    while (!waiting.empty() && waiting.begin()->first + min_intron < start.first) {
      plan.ended.push_back(waiting.begin()->second);
      slots.give_back(waiting.begin()->second);
      waiting.erase(waiting.begin());
      changed = true;
    }
    start.ended_to = static_cast<std::int64_t>(plan.ended.size());
    plan.versions += changed;
    changed = false;
    start.version = plan.versions - 1;
    for (std::int64_t r = start.readings_from; r < start.readings_to; ++r) {
      Reading& reading = plan.readings[r];
      const std::int64_t last = exons[reading.exon].last;
      if (last + min_intron >= plan.starts.back().first) continue;
      const auto [place, is_new] = waiting.try_emplace(last, 0);
      if (is_new) place->second = slots.take();
      reading.slot = place->second;
      reading.fresh = is_new;
    }
  }
  plan.slots = slots.count();
  return plan;
}

}  // namespace yupana::splice
