#include <cmath>

#include "yupana/analysis/mds_backends.hpp"
#include "yupana/core/eigensystem.hpp"
#include "yupana/core/instantiate.hpp"

namespace yupana::analysis {
namespace dense {

template <class T>
Eigenpairs mds(MatrixView<const T> distances, Entries entries, std::int64_t axes) {
  const std::int64_t n = distances.rows;
  Eigen::MatrixXd b(n, n);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      const double d = static_cast<double>(distances(i, j));
      b(i, j) = -0.5 * (entries == Entries::squares ? d : d * d);
    }
  }
  b.colwise() -= b.rowwise().mean().eval();
  b.rowwise() -= b.colwise().mean().eval();
  const Eigensystem all = eigensystem("mds", b);
  return {all.values.tail(axes).reverse(), all.vectors.rightCols(axes).rowwise().reverse()};
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, mds)

}  // namespace dense

namespace reference {
namespace {

/// One row of the product: column j in strand j mod strands, then the strands pairwise.
template <class T>
double row_sum(const T* row, std::int64_t n, Entries entries, double shift, const double* x) {
  double parts[strands] = {};
  for (std::int64_t j = 0; j < n; ++j) {
    const double d = static_cast<double>(row[j]);
    const double entry = entries == Entries::squares ? d - shift : std::fma(d, d, -shift);
    parts[j % strands] = std::fma(entry, x[j], parts[j % strands]);
  }
  for (std::int64_t half = strands / 2; half > 0; half /= 2) {
    for (std::int64_t s = 0; s < half; ++s) parts[s] += parts[s + half];
  }
  return parts[0];
}

}  // namespace

template <class T>
ShiftedProduct product(MatrixView<const T> distances, Entries entries) {
  return [distances, entries](double shift, const double* x, double* sums) {
    for (std::int64_t i = 0; i < distances.rows; ++i) {
      sums[i] = row_sum(distances.row(i), distances.cols, entries, shift, x);
    }
  };
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, product)

}  // namespace reference
}  // namespace yupana::analysis
