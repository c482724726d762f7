#include "yupana/forest/category_order.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/forest/growth_rules.hpp"

namespace yupana::forest {
namespace {

using Order = std::vector<std::int32_t>;

void add(Totals& to, const Totals& own, std::int64_t sign) {
  to.rows += sign * own.rows;
  to.weight += sign * own.weight;
  to.moment += sign * own.moment;
  for (std::size_t c = 0; c < own.classes.size(); ++c) to.classes[c] += sign * own.classes[c];
}

Totals none_of(const Totals& node) {
  Totals none;
  none.classes.resize(node.classes.size());
  return none;
}

/// Sorts by the mean, or the share of class `own_class`; stable.
void sort_by_mean(const std::vector<const Totals*>& all, std::int32_t own_class, Order& order) {
  const auto sum = [&](std::int32_t i) {
    return own_class < 0 ? all[i]->moment : all[i]->classes[static_cast<std::size_t>(own_class)];
  };
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return static_cast<__int128>(sum(a)) * all[b]->weight <
           static_cast<__int128>(sum(b)) * all[a]->weight;
  });
}

/// The best parting: one category changes sides from each to the next.
Order best_of_all(const Problem& problem,
                  const Totals& node,
                  const std::vector<const Totals*>& all,
                  const LeafLimits& least) {
  Totals left = none_of(node), right = node;
  add(left, *all[0], 1);
  add(right, *all[0], -1);
  const std::uint32_t count = std::uint32_t{1} << (all.size() - 1);
  std::uint32_t best_mask = count;
  Gain best;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t mask = i ^ (i >> 1);
    if (i > 0) {
      const int changed = std::countr_zero(i);
      const std::int64_t sign = (mask >> changed & 1) != 0 ? 1 : -1;
      add(left, *all[static_cast<std::size_t>(changed) + 1], sign);
      add(right, *all[static_cast<std::size_t>(changed) + 1], -sign);
    }
    if (mask == count - 1 || !are_large_enough(least, left, right)) continue;
    const Gain gain = gain_of(problem, node, left, right);
    if (best_mask == count || gain > best || (mask < best_mask && !(best > gain))) {
      best = gain;
      best_mask = mask;
    }
  }
  Order order = first_integers<std::int32_t>(std::ssize(all));
  if (best_mask == count) return order;
  std::stable_partition(order.begin() + 1, order.end(), [&](std::int32_t i) {
    return (best_mask >> (i - 1) & 1) != 0;
  });
  return order;
}

/// The order by the share of the class whose best cut gains most.
Order best_by_class(const Problem& problem,
                    const Totals& node,
                    const std::vector<const Totals*>& all,
                    const LeafLimits& least) {
  Order best_order = first_integers<std::int32_t>(std::ssize(all));
  Gain best;
  bool found = false;
  for (std::int32_t c = 0; c < problem.classes; ++c) {
    if (node.classes[static_cast<std::size_t>(c)] == 0) continue;
    Order order = first_integers<std::int32_t>(std::ssize(all));
    sort_by_mean(all, c, order);
    Totals left = none_of(node), right = node;
    bool is_best = false;
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
      add(left, *all[order[i]], 1);
      add(right, *all[order[i]], -1);
      if (!are_large_enough(least, left, right)) continue;
      const Gain gain = gain_of(problem, node, left, right);
      if (found && !(gain > best)) continue;
      best = gain;
      found = is_best = true;
    }
    if (is_best) best_order = std::move(order);
  }
  return best_order;
}

}  // namespace

std::vector<std::int32_t> category_order(const Problem& problem,
                                         const Totals& node,
                                         const CategoryTotals& categories,
                                         const LeafLimits& least) {
  std::vector<const Totals*> all;
  for (const Totals& own : categories.known) all.push_back(&own);
  std::int32_t present = 0, last = -1;
  for (std::int32_t c = 0; c < problem.classes; ++c) {
    if (node.classes[static_cast<std::size_t>(c)] == 0) continue;
    ++present;
    last = c;
  }
  if (present <= 2) {
    Order order = first_integers<std::int32_t>(std::ssize(all));
    sort_by_mean(all, last, order);
    return order;
  }
  const auto known = std::ssize(all);
  if (categories.missing.rows > 0) all.push_back(&categories.missing);
  Order order = known <= max_tried ? best_of_all(problem, node, all, least)
                                   : best_by_class(problem, node, all, least);
  std::erase(order, static_cast<std::int32_t>(known));
  return order;
}

