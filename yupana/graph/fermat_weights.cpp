#include "yupana/graph/fermat_weights.hpp"

#include <atomic>
#include <mutex>
#include <utility>

#include "yupana/core/error.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/graph/fermat_backends.hpp"
#include "yupana/graph/shortest_paths_backends.hpp"

namespace yupana::graph {
namespace {

Error bad(const std::string& what) { return Error(ErrorCode::bad_input, "fermat: " + what); }

// The first pair, in row order, that `wrong` holds for. Called where there is one.
template <class T, class Wrong>
Error bad_pair(const SquareMatrix<T>& d, const Wrong& wrong, const char* what) {
  for (std::int64_t i = 0; i < d.size(); ++i) {
    for (std::int64_t j = 0; j < d.size(); ++j) {
      if (!wrong(i, j)) continue;
      return bad_distance(i, j, d(i, j), d(j, i), what);
    }
  }
  return bad(what);
}

template <class T>
void check(Context& context, const SquareMatrix<T>& d) {
  for (std::int64_t i = 0; i < d.size(); ++i) {
    if (d(i, i) != 0) throw bad_self_distance(i, d(i, i));
  }
  std::atomic<bool> nan{false};
  std::atomic<bool> negative{false};
  context.parallel_for(d.size(), 64, [&](std::int64_t begin, std::int64_t end) {
    context.check_cancelled();
    WeightStats<T> stats = {T{0}, T{0}, false, false, false};
    cpu::simd_table<T>().scan_weights(d.row(begin), (end - begin) * d.size(), stats);
    if (stats.not_a_number) nan = true;
    if (stats.smallest < 0) negative = true;
  });
  if (nan) {
    throw bad_pair(
        d, [&](std::int64_t i, std::int64_t j) { return d(i, j) != d(i, j); }, missing_distance);
  }
  if (negative) {
    throw bad_pair(
        d, [&](std::int64_t i, std::int64_t j) { return d(i, j) < 0; }, negative_distance);
  }
  if (!is_symmetric<T>(context, d.view())) {
    throw bad_pair(
        d, [&](std::int64_t i, std::int64_t j) { return d(i, j) != d(j, i); }, asymmetric_distance);
  }
}

template <class T>
WeightRange distance_range(Context& context, const SquareMatrix<T>& d) {
  std::vector<WeightRange> rows(static_cast<std::size_t>(d.size()));
  context.parallel_for(d.size(), 16, [&](std::int64_t i) {
    rows[static_cast<std::size_t>(i)] = weight_range(d.row(i) + i + 1, d.size() - i - 1);
  });
  WeightRange all;
  for (const WeightRange& row : rows) all.add(row);
  return all;
}

// Integers are exact if distances are integers, the power is a whole number, weights stay below
// 2^30, and so does every path: always where there is an edge between all pairs.
bool integers_fit(const WeightRange& range, double power, std::int64_t edges_of_a_path) {
  if (!range.whole || power != std::floor(power)) return false;
  return std::pow(range.largest, power) * static_cast<double>(edges_of_a_path) < 0x1p30 - 1;
}

// Floats must hold the weights with room for sums, and their differences above the subnormals.
struct Window {
  double low;
  double high;
};
constexpr Window float_window = {-100, 100};  // binary exponents
constexpr Window double_window = {-960, 960};

Precision choose(const WeightRange& range, double power, Precision wanted, bool integers) {
  if (wanted == Precision::integer && !integers) {
    throw bad(
        "integer lengths need integer distances, a power that keeps them integers and weights "
        "below "
        "2^30; use --precision float64");
  }
  if (wanted != Precision::automatic) return wanted;
  if (integers) return Precision::integer;
  if (range.whole && power == std::floor(power)) return Precision::float64;  // exact to 2^53
  if (range.largest == 0) return Precision::float32;
  const double bits = power * std::log2(range.largest / range.smallest);
  return bits < float_window.high ? Precision::float32 : Precision::float64;
}

// 1 unless the weights would leave the window; then the power of two above the largest distance, as
// far as it and its inverse are numbers.
double scale_for(const WeightRange& range, double power, Precision precision) {
  if (precision == Precision::integer || range.largest == 0) return 1;
  const Window window = precision == Precision::float32 ? float_window : double_window;
  if (power * std::log2(range.largest) < window.high &&
      power * std::log2(range.smallest) > window.low) {
    return 1;
  }
  return std::exp2(std::clamp(std::ceil(std::log2(range.largest)), -1022.0, 1023.0));
}

// Distances so much smaller than the largest that their power is zero, or loses digits.
bool is_vanishing(const WeightRange& range, const WeightRule& rule) {
  if (rule.precision == Precision::integer || range.largest == 0) return false;
  const double least_exponent = rule.precision == Precision::float32 ? -126 : -1022;
  return rule.power * std::log2(range.smallest / rule.scale) < least_exponent;
}

template <class To, class From>
SquareMatrix<To> convert(Context& context, SquareMatrix<From> d, double power, double scale) {
  if constexpr (std::is_same_v<To, From>) {
    if (power == 1 && scale == 1) return d;
  }
  const std::int64_t n = d.size();
  SquareMatrix<To> fresh(std::is_same_v<To, From> ? 0 : n);
  To* to = nullptr;
  if constexpr (std::is_same_v<To, From>) {
    to = d.data();
  } else {
    to = fresh.data();
  }
  Stage stage(context, "weights", static_cast<double>(n), "rows");
  context.parallel_for(n, 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      for (std::int64_t j = 0; j < n; ++j) to[i * n + j] = weight<To>(d(i, j), power, 1 / scale);
    }
    stage.advance(static_cast<double>(end - begin));
  });
  if constexpr (std::is_same_v<To, From>) {
    return d;
  } else {
    return fresh;
  }
}

