#include "yupana/job/trisolve.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <optional>
#include <utility>

#include "yupana/core/atomic_file.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/random.hpp"
#include "yupana/io/matrix_market.hpp"
#include "yupana/io/npy_file.hpp"
#include "yupana/io/number_text.hpp"
#include "yupana/io/signal_file.hpp"
#include "yupana/job/run_files.hpp"
#include "yupana/sparse/arithmetic.hpp"
#include "yupana/sparse/triangular.hpp"

namespace yupana::job {
namespace {

template <class Value>
using System = sparse::TriangularSystem<Value, std::int64_t>;
template <class Value>
using Csr = sparse::CsrMatrix<Value, std::int64_t>;

/// Right-hand sides. Complex ones of a real matrix are twice as many columns: real and imaginary
/// parts in turn.
template <class Value>
struct Sides {
  Matrix<Value> b;
  bool complex = sparse::is_complex<Value>;

  std::int64_t parts() const { return complex && !sparse::is_complex<Value> ? 2 : 1; }
  std::int64_t count() const { return b.cols() / parts(); }
};

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// The numbers of a file, finite and one row for each of the matrix.
io::SignalArray<double> read_signals(Context& context,
                                     const TrisolveParams& params,
                                     std::int64_t rows) {
  const io::SignalFile file(params.side);
  io::SignalArray<double> signals = file.read<double>(context);
  const std::int64_t got = signals.matrix ? signals.rows : signals.cols;
  if (got != rows || (signals.matrix && signals.cols == 0)) {
    throw bad_file(params.side,
                   "expected {} of at least one number, one for each of the matrix, got {} of {}",
                   counted(rows, "row"),
                   counted(got, "row"),
                   signals.matrix ? signals.cols : 1);
  }
  const auto bad = std::find_if(signals.numbers.begin(), signals.numbers.end(), [](double value) {
    return !std::isfinite(value);
  });
  if (bad != signals.numbers.end()) {
    const std::int64_t width = (signals.matrix ? signals.cols : 1) * (signals.complex ? 2 : 1);
    throw bad_file(params.side,
                   "expected finite numbers, got {} in row {} (from 1)",
                   *bad,
                   (bad - signals.numbers.begin()) / width + 1);
  }
  return signals;
}

template <class Value>
Sides<Value> read_sides(Context& context, const TrisolveParams& params, std::int64_t rows) {
  const io::SignalArray<double> signals = read_signals(context, params, rows);
  const std::int64_t columns = signals.matrix ? signals.cols : 1;
  const double* const numbers = signals.numbers.data();
  Sides<Value> sides;
  if constexpr (sparse::is_complex<Value>) {
    sides.b = Matrix<Value>(rows, columns);
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      sides.b.data()[i] = signals.complex ? Value(numbers[2 * i], numbers[2 * i + 1]) : numbers[i];
    }
  } else {
    sides.complex = signals.complex;
    sides.b = Matrix<Value>(rows, columns * sides.parts());
    std::copy_n(numbers, signals.numbers.size(), sides.b.data());
  }
  return sides;
}

/// Of complex numbers real and imaginary parts in turn.
template <class Value>
Sides<Value> random_sides(const TrisolveParams& params, std::int64_t rows) {
  Sides<Value> sides{Matrix<Value>(rows, params.sides)};
  const Random random(params.seed);
  const auto number = [&](std::int64_t i) {
    return 2 * random.uniform(static_cast<std::uint64_t>(i)) - 1;
  };
  for (std::int64_t i = 0; i < rows * params.sides; ++i) {
    if constexpr (sparse::is_complex<Value>) {
      sides.b.data()[i] = Value(number(2 * i), number(2 * i + 1));
    } else {
      sides.b.data()[i] = number(i);
    }
  }
  return sides;
}

/// Bytes held at most: the matrix while it is read; or its copy, apart from the diagonal, its
/// analysis and, but for the serial method, a second copy in the order of solving, next to the
/// matrix, b and x. Copies that leave entries out or add some remember where each came from.
std::uint64_t system_bytes(const Context& context,
                           const io::MatrixMarketHead& head,
                           const sparse::TriangularParams& system,
                           std::int64_t sides) {
  const auto rows = static_cast<std::uint64_t>(head.rows);
  const auto entries = static_cast<std::uint64_t>(head.entries);
  const bool turned = system.operation != sparse::Operation::none;
  const bool chosen = system.sort_columns || system.ignore_other || system.unit_diagonal || turned;
  const bool ordered =
      context.backend() == Backend::cpu && system.method != sparse::SolveMethod::serial;
  const std::uint64_t value = head.field == io::MatrixMarketHead::Field::complex ? 16 : 8;
  const std::uint64_t entry = sizeof(std::int64_t) + value;
  std::uint64_t solving = entries * entry + 8 * rows;  // the matrix
  solving += entries * entry;                          // its copy
  // Level, class and place of each row and, while they are found, another place; keys, of which a
  // chain has as many as rows.
  solving += (17 + 8 + sizeof(sparse::LevelKey)) * rows;
  if (turned) solving += entries * entry + 8 * rows;   // the transpose
  if (chosen) solving += entries * entry + 8 * rows;   // where entries came from
  if (ordered) solving += entries * entry + 8 * rows;  // the copy in order
  // Sizes that a file or an option claims may be beyond any memory.
  const double of_sides =
      2.0 * static_cast<double>(value) * static_cast<double>(rows) * static_cast<double>(sides);
  solving += static_cast<std::uint64_t>(std::min(of_sides, 0x1p62));  // b and x
  return std::max(io::matrix_market_bytes(head), solving);
}

/// The automatic method may turn out to be serial, once the matrix is analysed: where memory holds
/// no copy in the order of solving, it is.
sparse::TriangularParams params_that_fit(const Context& context,
                                         const io::MatrixMarketHead& head,
                                         const TrisolveParams& params,
                                         std::int64_t sides) {
  sparse::TriangularParams system = params.system;
  const auto bytes = [&] { return system_bytes(context, head, system, sides); };
  if (context.backend() == Backend::cpu && system.method == sparse::SolveMethod::automatic &&
      bytes() > context.memory()) {
    system.method = sparse::SolveMethod::serial;
  }
  // How many levels there are, and entries of the other triangle, is known once it is analysed.
  check_memory(context, "trisolve: " + params.matrix, bytes(), {}, true);
  return system;
}

/// Right-hand sides before b is read: of a .npy all, of a text one.
std::int64_t sides_of(const TrisolveParams& params) {
  if (params.side.empty()) return params.sides;
  const io::SignalFile file(params.side);
  const std::optional<io::SignalFile::Shape> shape = file.shape();
  if (!shape) return 1;
  return (shape->matrix ? shape->cols : 1) * (shape->complex ? 2 : 1);
}

void check_holds_columns(const std::string& path, std::int64_t columns) {
  if (io::is_npy_name(path)) return;
  throw usage_error("-o {}: {} columns are written as .npy only; name it so", path, columns);
}

/// One side is a vector, of complex numbers in a text two numbers a line.
template <class Value>
void write(const std::string& path, const Sides<Value>& x) {
  AtomicFile file(path);
  const std::int64_t rows = x.b.rows(), columns = x.count();
  const auto* numbers = reinterpret_cast<const double*>(x.b.data());
  if (io::is_npy_name(path)) {
    const char* const type = x.complex ? "<c16" : "<f8";
    file.write(columns == 1 ? io::npy_preamble(type, rows) : io::npy_preamble(type, rows, columns));
    file.write(numbers, sizeof(Value) * static_cast<std::size_t>(rows * x.b.cols()));
  } else {
    std::string text;
    for (std::int64_t row = 0; row < rows; ++row) {
      io::append_number(text, *numbers++);
      if (x.complex) io::append_number(text += ' ', *numbers++);
      text += '\n';
      if (text.size() < (1 << 16) && row + 1 < rows) continue;
      file.write(text);
      text.clear();
    }
  }
  file.commit();
}

/// An infinity or NaN in the matrix would leave an error of inf without a reason.
template <class Value>
void check_finite(const std::string& path, const Csr<Value>& matrix) {
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (std::int64_t e = matrix.row_begin[row]; e < matrix.row_begin[row + 1]; ++e) {
      const Value value = matrix.values[e];
      if (sparse::is_finite(value)) continue;
      throw bad_file(path,
                     "expected finite values, got {} in row {}, column {} (from 1)",
                     std::isfinite(std::real(value)) ? std::imag(value) : std::real(value),
                     row + 1,
                     matrix.columns[e] + 1);
    }
  }
}

