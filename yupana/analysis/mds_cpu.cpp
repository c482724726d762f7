#include <Spectra/SymEigsSolver.h>

#include <algorithm>

#include "yupana/analysis/mds_backends.hpp"
#include "yupana/core/array.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::analysis::cpu {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The operator Spectra sees: B * n / trace + offset * I, less the eigenpairs already found.
/// In this scale the mean eigenvalue of B is 1. The solver stops when a residual is below
/// tolerance * |its eigenvalue|, so that the offset turns this test, which a zero eigenvalue (of
/// duplicates) could never pass, into one relative to lambda + offset * mean.
/// J (D o D) J = J (D o D - c 11') J: with c the mean of D o D the sums stay small, and so does
/// their rounding, where the individuals differ by little.
template <class T>
class CenteredOperator {
 public:
  using Scalar = double;

  CenteredOperator(Context& context,
                   MatrixView<const T> distances,
                   bool squared,
                   double mean_square,
                   double offset)
      : context_(context),
        distances_(distances),
        squared_(squared),
        mean_square_(mean_square),
        offset_(offset),
        centered_(Array<double>::zeros(round_up(distances.rows, 16))) {}

  Index rows() const { return distances_.rows; }
  Index cols() const { return distances_.rows; }
  double mean_eigenvalue() const { return mean_square_ / 2; }
  double offset() const { return offset_; }

  /// Takes eigenpairs of this operator out: their eigenvalue becomes 0.
  void deflate(const VectorXd& values, const MatrixXd& vectors) {
    found_values_ = values;
    found_vectors_ = vectors;
  }

  void perform_op(const double* x_in, double* y_out) const {
    context_.check_cancelled();
    const Index n = rows();
    const Eigen::Map<const VectorXd> x(x_in, n);
    Eigen::Map<VectorXd> y(y_out, n);
    Eigen::Map<VectorXd>(centered_.data(), n) = x.array() - x.mean();
    // Thirty-two rows of 2000 take 5 us, far above the cost of handing them to a thread.
    context_.parallel_for(n, 32, [&](std::int64_t begin, std::int64_t end) {
      shifted_product(distances_, squared_, mean_square_, centered_.data(), begin, end, y_out);
    });
    y = (y.array() - y.mean()) * (-0.5 / mean_eigenvalue()) + offset_ * x.array();
    if (found_values_.size() > 0) {
      const VectorXd along = found_vectors_.transpose() * x;
      y.noalias() -= found_vectors_ * found_values_.cwiseProduct(along);
    }
  }

 private:
  Context& context_;
  MatrixView<const T> distances_;
  bool squared_;
  double mean_square_;
  double offset_;
  VectorXd found_values_;
  MatrixXd found_vectors_;
  mutable Array<double> centered_;
};

/// Largest eigenpairs of the operator; fewer than wanted if the iteration does not converge.
template <class T>
Eigenpairs largest(CenteredOperator<T>& op,
                   std::int64_t wanted,
                   std::int64_t basis,
                   double tolerance) {
  Spectra::SymEigsSolver<CenteredOperator<T>> solver(op, wanted, std::min(basis, op.rows()));
  solver.init();
  solver.compute(Spectra::SortRule::LargestAlge, 300, tolerance);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

/// Puts one pair at its place in a descending list and drops the last.
void insert(Eigenpairs& pairs, double value, const VectorXd& vector) {
  Index at = pairs.values.size() - 1;
  for (; at > 0 && pairs.values[at - 1] < value; --at) {
    pairs.values[at] = pairs.values[at - 1];
    pairs.vectors.col(at) = pairs.vectors.col(at - 1);
  }
  pairs.values[at] = value;
  pairs.vectors.col(at) = vector;
}

/// A Krylov space holds one vector of each eigenspace, so a multiple eigenvalue (equidistant groups
/// of duplicates, individuals on a ring) may have been found fewer times than it occurs. What is
/// left of the operator is asked for its largest eigenvalue, roughly at first: a missed copy lies
/// above the smallest that was found. Costs about a fifth of the whole where nothing was missed.
template <class T>
void add_missed_copies(CenteredOperator<T>& op, Eigenpairs& pairs) {
  constexpr double rough = 1e-3, fine = 1e-10;
  for (Index tried = 0; tried < pairs.values.size(); ++tried) {
    op.deflate(pairs.values, pairs.vectors);
    const double smallest = pairs.values[pairs.values.size() - 1] * (1 + 1e-8);
    const Eigenpairs hint = largest(op, 1, 30, rough);
    if (hint.values.size() == 0 || hint.values[0] <= smallest) return;
    const Eigenpairs missed = largest(op, 1, 60, fine);
    if (missed.values.size() == 0 || missed.values[0] <= smallest) return;
    insert(pairs, missed.values[0], missed.vectors.col(0));
  }
}

}  // namespace

template <class T>
Eigenpairs mds(Context& context,
               MatrixView<const T> distances,
               bool squared,
               double mean_square,
               std::int64_t wanted) {
  // A basis of three times the pairs wanted needs the fewest products (measured at 10 of 2000:
  // 273 with 20 vectors, 182 with 30, 190 with 40 and 187 with 100). A second try with another
  // offset serves the accident of an eigenvalue at minus the first.
  for (const std::int64_t attempt : {1, 3}) {
    CenteredOperator<T> op(context, distances, squared, mean_square, static_cast<double>(attempt));
    const std::int64_t basis = attempt * std::max<std::int64_t>(3 * wanted, 30);
    Eigenpairs pairs = largest(op, wanted, basis, 1e-10);
    if (pairs.values.size() < wanted) continue;
    add_missed_copies(op, pairs);
    pairs.values = (pairs.values.array() - op.offset()) * op.mean_eigenvalue();
    return pairs;
  }
  throw Error(ErrorCode::bad_input,
              fmt::format("mds: {} eigenvalues of this matrix do not converge; ask for fewer "
                          "dimensions",
                          wanted));
}

template Eigenpairs mds(Context&, MatrixView<const std::int32_t>, bool, double, std::int64_t);
template Eigenpairs mds(Context&, MatrixView<const float>, bool, double, std::int64_t);
template Eigenpairs mds(Context&, MatrixView<const double>, bool, double, std::int64_t);

}  // namespace yupana::analysis::cpu
