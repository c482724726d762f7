#include "yupana/spectral/polymul.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "yupana/core/messages.hpp"
#include "yupana/io/column.hpp"
#include "yupana/io/input_file.hpp"
#include "yupana/io/line_reader.hpp"
#include "yupana/job/run_files.hpp"
#include "yupana/job/spectral.hpp"
#include "yupana/spectral/big_integer.hpp"
#include "yupana/spectral/scratch_bytes.hpp"

namespace yupana::job {
namespace {

/// A file of coefficients: how many it may hold, of a text one a line, and whether all are
/// integers, of a text whether none has a point, an exponent or a word like inf.
struct Factor {
  std::string path;
  std::int64_t size = 0;
  bool integers = true;
};

Factor factor_of(Context& context, const std::string& path) {
  const io::ColumnReader column(path, {'i', 8});
  if (column.size()) return {path, *column.size(), column.type().kind != 'f'};
  Factor factor{path};
  io::LineReader lines(path);
  for (std::string_view line; lines.next(line);) {
    if (lines.number() % 65536 == 0) context.check_cancelled();
    if (line.starts_with('#')) continue;
    ++factor.size;
    factor.integers = factor.integers && line.find_first_of(".eEiInN") == line.npos;
  }
  return factor;
}

/// All numbers of a file, as T.
template <class T>
Array<T> column(Context& context, const Factor& factor) {
  const std::string& path = factor.path;
  io::ColumnReader reader(
      path, io::number_type<T>(), {.as_f8 = "pass --real", .as_i8 = "pass --exact", .as_u8 = ""});
  if constexpr (std::is_integral_v<T>) {
    if (reader.type().kind == 'f') {
      throw bad_file(path, "expected integers for an exact product, got floats; pass --real");
    }
  }
  constexpr std::int64_t piece = std::int64_t{1} << 20;
  Array<T> values(factor.size);
  std::int64_t count = 0;
  while (count < values.size()) {
    context.check_cancelled();
    const std::int64_t got = reader.read_as(&values[count], std::min(piece, values.size() - count));
    if (got == 0) break;
    if constexpr (std::is_integral_v<T>) {
      // What uint64 holds beyond int64 has become negative.
      const bool is_unsigned = reader.type() == io::NumberType{'u', 8};
      for (std::int64_t i = 0; is_unsigned && i < got; ++i) {
        if (values[count + i] >= 0) continue;
        throw bad_file(path,
                       "number {} is beyond 2^63 - 1; save them as f8 if they may be rounded",
                       count + i + 1);
      }
    }
    count += got;
  }
  if (T more; reader.read_as(&more, 1) > 0) {
    throw bad_file(path, "became longer while it was read; keep it as it is");
  }
  note_comments(context, reader);
  for (std::int64_t i = 0; std::is_floating_point_v<T> && i < count; ++i) {
    if (std::isfinite(static_cast<double>(values[i]))) continue;
    throw bad_file(path, "expected finite numbers, got {} as number {}", values[i], i + 1);
  }
  if (count == values.size()) return values;
  Array<T> exact(count);
  std::copy(values.begin(), values.begin() + count, exact.begin());
  return exact;
}

template <class T>
std::span<const T> span_of(const Array<T>& values) {
  return {values.data(), static_cast<std::size_t>(values.size())};
}

template <class T>
SpectralFileResult written(const std::string& path, const Array<T>& values, double error_bound) {
  AtomicFile out(path);
  io::ColumnWriter writer(out, io::number_type<T>());
  writer.write(values.data(), values.size());
  writer.finish();
  out.commit();
  return {1, values.size(), false, io::number_type<T>().name(), error_bound};
}

/// The file's digits without the white space around them.
spectral::BigInteger integer_of(Context& context,
                                const std::string& path,
                                spectral::Digits digits) {
  const Array<char> bytes = io::read_text(io::InputFile(path), context.memory());
  std::string_view text(bytes.data(),
                        static_cast<std::size_t>(std::max<std::int64_t>(bytes.size() - 1, 0)));
  io::check_is_text(path, text.substr(0, 1 << 16));
  constexpr std::string_view blank = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(blank), text.size()));
  text.remove_suffix(text.size() - (text.find_last_not_of(blank) + 1));
  try {
    return spectral::parse_integer(context, text, digits);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_input) throw;
    throw bad_file(path, error.what());
  }
}