/// What is wrong with the system is the file's fault.
template <class Value>
System<Value> analysed(Context& context,
                       const std::string& path,
                       const Csr<Value>& matrix,
                       const sparse::TriangularParams& system) {
  try {
    return System<Value>(context, matrix.view(), system);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_input) throw;
    throw bad_file(path, error.what(), error.place());
  }
}

/// The triangle that is solved; of a symmetric matrix the upper one comes from the lower one.
template <class Value>
Csr<Value> read_matrix(Context& context, const TrisolveParams& params) {
  using Symmetry = io::MatrixMarketHead::Symmetry;
  io::MatrixMarketOf<Value> file = io::read_matrix_market<Value>(context, params.matrix);
  const Symmetry symmetry = file.head.symmetry;
  check_finite(params.matrix, file.matrix);
  if (symmetry == Symmetry::skew && !params.system.unit_diagonal) {
    throw bad_file(params.matrix,
                   "is skew-symmetric: its diagonal is zero; pass --unit-diagonal if 1 is meant");
  }
  if (symmetry == Symmetry::general || params.system.triangle == sparse::Triangle::lower) {
    return std::move(file.matrix);
  }
  Csr<Value> upper = sparse::transposed(file.matrix.view());
  for (Value& value : upper.values) value = io::across_diagonal(value, symmetry);
  return upper;
}

