#include "yupana/job/trisolve.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "yupana/core/atomic_file.hpp"
#include "yupana/core/counted.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/random.hpp"
#include "yupana/io/column.hpp"
#include "yupana/io/matrix_market.hpp"
#include "yupana/io/npy_layout.hpp"
#include "yupana/io/signal_file.hpp"
#include "yupana/job/run_files.hpp"
#include "yupana/sparse/not_finite.hpp"

namespace yupana::job {
namespace {

using System = sparse::TriangularSystem<double, std::int64_t>;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Matrix<double> read_side(Context& context, const TrisolveParams& params, std::int64_t rows) {
  const io::SignalFile file(params.side);
  const io::SignalArray<double> signals = file.read<double>(context);
  if (signals.complex) {
    throw bad_file(params.side, "expected real numbers, got two a line or complex ones");
  }
  const std::int64_t got = signals.matrix ? signals.rows : signals.cols;
  if (got != rows || (signals.matrix && signals.cols == 0)) {
    throw bad_file(params.side,
                   "expected {}, one for each of the matrix, got {} of {}",
                   counted(rows, "row"),
                   counted(got, "row"),
                   signals.matrix ? signals.cols : 1);
  }
  const auto bad = std::find_if(signals.numbers.begin(), signals.numbers.end(), [](double value) {
    return !std::isfinite(value);
  });
  if (bad != signals.numbers.end()) {
    throw bad_file(params.side,
                   "expected finite numbers, got {} in row {} (from 1)",
                   *bad,
                   (bad - signals.numbers.begin()) / (signals.matrix ? signals.cols : 1) + 1);
  }
  Matrix<double> b(rows, signals.matrix ? signals.cols : 1);
  std::copy(signals.numbers.begin(), signals.numbers.end(), b.data());
  return b;
}

Matrix<double> random_sides(const TrisolveParams& params, std::int64_t rows) {
  Matrix<double> b(rows, params.sides);
  const Random random(params.seed);
  for (std::int64_t i = 0; i < rows * params.sides; ++i) {
    b.data()[i] = 2 * random.uniform(static_cast<std::uint64_t>(i)) - 1;
  }
  return b;
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
  const bool chosen = system.sort_columns || system.ignore_other || system.unit_diagonal;
  const bool ordered =
      context.backend() == Backend::cpu && system.method != sparse::SolveMethod::serial;
  constexpr std::uint64_t entry = sizeof(std::int64_t) + sizeof(double);
  std::uint64_t solving = entries * entry + 8 * rows;  // the matrix
  solving += entries * entry;                          // its copy
  // Level, class and place of each row and, while they are found, another place; keys, of which a
  // chain has as many as rows.
  solving += (17 + 8 + sizeof(sparse::LevelKey)) * rows;
  if (chosen) solving += entries * entry + 8 * rows;   // where entries came from
  if (ordered) solving += entries * entry + 8 * rows;  // the copy in order
  // Sizes that a file or an option claims may be beyond any memory.
  const double of_sides = 2.0 * 8 * static_cast<double>(rows) * static_cast<double>(sides);
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
  check_memory(context, "trisolve: " + params.matrix, bytes());
  return system;
}

/// Right-hand sides before b is read: of a .npy all, of a text one.
std::int64_t sides_of(const TrisolveParams& params) {
  if (params.side.empty()) return params.sides;
  const io::SignalFile file(params.side);
  const std::optional<io::SignalFile::Shape> shape = file.shape();
  return shape && shape->matrix ? shape->cols : 1;
}

void check_holds_columns(const std::string& path, std::int64_t columns) {
  if (io::is_npy_name(path)) return;
  throw usage_error("-o {}: {} columns are written as .npy only; name it so", path, columns);
}

void write(const std::string& path, const Matrix<double>& x) {
  AtomicFile file(path);
  if (x.cols() == 1) {
    io::ColumnWriter writer(file, {'f', 8});
    writer.write(x.data(), x.rows());
    writer.finish();
  } else {
    file.write(io::npy_preamble("<f8", x.rows(), x.cols()));
    file.write(x.data(), sizeof(double) * static_cast<std::size_t>(x.rows() * x.cols()));
  }
  file.commit();
}

/// An infinity or NaN in the matrix would leave an error of inf without a reason.
void check_finite(const std::string& path, const sparse::CsrMatrix<double, std::int64_t>& matrix) {
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (std::int64_t e = matrix.row_begin[row]; e < matrix.row_begin[row + 1]; ++e) {
      if (std::isfinite(matrix.values[e])) continue;
      throw bad_file(path,
                     "expected finite values, got {} in row {}, column {} (from 1)",
                     matrix.values[e],
                     row + 1,
                     matrix.columns[e] + 1);
    }
  }
}

/// What is wrong with the system is the file's fault.
System analysed(Context& context,
                const sparse::CsrMatrix<double, std::int64_t>& matrix,
                const TrisolveParams& params,
                const sparse::TriangularParams& system) {
  try {
    return System(context, matrix.view(), system);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_input) throw;
    throw bad_file(
        params.matrix + (params.transpose ? " (its transpose)" : ""), error.what(), error.place());
  }
}

}  // namespace

