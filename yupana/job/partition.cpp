#include "yupana/arrays/partition.hpp"

#include <cmath>
#include <filesystem>
#include <optional>
#include <type_traits>
#include <utility>

#include "yupana/core/array.hpp"
#include "yupana/core/atomic_file.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/unfinished_files.hpp"
#include "yupana/io/cell.hpp"
#include "yupana/job/arrays.hpp"
#include "yupana/job/run_files.hpp"

namespace yupana::job {
namespace {

/// A number as it was given; an integer exactly, however it is written.
struct Bound {
  std::optional<std::int64_t> i8;
  std::optional<std::uint64_t> u8;
  double f8 = 0;

  Bound(const char* option, const std::string& text)
      : i8(io::number_of<std::int64_t>(text)), u8(io::number_of<std::uint64_t>(text)) {
    const auto number = io::number_of<double>(text);
    if (!number || std::isnan(*number)) {
      throw usage_error("{}: expected a number, got '{}'", option, text);
    }
    f8 = *number;
    if (!i8 && std::trunc(f8) == f8 && std::fabs(f8) < 0x1p63) i8 = static_cast<std::int64_t>(f8);
  }

  template <class T>
  bool is_above(T x) const {
    if constexpr (std::is_integral_v<T>) {
      if (i8) return std::cmp_less(x, *i8);
      if (u8) return std::cmp_less(x, *u8);
    }
    return static_cast<double>(x) < f8;
  }
  template <class T>
  bool is_below(T x) const {
    if constexpr (std::is_integral_v<T>) {
      if (i8) return std::cmp_greater(x, *i8);
      if (u8) return std::cmp_greater(x, *u8);
    }
    return static_cast<double>(x) > f8;
  }
};

class Conditions {
 public:
  explicit Conditions(const PartitionFileParams& params) {
    if (params.below.empty() && params.above.empty()) {
      throw usage_error("partition: expected --below or --above, or both; give one");
    }
    if (!params.below.empty()) below_.emplace("--below", params.below);
    if (!params.above.empty()) above_.emplace("--above", params.above);
  }
  template <class T>
  bool operator()(T x) const {
    return (!below_ || below_->is_above(x)) && (!above_ || above_->is_below(x));
  }

 private:
  std::optional<Bound> below_, above_;
};

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
  const Conditions satisfied(params);
  const auto reader = open_column(params.in, params.text_type);
  AtomicFile out(params.out);
  return io::with_number_type(reader->type(), [&](auto zero) {
    using T = decltype(zero);
    check_memory(context, "partition: " + params.in, 2 * sizeof(T) * column_chunk);
    Stage stage(context, "partition", static_cast<double>(reader->size().value_or(0)), "numbers");
    io::ColumnWriter writer(out, reader->type());
    Array<T> values(column_chunk), parted(column_chunk);
    std::optional<Waiting> others;
    PartitionFileResult result{0, 0, reader->type().name()};
    while (const std::int64_t got = reader->read(values.data(), column_chunk)) {
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