/// Weights below it are left out.
template <class T>
T least_known(std::int64_t n) {
  if constexpr (std::is_integral_v<T>) return 0;
  using Limits = std::numeric_limits<T>;
  return static_cast<T>(
      std::ldexp(static_cast<double>(n) * static_cast<double>(Limits::min()), Limits::digits));
}

/// Adds a pair of this weight.
template <class T>
void add_pair(T weight, bool positive, T least, const T* length, KnownEdges& counts) {
  if (positive && weight < least) {
    ++counts.left_out;
  } else if (length != nullptr) {
    const bool far = *length == unreachable<T>;
    counts.unreachable += far;
    counts.kept += !far && *length == weight;
    counts.longer += !far && *length > weight;
    counts.replaced += *length < weight;
  }
}

/// `lengths`: none where they cannot be compared with weights.
template <class T, class D>
KnownEdges count_pairs(Context& context,
                       const SquareMatrix<D>& distances,
                       Entries entries,
                       const FermatFacts& facts,
                       const SquareMatrix<T>* lengths) {
  const double power = entries == Entries::squares ? facts.alpha / 2 : facts.alpha;
  // The scale of the distances given is a power of two.
  const double scale = std::log2(facts.weight_scale) * (entries == Entries::squares ? 2 : 1);
  const double inverse = std::exp2(-std::round(scale));
  const T least = least_known<T>(distances.size());
  KnownEdges all;
  std::mutex mutex;
  context.parallel_for(distances.size(), 16, [&](std::int64_t begin, std::int64_t end) {
    KnownEdges mine;
    for (std::int64_t i = begin; i < end; ++i) {
      for (std::int64_t j = i + 1; j < distances.size(); ++j) {
        const D d = distances(i, j);
        const T* const length = lengths == nullptr ? nullptr : &(*lengths)(i, j);
        add_pair(weight<T>(d, power, inverse), d > 0, least, length, mine);
      }
    }
    const std::lock_guard hold(mutex);
    all.left_out += mine.left_out;
    all.kept += mine.kept;
    all.replaced += mine.replaced;
    all.longer += mine.longer;
    all.unreachable += mine.unreachable;
  });
  return all;
}

}  // namespace

