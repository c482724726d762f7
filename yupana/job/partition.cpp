#include "yupana/arrays/partition.hpp"

#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <type_traits>

#include "yupana/core/array.hpp"
#include "yupana/core/atomic_file.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/unfinished_files.hpp"
#include "yupana/io/cell.hpp"
#include "yupana/job/arrays.hpp"
#include "yupana/job/run_files.hpp"

namespace yupana::job {
namespace {

/// A number as it was given: integers of 64 bits exactly.
using Bound = long double;
static_assert(std::numeric_limits<Bound>::digits >= 64);

Bound bound_of(const char* option, const std::string& text) {
  if (const auto integer = io::number_of<std::int64_t>(text)) return *integer;
  if (const auto integer = io::number_of<std::uint64_t>(text)) return *integer;
  const auto number = io::number_of<double>(text);
  if (number && !std::isnan(*number)) return *number;
  throw usage_error("{}: expected a number, got '{}'", option, text);
}

/// The numbers of a type from `least` to `greatest`: compared in their own type. NaN is none.
template <class T>
struct Interval {
  static constexpr bool is_float = std::is_floating_point_v<T>;
  static constexpr T infinity = std::numeric_limits<T>::infinity();

  T least = is_float ? -infinity : std::numeric_limits<T>::min();
  T greatest = is_float ? infinity : std::numeric_limits<T>::max();
  bool is_empty = false;

  bool operator()(T x) const { return least <= x && x <= greatest && !is_empty; }

  void keep_below(Bound bound) {
    if (bound > static_cast<Bound>(greatest)) return;
    is_empty = is_empty || bound <= static_cast<Bound>(least);
    if (is_empty) return;
    if constexpr (is_float) {
      greatest = static_cast<T>(bound);
      if (static_cast<Bound>(greatest) >= bound) greatest = std::nextafter(greatest, -infinity);
    } else {
      greatest = static_cast<T>(std::ceil(bound) - 1);
    }
  }
  void keep_above(Bound bound) {
    if (bound < static_cast<Bound>(least)) return;
    is_empty = is_empty || bound >= static_cast<Bound>(greatest);
    if (is_empty) return;
    if constexpr (is_float) {
      least = static_cast<T>(bound);
      if (static_cast<Bound>(least) <= bound) least = std::nextafter(least, infinity);
    } else {
      least = static_cast<T>(std::floor(bound) + 1);
    }
  }
};

template <class T>
Interval<T> interval_of(const PartitionFileParams& params) {
  Interval<T> interval;
  if (!params.below.empty()) interval.keep_below(bound_of("--below", params.below));
  if (!params.above.empty()) interval.keep_above(bound_of("--above", params.above));
  return interval;
}

/// Numbers in the order in which they came, on the disk.
class Waiting {
 public:
  explicit Waiting(const AtomicFile& out)
      : file_(std::filesystem::path(out.temporary()).parent_path().string()) {}
  void add(const void* numbers, std::size_t bytes) {
    file_.write(numbers, bytes);
    bytes_ += static_cast<std::int64_t>(bytes);
  }
  /// body(begin, count) of piece after piece, through `buffer`.
  template <class T, class Body>
  void for_each(Array<T>& buffer, const Body& body) const {
    const auto most = static_cast<std::int64_t>(buffer.bytes());
    for (std::int64_t at = 0; at < bytes_; at += most) {
      const std::int64_t bytes = std::min(most, bytes_ - at);
      file_.read_at(at, buffer.data(), static_cast<std::size_t>(bytes));
      body(buffer.data(), bytes / static_cast<std::int64_t>(sizeof(T)));
    }
  }

 private:
  NamelessFile file_;
  std::int64_t bytes_ = 0;
};

}  // namespace

PartitionFileResult partition_file(Context& context, const PartitionFileParams& params) {
  check_column_name(params.out);
  if (params.below.empty() && params.above.empty()) {
    throw usage_error("partition: expected --below or --above, or both; give one");
  }
  interval_of<double>(params);  // bounds are refused before the file
  const auto reader = open_column(params.in, params.text_type);
  AtomicFile out(params.out);
  return io::with_number_type(reader->type(), [&](auto zero) {
    using T = decltype(zero);
    const std::int64_t chunk = std::min(column_chunk, reader->size_bound());
    const bool at_most = params.only || !reader->size();
    check_memory(context,
                 "partition: " + params.in,
                 2 * sizeof(T) * static_cast<std::uint64_t>(chunk),
                 {},
                 at_most);
    const Interval<T> satisfied = interval_of<T>(params);
    Stage stage(context, "partition", static_cast<double>(reader->size().value_or(0)), "numbers");
    io::ColumnWriter writer(out, reader->type());
    Array<T> values(chunk), parted(chunk);
    std::optional<Waiting> others;
    PartitionFileResult result{0, 0, reader->type().name()};
    while (const std::int64_t got = reader->read(values.data(), chunk)) {
      context.check_cancelled();
      const std::int64_t first =
          params.only ? arrays::compact(context, values.data(), got, parted.data(), satisfied)
                      : arrays::partition(context, values.data(), got, parted.data(), satisfied);
      writer.write(parted.data(), first);
      result.count += got;
      result.satisfied += first;
      stage.advance(static_cast<double>(got));
      if (params.only || first == got) continue;
      if (!others) others.emplace(out);
      others->add(parted.data() + first, static_cast<std::size_t>(got - first) * sizeof(T));
    }
    if (others) {
      others->for_each(values, [&](const T* numbers, std::int64_t n) { writer.write(numbers, n); });
    }
    note_comments(context, *reader);
    writer.finish();
    out.commit();
    return result;
  });
}

}  // namespace yupana::job
