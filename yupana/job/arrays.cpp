#include "yupana/job/arrays.hpp"

#include <fmt/core.h>

#include <cmath>
#include <type_traits>

#include "yupana/arrays/reduce.hpp"
#include "yupana/arrays/scan.hpp"
#include "yupana/arrays/sum_range.hpp"
#include "yupana/core/array.hpp"
#include "yupana/core/atomic_file.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/job/run_files.hpp"

namespace yupana::job {
namespace {

void check_operator(const FoldFileParams& params) {
  if (!params.wrap || params.op == ArrayOperator::sum || params.op == ArrayOperator::product)
    return;
  throw usage_error("--wrap: goes with --op sum or product, not min or max; leave it out");
}

/// The numbers; floats, which a text may be read as, do not wrap.
std::unique_ptr<io::ColumnReader> open_numbers(const FoldFileParams& params) {
  io::TypeAdvice advice;
  if (params.wrap) advice.as_f8 = "give --type f8 without --wrap";
  return open_column(params.in, params.text_type, "--type", advice);
}

void check_wrap(bool wrap, const io::ColumnReader& reader) {
  if (!wrap || reader.type().kind != 'f') return;
  if (reader.is_text()) {
    throw usage_error(
        "--wrap: the numbers of {} are read as f8, and floats do not wrap; give --type i8 or u8 to "
        "read whole numbers, or leave --wrap out",
        reader.path());
  }
  throw usage_error("--wrap: {} holds {}, and floats do not wrap; leave it out",
                    reader.path(),
                    reader.type().name());
}

bool is_of_runs(const FoldFileParams& params) {
  return params.op == ArrayOperator::product || !params.by.empty();
}

/// Follows the sums of a file where they could pass 64 bits unnoticed.
template <class T>
class SumCheck {
 public:
  explicit SumCheck(const FoldFileParams& params)
      : path_(params.in),
        as_floats_(as_floats(params.text_type)),
        on_(params.op == ArrayOperator::sum && !params.wrap) {}

  void add(Context& context, const T* values, std::int64_t n) {
    if constexpr (std::is_integral_v<T>) {
      if (on_) range_.add(context, values, n);
    }
  }
  /// Throws if one of all running sums, of which the last `left_out` are not needed, is outside.
  void check_running(std::int64_t left_out) const {
    if constexpr (std::is_integral_v<T>) {
      const auto first = range_.first_outside();
      if (first >= 0 && first + left_out < range_.count()) throw outside();
    }
  }
  /// Whether what add() did on the context's threads is all that a sum takes.
  bool sums(const Context& context) const {
    return std::is_integral_v<T> && on_ && context.backend() == Backend::cpu;
  }
  T total() const { return static_cast<T>(range_.total()); }
  void check_total() const {
    if constexpr (std::is_integral_v<T>) {
      if (!range_.holds(range_.total())) throw outside();
    }
  }

 private:
  Error outside() const {
    return bad_file(path_,
                    "with number {} the sum is {}, beyond what {} holds; pass --wrap for sums "
                    "modulo 2^64, or {}",
                    range_.first_outside() + 1,
                    range_.outside(),
                    io::number_type<T>().name(),
                    as_floats_);
  }