template <class T>
WeightRange weight_range(const T* values, std::int64_t count) {
  T largest = 0;
  T smallest = std::numeric_limits<T>::max();
  bool whole = true;
  bool has_unreachable = false;
  for (std::int64_t j = 0; j < count; ++j) {
    const T x = values[j];
    has_unreachable |= x == unreachable<T>;
    largest = x > largest && x != unreachable<T> ? x : largest;
    smallest = x < smallest && x > 0 ? x : smallest;
    // Integers of a float beyond 2^30 are refused as weights anyway.
    if constexpr (!std::is_integral_v<T>) {
      whole &= !(x < T{0x1p30}) || static_cast<T>(static_cast<std::int32_t>(x)) == x;
    }
  }
  return {static_cast<double>(largest), static_cast<double>(smallest), whole, has_unreachable};
}

void note_vanishing(const Context& context, double alpha) {
  context.note(
      fmt::format("alpha = {} takes the smallest distances below the floating-point range: they "
                  "count as zero, or with few digits, beside the largest, and which of their edges "
                  "are kept is not known",
                  alpha));
}

WeightRule weight_rule(WeightRange range,
                       std::int64_t n,
                       Entries entries,
                       const FermatParams& params) {
  if (!(params.alpha >= 1) || std::isinf(params.alpha)) {
    throw bad(fmt::format("expected a finite alpha of at least 1, got {}", params.alpha));
  }
  range.smallest = std::min(range.smallest, range.largest);
  WeightRule rule;
  rule.power = entries == Entries::squares ? params.alpha / 2 : params.alpha;
  const bool complete = !range.unreachable && params.neighbors == 0;
  const bool integers =
      integers_fit(range, rule.power, complete ? 1 : std::max<std::int64_t>(1, n - 1));
  rule.precision = choose(range, rule.power, params.precision, integers);
  rule.scale = scale_for(range, rule.power, rule.precision);
  rule.vanishing = is_vanishing(range, rule);
  rule.unit = entries == Entries::squares ? std::sqrt(rule.scale) : rule.scale;
  return rule;
}

FermatWeights fermat_weights(Context& context,
                             AnyMatrix distances,
                             Entries entries,
                             const FermatParams& params) {
  if (!(params.alpha >= 1) || std::isinf(params.alpha)) {  // before the distances are looked at
    throw bad(fmt::format("expected a finite alpha of at least 1, got {}", params.alpha));
  }
  return std::visit(
      [&](auto&& matrix) -> FermatWeights {
        check(context, matrix);
        const WeightRange range = distance_range(context, matrix);
        const bool far = range.unreachable;
        const auto [precision, power, scale, unit, vanishing] =
            weight_rule(range, matrix.size(), entries, params);
        switch (precision) {
          case Precision::integer:
            return {convert<std::int32_t>(context, std::move(matrix), power, scale),
                    unit,
                    far,
                    vanishing};
          case Precision::float64:
            return {
                convert<double>(context, std::move(matrix), power, scale), unit, far, vanishing};
          default:
            return {convert<float>(context, std::move(matrix), power, scale), unit, far, vanishing};
        }
      },
      std::move(distances));
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, weight_range)

KnownEdges known_edges(Context& context,
                       const AnyMatrix& distances,
                       Entries entries,
                       const FermatResult& result,
                       bool estimated) {
  return std::visit(
      [&](const auto& d, const auto& lengths) {
        using T = std::remove_cvref_t<decltype(lengths(0, 0))>;
        const bool comparable = !result.rooted && !estimated;
        return count_pairs<T>(context, d, entries, result, comparable ? &lengths : nullptr);
      },
      distances,
      result.lengths);
}

}  // namespace yupana::graph