Totals totals_in(const Problem& problem,
                 const NodeRange& range,
                 std::int64_t begin,
                 std::int64_t end) {
  if (range.class_bits == 0 || !problem.weights.empty()) {
    return totals_of(problem, range.rows + begin, end - begin);
  }
  Totals totals;
  totals.rows = totals.weight = end - begin;
  totals.classes.resize(problem.classes);
  std::int64_t* const counts = totals.classes.begin();
  const std::uint32_t* keys = range.keys;
  if (problem.classes == 2) {
    std::int64_t ones = 0;
    for (std::int64_t i = begin; i < end; ++i) ones += keys[i] & 1;
    counts[0] = totals.rows - ones;
    counts[1] = ones;
    return totals;
  }
  const std::uint32_t mask = (std::uint32_t{1} << range.class_bits) - 1;
  for (std::int64_t i = begin; i < end; ++i) ++counts[keys[i] & mask];
  return totals;
}

void order_entries(const Problem& problem,
                   const Totals& node,
                   const NodeRange& range,
                   std::uint32_t* keys,
                   std::uint32_t* rows) {
  struct Run {
    std::int64_t begin, end;
    std::uint32_t rank;
  };
  std::vector<Run> runs;
  for (std::int64_t i = 0; i < range.known; ++i) {
    if (i + 1 < range.known && !range.changes_after(i)) continue;
    runs.push_back({runs.empty() ? 0 : runs.back().end, i + 1, keys[i] >> range.class_bits});
  }
  if (runs.size() < 2) return;
  // Runs as they lie in memory are in the order of a node above.
  std::vector<Run> sorted = runs;
  std::sort(
      sorted.begin(), sorted.end(), [](const Run& a, const Run& b) { return a.rank < b.rank; });
  CategoryTotals categories;
  for (const Run& run : sorted) {
    categories.known.push_back(totals_in(problem, range, run.begin, run.end));
  }
  if (range.known < range.all) {
    categories.missing = totals_in(problem, range, range.known, range.all);
  }
  const Order order = category_order(problem, node, categories, range.least);
  std::size_t same = 0;
  while (same < order.size() && sorted[order[same]].begin == runs[same].begin) ++same;
  if (same == order.size()) return;
  const std::int64_t first = runs[same].begin;
  const auto bring = [&](std::uint32_t* entries) {
    std::vector<std::uint32_t> moved;
    moved.reserve(static_cast<std::size_t>(range.known - first));
    for (std::size_t k = same; k < order.size(); ++k) {
      const Run& run = sorted[order[k]];
      moved.insert(moved.end(), entries + run.begin, entries + run.end);
    }
    std::copy(moved.begin(), moved.end(), entries + first);
  };
  bring(keys);
  if (rows != nullptr) bring(rows);
}

void order_nodes(Context& context,
                 const Problem& problem,
                 const std::vector<const Totals*>& nodes,
                 const std::vector<LeafLimits>& least,
                 const NodeEntries& entries) {
  std::vector<std::int64_t> begins(1, 0);
  for (const Totals* node : nodes) begins.push_back(begins.back() + node->rows);
  context.parallel_for(std::ssize(nodes), 16, [&](std::int64_t i) {
    NodeRange range;
    range.keys = entries.keys + begins[i];
    range.rows = entries.table_rows + begins[i];
    range.class_bits = entries.class_bits;
    range.all = range.known = nodes[i]->rows;
    range.least = least[i];
    while (range.known > 0 && range.keys[range.known - 1] >= entries.missing_key) --range.known;
    order_entries(problem, *nodes[i], range, entries.keys + begins[i], entries.rows + begins[i]);
  });
}

template <class T>
std::vector<std::int64_t> count_categories(TableView<T> table, const TreeParams& params) {
  if (params.categorical.empty()) return {};
  std::vector<std::int64_t> counts(table.columns, 0);
  for (std::int64_t f = 0; f < table.columns; ++f) {
    if (!params.is_categorical(f)) continue;
    const T* column = table.column(f);
    for (std::int64_t i = 0; i < table.rows; ++i) {
      const T x = column[i];
      if (x != x) continue;
      const bool fits = x >= 0 && x <= static_cast<T>(max_category);
      const auto category = fits ? static_cast<std::int64_t>(x) : -1;
      if (category < 0 || static_cast<T>(category) != x) {
        throw input_error(
            "row {}, feature {}: a category is a whole number from 0 to {}, got {}; number the "
            "categories",
            i + 1,
            f + 1,
            max_category,
            static_cast<double>(x));
      }
      counts[f] = std::max(counts[f], category + 1);
    }
  }
  return counts;
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, count_categories)

}  // namespace yupana::forest