spectral::Digits digits_named(const std::string& name) {
  if (name == "decimal") return spectral::Digits::decimal;
  if (name == "hex") return spectral::Digits::hexadecimal;
  if (name == "binary") return spectral::Digits::binary;
  throw usage_error("digits: '{}' is unknown; use decimal, hex or binary", name);
}

/// Limbs of the product and what multiplies them, or the product's text and its limbs in two bases.
void check_digits(const Context& context, const PolymulFileParams& params, spectral::Digits base) {
  const bool decimal = base == spectral::Digits::decimal;
  const std::int64_t a = io::InputFile(params.a).size(), b = io::InputFile(params.b).size();
  const std::int64_t digits = a + b;
  const std::int64_t of_limb = decimal ? 9 : base == spectral::Digits::hexadecimal ? 8 : 32;
  const std::int64_t limbs = digits / of_limb + 1;
  const std::uint64_t limb_bytes = sizeof(std::uint32_t) * static_cast<std::uint64_t>(limbs);
  // The product's text is half multiplied by half, whatever its factors are.
  const std::uint64_t scratch =
      decimal ? spectral::integer_scratch_bytes(context, limbs / 2, limbs / 2)
              : spectral::integer_scratch_bytes(context, a / of_limb, b / of_limb);
  const std::uint64_t multiplying = scratch + (decimal ? 4 : 2) * limb_bytes;
  check_memory(context,
               fmt::format("polymul: the product of {} and {}", params.a, params.b),
               std::max(multiplying, static_cast<std::uint64_t>(digits) + 2 * limb_bytes));
}

SpectralFileResult integer_product(Context& context, const PolymulFileParams& params) {
  const spectral::Digits digits = digits_named(params.digits);
  if (io::is_npy_name(params.out)) {
    throw usage_error("polymul: --digits writes text, and -o {} names a .npy; name a .txt",
                      params.out);
  }
  check_digits(context, params, digits);
  spectral::BigInteger product;
  {
    Stage stage(context, "read");
    product = integer_of(context, params.a, digits);
  }
  {
    Stage stage(context, "multiply");
    product = spectral::multiply(context, product, integer_of(context, params.b, digits));
  }
  Stage stage(context, "write");
  const std::string text = spectral::to_text(context, product, digits);
  AtomicFile out(params.out);
  out.write(text);
  out.write("\n");
  out.commit();
  return {
      1, static_cast<std::int64_t>(text.size()) - (product.negative ? 1 : 0), false, params.digits};
}

/// Factors and product of so many coefficients, and the scratch memory of the multiplication.
/// `bound`: of an exact product's coefficients, 0 where it is not known yet.
void check_product(const Context& context,
                   const PolymulFileParams& params,
                   std::int64_t a,
                   std::int64_t b,
                   bool exact,
                   std::uint64_t bound = 0) {
  const std::int64_t count = a == 0 || b == 0 ? 0 : a + b - 1;
  const std::uint64_t scratch = exact ? spectral::polymul_exact_scratch_bytes(context, a, b, bound)
                                      : spectral::polymul_scratch_bytes(context, count);
  check_memory(context,
               fmt::format("polymul: the product of {} and {}", params.a, params.b),
               8 * static_cast<std::uint64_t>(a + b + count) + scratch);
}

}  // namespace

SpectralFileResult polymul_file(Context& context, const PolymulFileParams& params) {
  check_column_name(params.out);
  if (!params.digits.empty()) {
    if (params.kind != PolymulKind::automatic) {
      throw usage_error("polymul: --digits is exact by itself; leave --exact and --real out");
    }
    return integer_product(context, params);
  }
  Stage stage(context, "multiply");
  const Factor first = factor_of(context, params.a), second = factor_of(context, params.b);
  const bool exact = params.kind == PolymulKind::automatic ? first.integers && second.integers
                                                           : params.kind == PolymulKind::exact;
  check_product(context, params, first.size, second.size, exact);
  if (exact) {
    const auto a = column<std::int64_t>(context, first);
    const auto b = column<std::int64_t>(context, second);
    const std::uint64_t bound = spectral::coefficient_bound(span_of(a), span_of(b));
    check_product(context, params, a.size(), b.size(), exact, bound);
    return written(params.out, spectral::polymul_exact(context, span_of(a), span_of(b)), 0);
  }
  const auto a = column<double>(context, first);
  const auto b = column<double>(context, second);
  const spectral::RealProduct product = spectral::polymul(context, span_of(a), span_of(b));
  return written(params.out, product.coefficients, product.error_bound);
}

}  // namespace yupana::job
