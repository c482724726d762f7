// Levels of trees on a device: tables for the kernels, and their answers. See grow_nodes_cuda.cu.
#include <utility>

#include "yupana/forest/grow_cuda.hpp"
#include "yupana/forest/prune.hpp"

namespace yupana::forest::cuda {

using yupana::cuda::check;

namespace {

/// `from` may change once this returns: what is not page-locked is copied aside.
template <class T>
void put(T* to, const std::vector<T>& from, cudaStream_t stream) {
  check(cudaMemcpyAsync(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice, stream),
        "copy to the device");
}

template <class T>
void get(std::vector<T>& to, const T* from, std::int64_t count, cudaStream_t stream) {
  to.resize(static_cast<std::size_t>(count));
  check(cudaMemcpyAsync(to.data(), from, to.size() * sizeof(T), cudaMemcpyDeviceToHost, stream),
        "read from the device");
}

void fill(void* to, int byte, std::size_t bytes, cudaStream_t stream) {
  check(cudaMemsetAsync(to, byte, bytes, stream), "clear memory");
}

Sums sums_of(const Problem& problem) {
  if (problem.classes == 0) return Sums::numbers;
  const bool two = problem.classes == 2 && problem.weights.empty();
  return two && problem.criterion == Criterion::gini ? Sums::two_classes : Sums::classes;
}

/// Sums over a node along a list, channel by channel.
void append_channels(Sums sums, const Totals& totals, std::vector<std::int64_t>& to) {
  if (sums == Sums::two_classes) {
    to.push_back(totals.classes[1]);
  } else if (sums == Sums::numbers) {
    to.insert(to.end(), {totals.weight, totals.moment});
  } else {
    to.insert(to.end(), totals.classes.begin(), totals.classes.end());
  }
}

Start start_of(const Problem& problem, const Totals& totals) {
  Start start;
  start.weight = totals.weight;
  if (problem.classes == 0) {
    start.shift = totals.moment / totals.weight;
    return start;
  }
  Wide squares = 0;
  for (const std::int64_t count : totals.classes) {
    squares += square(count);
    if (problem.criterion == Criterion::entropy) start.logs += problem.count_log(count);
  }
  start.products[0] = static_cast<std::uint64_t>(squares);
  start.products[1] = static_cast<std::uint64_t>(squares >> 64);
  return start;
}

}  // namespace

Grower::Grower(Context& context,
               const Problem& problem,
               const TreeParams& params,
               const Labels& labels,
               const std::vector<std::uint8_t>& has_missing,
               const CategoryRanks& ranks,
               Threshold threshold,
               cudaStream_t stream)
    : context_(context),
      problem_(problem),
      params_(params),
      labels_(labels),
      threshold_(std::move(threshold)),
      stream_(stream),
      categories_(context, problem, ranks, stream) {
  level_.sums = sums_of(problem);
  level_.entropy = problem.criterion == Criterion::entropy;
  level_.channels = level_.sums == Sums::two_classes ? 1
                    : level_.sums == Sums::numbers   ? 2
                                                     : problem.classes;
  level_.min_leaf = params.min_samples_leaf;
  use_features(has_missing);
}

void Grower::use_features(const std::vector<std::uint8_t>& has_missing) {
  std::vector<std::int32_t> features;
  for (std::size_t f = 0; f < has_missing.size(); ++f) {
    if (has_missing[f] != 0) features.push_back(static_cast<std::int32_t>(f));
  }
  if (features.empty()) return;
  level_.missing_slots = static_cast<int>(features.size());
  std::int32_t* to = slots_.of(level_.missing_slots);
  put(to, features, stream_);
  level_.slot_feature = to;
}

std::vector<Tree> Grower::grow(OwnLists lists, const std::vector<Part>& parts, std::int64_t marks) {
  lists_ = std::move(lists);
  level_.lists = lists_.view;
  summed_ = false;
  goes_left_.of(marks);
  start(parts);
  for (std::int64_t depth = 0; !open_.empty(); ++depth) {
    context_.check_cancelled();
    const Answer answer = find_splits();
    std::vector<Open> next = next_nodes(answer, depth);
    if (next.empty()) break;
    partition_nodes(std::move(next));
  }
  std::vector<Tree> trees(trees_.size());
  context_.parallel_for(std::ssize(trees), 1, [&](std::size_t t) {
    // Grown level by level; nothing is pruned, nodes are put in preorder.
    trees[t] = compacted(trees_[t], std::vector<char>(trees_[t].nodes.size(), 0));
  });
  return trees;
}

OwnLists Grower::spare() {
  if (other_.keys.size() > lists_.keys.size()) std::swap(lists_, other_);
  return std::move(lists_);
}

/// The roots: their sums are those over the left child if all goes left.
void Grower::start(const std::vector<Part>& parts) {
  trees_.assign(parts.size(), {});
  all_weight_.clear();
  open_.clear();
  std::vector<std::int64_t> sizes;
  std::vector<NodeSplit> all_left;
  for (std::size_t t = 0; t < parts.size(); ++t) {
    Open root;
    root.tree = static_cast<std::int32_t>(t);
    root.key = root_key(parts[t].seed);
    root.row_base = parts[t].row_base;
    open_.push_back(std::move(root));
    sizes.push_back(parts[t].size);
    NodeSplit found;
    found.feature = 0;
    found.known_left = static_cast<std::uint32_t>(parts[t].size);
    found.missing_left = 1;
    all_left.push_back(found);
    trees_[t].outputs = problem_.outputs();
  }
  place_nodes(sizes);
  NodeSplit* found = node_splits_.of(std::ssize(all_left));
  put(found, all_left, stream_);
  const Answer answer = mark(found);
  check(cudaStreamSynchronize(stream_), "sum over the roots");
  for (std::size_t t = 0; t < parts.size(); ++t) {
    Open& root = open_[t];
    root.totals = left_totals(answer, t, {});
    root.is_leaf = is_leaf(params_, root.totals, 0);
    all_weight_.push_back(root.totals.weight);
    add_node(root.tree, root.totals);
  }
  const bool all = std::all_of(open_.begin(), open_.end(), [](const Open& o) { return o.is_leaf; });
  if (all) open_.clear();
}

/// Open nodes stand one after the other.
void Grower::place_nodes(const std::vector<std::int64_t>& sizes) {
  std::vector<Place> places;
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    places.push_back({static_cast<std::uint32_t>(begin),
                      static_cast<std::uint32_t>(sizes[i]),
                      open_[i].row_base});
    begin += sizes[i];
  }
  level_.nodes = std::ssize(places);
  Place* to = places_.of(level_.nodes);
  put(to, places, stream_);
  level_.places = to;
  std::uint32_t* node_of = node_of_.of(begin);
  launch_node_of(to, level_.nodes, begin, node_of, stream_);
  level_.node_of = node_of;
}

