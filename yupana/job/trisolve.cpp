#include "yupana/job/trisolve.hpp"

#include <chrono>

#include "yupana/core/atomic_file.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/random.hpp"
#include "yupana/io/column.hpp"
#include "yupana/io/matrix_market.hpp"
#include "yupana/io/npy_layout.hpp"

namespace yupana::job {
namespace {

using System = sparse::TriangularSystem<double, std::int64_t>;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Matrix<double> read_side(const TrisolveParams& params, std::int64_t rows) {
  io::ColumnReader reader(params.side, {'f', 8});
  if (reader.type().kind != 'f' && reader.type().width > 4) {
    throw bad_file(
        params.side,
        fmt::format("holds {}, which a double may not; save it as f8", reader.type().name()));
  }
  Matrix<double> b(rows, 1);
  const std::int64_t got = rows > 0 ? reader.read_as(b.data(), rows) : 0;
  double more = 0;
  if (got != rows || reader.read_as(&more, 1) != 0) {
    throw bad_file(
        params.side,
        got == rows ? fmt::format("holds more than {} numbers, one for each row", rows)
                    : fmt::format("holds {} numbers; {} were wanted, one for each row", got, rows));
  }
  return b;
}

Matrix<double> random_sides(const TrisolveParams& params, std::int64_t rows) {
  if (params.sides < 1) {
    throw Error(ErrorCode::usage,
                fmt::format("trisolve: {} right-hand sides; at least 1 was wanted", params.sides));
  }
  Matrix<double> b(rows, params.sides);
  const Random random(params.seed);
  for (std::int64_t i = 0; i < rows * params.sides; ++i) {
    b.data()[i] = 2 * random.uniform(static_cast<std::uint64_t>(i)) - 1;
  }
  return b;
}

void write(const std::string& path, const Matrix<double>& x) {
  AtomicFile file(path);
  if (x.cols() == 1) {
    io::ColumnWriter writer(file, {'f', 8});
    writer.write(x.data(), x.rows());
    writer.finish();
  } else {
    if (!path.ends_with(".npy")) {
      throw Error(ErrorCode::usage,
                  fmt::format("-o {}: {} columns are written as .npy only", path, x.cols()));
    }
    file.write(io::npy_preamble("<f8", x.rows(), x.cols()));
    file.write(x.data(), sizeof(double) * static_cast<std::size_t>(x.rows() * x.cols()));
  }
  file.commit();
}

/// What is wrong with the system is the file's fault.
System analysed(Context& context, const io::MatrixMarket& file, const TrisolveParams& params) {
  try {
    return System(context, file.matrix.view(), params.system);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_input) throw;
    throw bad_file(params.matrix, error.what(), error.place());
  }
}

}  // namespace

const char* name_of(sparse::SolveMethod method) {
  switch (method) {
    case sparse::SolveMethod::serial:
      return "serial";
    case sparse::SolveMethod::level_set:
      return "level-set";
    case sparse::SolveMethod::sync_free:
      return "sync-free";
    default:
      return "auto";
  }
}

TrisolveResult trisolve(Context& context, const TrisolveParams& params) {
  using Symmetry = io::MatrixMarketHead::Symmetry;
  const io::MatrixMarket file = io::read_matrix_market(context, params.matrix);
  if (file.head.symmetry == Symmetry::skew) {
    throw bad_file(params.matrix, "is skew-symmetric: its diagonal is zero, no system to solve");
  }
  if (file.head.symmetry == Symmetry::symmetric &&
      params.system.triangle == sparse::Triangle::upper) {
    throw bad_file(params.matrix,
                   "is symmetric and stands for its lower triangle; leave out --upper");
  }
  const Matrix<double> b = params.side.empty() ? random_sides(params, file.matrix.rows)
                                               : read_side(params, file.matrix.rows);
  TrisolveResult result;
  auto begin = std::chrono::steady_clock::now();
  const System system = analysed(context, file, params);
  result.analysis_seconds = seconds_since(begin);
  Matrix<double> x(b.rows(), b.cols());
  begin = std::chrono::steady_clock::now();
  system.solve(context, b.view(), x.view());
  result.solve_seconds = seconds_since(begin);

  const auto& analysis = system.analysis();
  result.rows = file.matrix.rows;
  result.entries = file.head.entries;
  result.levels = analysis.levels;
  result.warps = analysis.warps;
  result.keys = std::ssize(analysis.keys);
  for (const sparse::LevelKey& key : analysis.keys) {
    result.rows_of_class[static_cast<std::size_t>(key.row_class)] += key.rows;
  }
  result.method = system.method();
  result.sides = b.cols();
  result.backward_error = sparse::backward_error<double, std::int64_t>(
      file.matrix.view(), params.system, b.view(), x.view());
  if (!params.out.empty()) write(params.out, x);
  return result;
}

}  // namespace yupana::job