  std::string path_;
  const char* as_floats_;
  bool on_;
  arrays::SumRange<std::conditional_t<std::is_integral_v<T>, T, std::int64_t>> range_;
};

template <class Body>
auto with_operator(ArrayOperator op, const Body& body) {
  if (op == ArrayOperator::min) return body(arrays::Min{});
  if (op == ArrayOperator::max) return body(arrays::Max{});
  return body(arrays::Plus{});
}

/// body(values, n) for chunk after chunk; returns how many numbers there were. Throws if a chunk,
/// which must not depend on memory, exceeds it.
template <class T, class Body>
std::int64_t for_each_chunk(Context& context,
                            io::ColumnReader& reader,
                            const std::string& command,
                            const Body& body) {
  Stage stage(context, command, static_cast<double>(reader.size().value_or(0)), "numbers");
  const std::size_t bytes = sizeof(T) + static_cast<std::size_t>(reader.type().width) % sizeof(T);
  Array<T> values(column_chunk);
  std::int64_t count = 0;
  while (const std::int64_t got = reader.read_as(values.data(), column_chunk)) {
    check_memory(context, command + ": " + reader.path(), static_cast<std::size_t>(got) * bytes);
    body(values.data(), got);
    count += got;
    stage.advance(static_cast<double>(got));
  }
  note_comments(context, reader);
  return count;
}

/// Notes a sum of floats that is no number: infinities and NaN stay in sums once they are there.
template <class T>
void note_not_finite(
    Context& context, const char* command, const std::string& path, ArrayOperator op, T sum) {
  if constexpr (std::is_floating_point_v<T>) {
    if (op != ArrayOperator::sum || std::isfinite(sum)) return;
    context.note(fmt::format(
        "{}: the sum is {}: {} holds inf or nan, or sums of its numbers are beyond what {} holds",
        command,
        std::isnan(sum) ? "nan"
        : sum > 0       ? "inf"
                        : "-inf",
        path,
        io::number_type<T>().name()));
  }
}

template <class T>
void write_one(AtomicFile& file, T value) {
  io::ColumnWriter writer(file, io::number_type<T>());
  writer.write(&value, 1);
  writer.finish();
  file.commit();
}

}  // namespace

ArrayFileResult scan_file(Context& context, const FoldFileParams& params) {
  check_column_name(params.out);
  if (params.exclusive && (params.op == ArrayOperator::min || params.op == ArrayOperator::max)) {
    throw usage_error(
        "scan: --exclusive begins with 0 or 1, as sums and products do; leave it out for min and "
        "max");
  }
  check_operator(params);
  const auto reader = open_numbers(params);
  check_wrap(params.wrap, *reader);
  if (is_of_runs(params)) return scan_runs(context, params, *reader);
  AtomicFile out(params.out);
  return with_widest_type(reader->type(), [&](auto zero) {
    using T = decltype(zero);
    io::ColumnWriter writer(out, io::number_type<T>());
    SumCheck<T> check(params);
    with_operator(params.op, [&](auto op) {
      std::optional<T> carry;
      T written = zero;
      if (params.exclusive) carry = zero;
      for_each_chunk<T>(context, *reader, "scan", [&](T* values, std::int64_t n) {
        check.add(context, values, n);
        check.check_running(params.exclusive ? 1 : 0);
        if (params.exclusive) {
          const T last = values[n - 1];
          arrays::exclusive_scan(context, values, n, *carry, values, op);
          carry = op(values[n - 1], last);
        } else {
          if (carry) {
            arrays::inclusive_scan_from(context, *carry, values, n, values, op);
          } else {
            arrays::inclusive_scan(context, values, n, values, op);
          }
          carry = values[n - 1];
        }
        written = values[n - 1];
        writer.write(values, n);
      });
      note_not_finite(context, "scan", params.in, params.op, written);
    });
    writer.finish();
    out.commit();
    return ArrayFileResult{writer.size(), io::number_type<T>().name(), 0};
  });
}

ReduceFileResult reduce_file(Context& context, const FoldFileParams& params) {
  is_of_runs(params) ? check_not_compressed(params.out) : check_column_name(params.out);
  check_operator(params);
  const auto reader = open_numbers(params);
  check_wrap(params.wrap, *reader);
  if (is_of_runs(params)) return reduce_runs(context, params, *reader);
  std::optional<AtomicFile> out;
  if (!params.out.empty()) out.emplace(params.out);
  return with_widest_type(reader->type(), [&](auto zero) {
    using T = decltype(zero);
    ReduceFileResult result;
    SumCheck<T> check(params);
    with_operator(params.op, [&](auto op) {
      std::optional<T> total;
      if (params.op == ArrayOperator::sum) total = zero;
      result.count =
          for_each_chunk<T>(context, *reader, "reduce", [&](const T* in, std::int64_t n) {
            check.add(context, in, n);
            if (check.sums(context)) return;
            total = total ? arrays::reduce(context, in, n, *total, op)
                          : arrays::reduce(context, in + 1, n - 1, in[0], op);
          });
      if (!total) throw bad_file(params.in, "holds no numbers, of which none is least or greatest");
      check.check_total();
      if (check.sums(context)) total = check.total();
      result.value = *total;
      note_not_finite(context, "reduce", params.in, params.op, *total);
      if (out) write_one(*out, *total);
    });
    return result;
  });
}

}  // namespace yupana::job