/// Sums of the open nodes, and of all before each.
void Grower::put_tables() {
  std::vector<std::int64_t> totals, before;
  std::vector<Start> starts;
  std::vector<std::int64_t> sum(static_cast<std::size_t>(level_.channels), 0);
  for (const Open& open : open_) {
    append_channels(level_.sums, open.totals, totals);
    before.insert(before.end(), sum.begin(), sum.end());
    const auto* own = totals.data() + totals.size() - sum.size();
    for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += own[c];
    starts.push_back(start_of(problem_, open.totals));
  }
  const std::int64_t entries = std::ssize(totals);
  std::int64_t* device_totals = totals_.of(entries);
  std::int64_t* device_before = before_.of(entries);
  Start* device_starts = starts_.of(level_.nodes);
  put(device_totals, totals, stream_);
  put(device_before, before, stream_);
  put(device_starts, starts, stream_);
  level_.totals = device_totals;
  level_.before = device_before;
  level_.starts = device_starts;
}

/// As on the processor: features are drawn for a node until one of them varies there.
void Grower::sample_features() {
  const std::int64_t features = level_.lists.features;
  if (params_.max_features == 0 || params_.max_features == features) return;
  std::uint8_t* varies = varies_.of(level_.nodes * features);
  launch_varies(level_, varies, stream_);
  std::vector<std::uint8_t> host, drawn(static_cast<std::size_t>(level_.nodes * features), 0);
  get(host, varies, level_.nodes * features, stream_);
  check(cudaStreamSynchronize(stream_), "read which features vary");
  context_.parallel_for(level_.nodes, 64, [&](std::int64_t i) {
    FeatureSampler draw(open_[static_cast<std::size_t>(i)].key, features);
    bool any = false;
    for (std::int64_t count = 0; !draw.empty() && (count < params_.max_features || !any); ++count) {
      const auto at = static_cast<std::size_t>(i * features + draw.next());
      drawn[at] = 1;
      any = any || host[at] != 0;
    }
  });
  std::uint8_t* to = sampled_.of(std::ssize(drawn));
  put(to, drawn, stream_);
  level_.drawn = to;
}