const char* name_of(sparse::SolveMethod method) {
  constexpr const char* names[] = {"auto", "serial", "level-set", "sync-free"};  // by SolveMethod
  return names[static_cast<std::size_t>(method)];
}

TrisolveResult trisolve(Context& context, const TrisolveParams& params) {
  using Symmetry = io::MatrixMarketHead::Symmetry;
  if (context.backend() == Backend::reference &&
      params.system.method != sparse::SolveMethod::automatic) {
    throw usage_error(
        "trisolve: --device reference solves row after row, whatever --method {} says; leave one "
        "of them out",
        name_of(params.system.method));
  }
  check_not_compressed(params.out);
  if (params.sides > 1 && !params.out.empty()) check_holds_columns(params.out, params.sides);
  const io::MatrixMarketHead head = io::read_matrix_market_head(context, params.matrix);
  sparse::TriangularParams chosen =
      params_that_fit(context, head, params, std::max<std::int64_t>(0, sides_of(params)));
  io::MatrixMarket file = io::read_matrix_market(context, params.matrix);
  check_finite(params.matrix, file.matrix);
  if (file.head.symmetry == Symmetry::skew && !params.system.unit_diagonal) {
    throw bad_file(params.matrix,
                   "is skew-symmetric: its diagonal is zero; pass --unit-diagonal if 1 is meant");
  }
  if (file.head.symmetry != Symmetry::general &&
      params.system.triangle == sparse::Triangle::upper) {
    throw bad_file(
        params.matrix,
        "is symmetric or skew-symmetric, which gives its lower triangle; leave out --upper");
  }
  if (params.transpose) {
    using sparse::Triangle;
    file.matrix = sparse::transposed(file.matrix.view());
    chosen.triangle = chosen.triangle == Triangle::lower ? Triangle::upper : Triangle::lower;
  }
  const Matrix<double> b = params.side.empty() ? random_sides(params, file.matrix.rows)
                                               : read_side(context, params, file.matrix.rows);
  if (b.cols() > 1 && !params.out.empty()) check_holds_columns(params.out, b.cols());
  TrisolveResult result;
  auto begin = std::chrono::steady_clock::now();
  const System system = analysed(context, file.matrix, params, chosen);
  result.analysis_seconds = seconds_since(begin);
  Matrix<double> x(b.rows(), b.cols());
  begin = std::chrono::steady_clock::now();
  system.solve(context, b.view(), x.view());
  result.solve_seconds = seconds_since(begin);

  const auto& analysis = system.analysis();
  result.rows = file.matrix.rows;
  result.entries = system.entries();
  result.levels = analysis.levels;
  result.warps = analysis.warps;
  result.keys = std::ssize(analysis.keys);
  for (const sparse::LevelKey& key : analysis.keys) {
    result.rows_of_class[static_cast<std::size_t>(key.row_class)] += key.rows;
  }
  result.method = system.method();
  result.sides = b.cols();
  result.backward_error =
      sparse::backward_error<double, std::int64_t>(file.matrix.view(), chosen, b.view(), x.view());
  const sparse::NotFinite bad = sparse::note_not_finite<double>(context, x.view());
  result.not_finite = bad.count;
  result.first_not_finite_row = bad.first_row;
  if (!params.out.empty()) write(params.out, x);
  return result;
}

}  // namespace yupana::job
