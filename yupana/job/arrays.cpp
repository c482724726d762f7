#include "yupana/job/arrays.hpp"

#include <fmt/format.h>

#include <optional>

#include "yupana/arrays/reduce.hpp"
#include "yupana/arrays/scan.hpp"
#include "yupana/core/array.hpp"
#include "yupana/core/atomic_file.hpp"
#include "yupana/core/error.hpp"
#include "yupana/job/column_input.hpp"
#include "yupana/job/sum_range.hpp"

namespace yupana::job {
namespace {

template <class Params>
void check_wrap(const Params& params, io::NumberType type) {
  if (!params.wrap) return;
  if (params.op != ArrayOperator::sum) {
    throw Error(ErrorCode::usage, "--wrap: goes with --op sum, not min or max; leave it out");
  }
  if (type.kind != 'f') return;
  throw Error(ErrorCode::usage,
              fmt::format("--wrap: {} holds {}, and sums of floats do not wrap; leave it out",
                          params.in,
                          type.name()));
}

/// Follows the sums of a file where they could pass 64 bits unnoticed.
template <class T>
class SumCheck {
 public:
  template <class Params>
  explicit SumCheck(const Params& params)
      : path_(params.in), on_(params.op == ArrayOperator::sum && !params.wrap) {}

  void add(Context& context, const T* values, std::int64_t n) {
    if constexpr (std::is_integral_v<T>) {
      if (on_) range_.add(context, values, n);
    }
  }
  /// Throws if one of all running sums, of which the last `left_out` are not needed, is outside.
  void check_running(std::int64_t left_out) const {
    if constexpr (std::is_integral_v<T>) {
      const auto first = range_.first_outside();
      if (first && *first + left_out < range_.count()) throw outside();
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
                    fmt::format("with number {} the sum is {}, beyond what {} holds; pass --wrap "
                                "for sums modulo 2^64, or save the numbers as f8",
                                *range_.first_outside() + 1,
                                range_.outside(),
                                io::number_type<T>().name()));
  }

  std::string path_;
  bool on_;
  SumRange<std::conditional_t<std::is_integral_v<T>, T, std::int64_t>> range_;
};

/// Calls body with an int64, uint64 or double zero: the type that holds sums of the file's.
template <class Body>
auto with_sum_type(io::NumberType type, const Body& body) {
  if (type.kind == 'f') return body(double{});
  return type.kind == 'i' ? body(std::int64_t{}) : body(std::uint64_t{});
}

template <class Body>
auto with_operator(ArrayOperator op, const Body& body) {
  if (op == ArrayOperator::min) return body(arrays::Min{});
  if (op == ArrayOperator::max) return body(arrays::Max{});
  return body(arrays::Plus{});
}

/// body(values, n) for chunk after chunk; returns how many numbers there were.
template <class T, class Body>
std::int64_t for_each_chunk(Context& context,
                            io::ColumnReader& reader,
                            const char* stage_name,
                            const Body& body) {
  Stage stage(context, stage_name, static_cast<double>(reader.size().value_or(0)), "numbers");
  Array<T> values(column_chunk);
  std::int64_t count = 0;
  while (const std::int64_t got = reader.read_as(values.data(), column_chunk)) {
    body(values.data(), got);
    count += got;
    stage.advance(static_cast<double>(got));
  }
  return count;
}

template <class T>
void write_one(AtomicFile& file, T value) {
  io::ColumnWriter writer(file, io::number_type<T>());
  writer.write(&value, 1);
  writer.finish();
  file.commit();
}

}  // namespace

ArrayFileResult scan_file(Context& context, const ScanFileParams& params) {
  if (params.exclusive && params.op != ArrayOperator::sum) {
    throw Error(
        ErrorCode::usage,
        "scan: --exclusive begins with 0, which only sums do; leave it out for min and max");
  }
  const auto reader = open_column(params.in, params.text_type);
  check_wrap(params, reader->type());
  AtomicFile out(params.out);
  return with_sum_type(reader->type(), [&](auto zero) {
    using T = decltype(zero);
    io::ColumnWriter writer(out, io::number_type<T>());
    SumCheck<T> check(params);
    with_operator(params.op, [&](auto op) {
      Array<T> results(column_chunk);
      std::optional<T> carry;
      if (params.exclusive) carry = zero;
      for_each_chunk<T>(context, *reader, "scan", [&](const T* in, std::int64_t n) {
        check.add(context, in, n);
        check.check_running(params.exclusive ? 1 : 0);
        if (params.exclusive) {
          arrays::exclusive_scan(context, in, n, *carry, results.data(), op);
          carry = op(results[n - 1], in[n - 1]);
        } else {
          if (carry) {
            arrays::inclusive_scan_from(context, *carry, in, n, results.data(), op);
          } else {
            arrays::inclusive_scan(context, in, n, results.data(), op);
          }
          carry = results[n - 1];
        }
        writer.write(results.data(), n);
      });
    });
    writer.finish();
    out.commit();
    return ArrayFileResult{writer.size(), io::number_type<T>().name(), 0};
  });
}

ReduceFileResult reduce_file(Context& context, const ReduceFileParams& params) {
  const auto reader = open_column(params.in, params.text_type);
  check_wrap(params, reader->type());
  std::optional<AtomicFile> out;
  if (!params.out.empty()) out.emplace(params.out);
  return with_sum_type(reader->type(), [&](auto zero) {
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
      if (out) write_one(*out, *total);
    });
    return result;
  });
}

}  // namespace yupana::job