void Grower::order_categories() {
  if (!categories_.any()) return;
  std::vector<const Totals*> nodes;
  std::vector<LeafLimits> least;
  for (const Open& open : open_) {
    nodes.push_back(&open.totals);
    least.push_back(
        leaf_limits(problem_, params_, all_weight_[static_cast<std::size_t>(open.tree)]));
  }
  categories_.order(level_, labels_, nodes, least);
}

LeftSums Grower::left_sums() {
  LeftSums left;
  left.width = problem_.classes > 0 ? problem_.classes : 3;
  left.rows = left_rows_.of(level_.nodes);
  left.sums = left_sums_.of(level_.nodes * left.width);
  left.extremes = problem_.classes > 0 ? nullptr : extremes_.of(level_.nodes * 4);
  return left;
}

Grower::Answer Grower::mark(const NodeSplit* found) {
  const LeftSums left = left_sums();
  launch_assign_children(level_, labels_, found, goes_left_.of(0), left, stream_);
  Answer answer;
  get(answer.found, found, level_.nodes, stream_);
  get(answer.rows, left.rows, level_.nodes, stream_);
  get(answer.sums, left.sums, level_.nodes * left.width, stream_);
  if (left.extremes != nullptr) get(answer.extremes, left.extremes, level_.nodes * 4, stream_);
  return answer;
}

Grower::Answer Grower::find_splits() {
  put_tables();
  sample_features();
  order_categories();
  const std::int64_t tiles = level_.lists.tiles(), features = level_.lists.features;
  level_.tile_sums = tile_sums_.of(features * level_.channels * tiles);
  if (level_.sums == Sums::two_classes) {
    level_.candidates = candidates_.of(level_.columns() * tiles);
    level_.candidate_best = candidate_best_.of(level_.columns() * tiles);
    level_.candidate_count = candidate_count_.of(1);
  }
  const std::int64_t pairs = level_.missing_slots * level_.nodes;
  level_.missing = missing_.of(pairs * level_.channels);
  level_.missing_rows = missing_rows_.of(pairs);
  level_.missing_starts = missing_starts_.of(pairs);
  level_.best = best_.of(features * level_.nodes);
  level_.node_best = node_best_.of(level_.nodes);
  level_.least = least_.of(level_.nodes);
  BestSplit* best_splits = best_splits_.of(level_.nodes);
  NodeSplit* found = node_splits_.of(level_.nodes);
  const auto nodes = static_cast<std::size_t>(level_.nodes);
  fill(level_.best, 0, nodes * static_cast<std::size_t>(features) * 8, stream_);
  fill(level_.node_best, 0, nodes * 8, stream_);
  fill(best_splits, 0xff, nodes * sizeof(BestSplit), stream_);
  launch_tile_sums(level_, labels_, summed_, stream_);
  launch_missing_sums(level_, labels_, stream_);
  if (level_.sums == Sums::two_classes) launch_split_bounds(level_, labels_, stream_);
  launch_scores(level_, labels_, stream_);
  launch_least(level_, stream_);
  launch_best_splits(level_, labels_, best_splits, stream_);
  launch_node_splits(level_, best_splits, found, stream_);
  Answer answer = mark(found);
  check(cudaStreamSynchronize(stream_), "find splits");
  categories_.read_sets(level_, answer.found, found);
  return answer;
}

/// Makes the lists of the nodes that are open next.
void Grower::partition_nodes(std::vector<Open> next) {
  open_ = std::move(next);
  std::vector<std::int64_t> sizes;
  std::int64_t entries = 0;
  for (const Open& open : open_) {
    sizes.push_back(open.totals.rows);
    entries += open.totals.rows;
  }
  Move* moves = device_moves_.of(std::ssize(moves_));
  put(moves, moves_, stream_);
  const int features = level_.lists.features;
  other_.view = level_.lists;
  other_.make_room(entries, features);
  const std::int64_t tiles = level_.lists.tiles();
  // Of two classes, sums come with the parting, unless entries move again.
  summed_ = level_.sums == Sums::two_classes && !categories_.any();
  launch_partition(level_,
                   moves,
                   goes_left_.of(0),
                   bits_.of(features * tiles * (tile_size / 32)),
                   tile_lefts_.of(features * tiles),
                   other_.view,
                   summed_ ? next_sums_.of(features * other_.view.tiles()) : nullptr,
                   stream_);
  std::swap(lists_, other_);
  if (summed_) std::swap(tile_sums_, next_sums_);
  level_.lists = lists_.view;
  level_.drawn = nullptr;
  place_nodes(sizes);
}

}  // namespace yupana::forest::cuda