template <class Value>
TrisolveResult solve(Context& context,
                     const TrisolveParams& params,
                     const sparse::TriangularParams& chosen) {
  const Csr<Value> matrix = read_matrix<Value>(context, params);
  const Sides<Value> sides = params.side.empty() ? random_sides<Value>(params, matrix.rows)
                                                 : read_sides<Value>(context, params, matrix.rows);
  const Matrix<Value>& b = sides.b;
  if (sides.count() > 1 && !params.out.empty()) check_holds_columns(params.out, sides.count());
  check_column_name(params.out, sides.complex);
  TrisolveResult result;
  auto begin = std::chrono::steady_clock::now();
  const System<Value> system = analysed(context, params.matrix, matrix, chosen);
  result.analysis_seconds = seconds_since(begin);
  Sides<Value> solved{Matrix<Value>(b.rows(), b.cols()), sides.complex};
  Matrix<Value>& x = solved.b;
  begin = std::chrono::steady_clock::now();
  system.solve(context, b.view(), x.view());
  result.solve_seconds = seconds_since(begin);

  const auto& analysis = system.analysis();
  result.complex = sides.complex;
  result.rows = matrix.rows;
  result.entries = system.entries();
  result.levels = analysis.levels;
  result.warps = analysis.warps;
  result.keys = std::ssize(analysis.keys);
  for (const sparse::LevelKey& key : analysis.keys) {
    result.rows_of_class[static_cast<std::size_t>(key.row_class)] += key.rows;
  }
  result.method = system.method();
  result.sides = sides.count();
  result.backward_error =
      sparse::backward_error<Value, std::int64_t>(matrix.view(), chosen, b.view(), x.view());
  const sparse::NotFinite bad = sparse::note_not_finite<Value>(context, x.view(), sides.parts());
  result.not_finite = bad.count;
  result.first_not_finite_row = bad.first_row;
  if (!params.out.empty()) write(params.out, solved);
  return result;
}

/// Refuses fewer entries than rows, of many rows, before memory follows a number of the head.
void check_entries(const TrisolveParams& params, const io::MatrixMarketHead& head) {
  constexpr std::int64_t many = 1 << 20;
  if (params.system.unit_diagonal || head.rows <= many || head.entries >= head.rows) return;
  throw bad_file(params.matrix,
                 "announces {} for {} rows, so some have none on the diagonal; pass "
                 "unit_diagonal (--unit-diagonal) if 1 is meant",
                 counted(head.entries, "entry", "entries"),
                 head.rows);
}

}  // namespace

const char* name_of(sparse::SolveMethod method) {
  constexpr const char* names[] = {"auto", "serial", "level-set", "sync-free"};  // by SolveMethod
  return names[static_cast<std::size_t>(method)];
}

bool is_complex(Context& context, const std::string& matrix) {
  return io::read_matrix_market_head(context, matrix).field == io::MatrixMarketHead::Field::complex;
}

TrisolveResult trisolve(Context& context, const TrisolveParams& params) {
  if (context.backend() == Backend::reference &&
      params.system.method != sparse::SolveMethod::automatic &&
      params.system.method != sparse::SolveMethod::serial) {
    throw usage_error(
        "trisolve: --device reference solves row after row, whatever --method {} says; leave one "
        "of them out",
        name_of(params.system.method));
  }
  check_column_name(params.out);
  if (params.sides > 1 && !params.out.empty()) check_holds_columns(params.out, params.sides);
  const io::MatrixMarketHead head = io::read_matrix_market_head(context, params.matrix);
  check_entries(params, head);
  const sparse::TriangularParams chosen =
      params_that_fit(context, head, params, std::max<std::int64_t>(0, sides_of(params)));
  const bool complex = head.field == io::MatrixMarketHead::Field::complex;
  return complex ? solve<std::complex<double>>(context, params, chosen)
                 : solve<double>(context, params, chosen);
}

}  // namespace yupana::job
