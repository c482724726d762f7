#include <algorithm>

#include "yupana/analysis/mds_backends.hpp"
#include "yupana/core/array.hpp"
#include "yupana/core/eigensystem.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/random.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::analysis::cpu {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// J (M - shift 11') J * factor, J = I - 1/n 11' where `centered` and else I, of the matrix M whose
/// product is given; divided by its mean eigenvalue.
struct OperatorForm {
  bool centered;
  double shift;
  double factor;
  double mean_eigenvalue;
};

class SymmetricOperator {
 public:
  SymmetricOperator(Context& context,
                    const ShiftedProduct& product,
                    std::int64_t n,
                    const OperatorForm& form)
      : context_(context),
        product_(product),
        form_(form),
        vector_(Array<double>::zeros(round_up(n, strands))),
        sums_(n) {}

  Context& context() const { return context_; }
  Index size() const { return sums_.size(); }
  double mean_eigenvalue() const { return form_.mean_eigenvalue; }

  const VectorXd& times(const Eigen::Ref<const VectorXd>& x) {
    context_.check_cancelled();
    const double factor = form_.factor / form_.mean_eigenvalue;
    Eigen::Map<VectorXd>(vector_.data(), size()) = x.array() - (form_.centered ? x.mean() : 0.0);
    product_(form_.shift, vector_.data(), sums_.data());
    sums_ = (sums_.array() - (form_.centered ? sums_.mean() : 0.0)) * factor;
    return sums_;
  }

 private:
  Context& context_;
  const ShiftedProduct& product_;
  OperatorForm form_;
  Array<double> vector_;
  VectorXd sums_;
};

// From so many rows on, sums with the basis are shared out: 4096 x 30 doubles take 0.2 ms.
constexpr Index parallel_rows = 4096;

/// An orthonormal basis V of at most m vectors, V' A V, and the vector that A would lead to next.
class KrylovSpace {
 public:
  KrylovSpace(SymmetricOperator& a, Index m)
      : a_(a), basis_(a.size(), m + 1), projected_(MatrixXd::Zero(m, m)) {
    add_random_vector(0);
  }

  /// Grows the basis from `size_` vectors to m. A is symmetric: only the last two vectors have a
  /// share in A v but for rounding, and for the vectors a restart kept, which the first step meets.
  void grow() {
    const Index m = projected_.cols();
    for (Index j = size_; j < m; ++j) {
      VectorXd w = a_.times(basis_.col(j));
      VectorXd shares = VectorXd::Zero(j + 1);
      const double length = w.norm();
      for (Index i = j > size_ ? j - 1 : j; i <= j; ++i) {
        const double share = basis_.col(i).dot(w);
        shares[i] += share;
        w -= share * basis_.col(i);
      }
      shares += orthogonalize(w, j + 1);
      projected_.col(j).head(j + 1) = shares;
      projected_.row(j).head(j + 1) = shares.transpose();
      beta_ = w.norm();
      // What is left of an exhausted space is rounding: continue in a random direction.
      if (beta_ <= 1e-13 * std::max(length, 1.0)) {
        beta_ = 0;
        add_random_vector(j + 1);
      } else {
        basis_.col(j + 1) = w / beta_;
      }
    }
    ritz_ = eigensystem("mds", projected_);
    size_ = m;
  }

  /// The k-th largest eigenvalue of the projection, and the residual |A v - value v| of its vector.
  double value(Index k) const { return ritz_.values[size_ - 1 - k]; }
  double residual(Index k) const {
    return beta_ * std::abs(ritz_.vectors(size_ - 1, size_ - 1 - k));
  }
  MatrixXd vectors(Index axes) const {
    return basis_.leftCols(size_) * ritz_.vectors.rightCols(axes).rowwise().reverse();
  }

  /// Keeps the vectors of the `kept` largest values, to grow again from where the space had led or
  /// from a random vector.
  void restart(Index kept, bool from_random) {
    const MatrixXd best = vectors(kept);
    const VectorXd next = basis_.col(size_);
    basis_.leftCols(kept) = best;
    basis_.col(kept) = next;
    projected_.setZero();
    for (Index k = 0; k < kept; ++k) projected_(k, k) = value(k);
    size_ = kept;
    if (from_random) add_random_vector(kept);
  }

 private:
  /// Takes the first `count` basis vectors out of w, again where the first time left little of it
  /// (Daniel, Gragg, Kaufman, Stewart 1976); returns what it took.
  VectorXd orthogonalize(VectorXd& w, Index count) const {
    VectorXd taken = VectorXd::Zero(count);
    double before = 0;
    for (int round = 0; round < 3; ++round) {
      before = w.norm();
      const VectorXd shares = shares_of(count, w);
      take_out(count, shares, w);
      taken += shares;
      if (w.norm() > 0.7 * before) break;
    }
    return taken;
  }

  // Eigen's products with a part of the columns, or of the rows, add up each number of the result
  // as the whole product does, except that it takes one column or row alone for an inner product:
  // pieces have two at least.
  VectorXd shares_of(Index count, const VectorXd& w) const {
    if (a_.size() < parallel_rows) return basis_.leftCols(count).transpose() * w;
    VectorXd shares(count);
    const Index pieces = std::max<Index>(count / 2, 1);
    a_.context().parallel_for(pieces, 1, [&](std::int64_t begin, std::int64_t end) {
      const Index first = 2 * begin;
      const Index columns = (end == pieces ? count : 2 * end) - first;
      shares.segment(first, columns) = basis_.middleCols(first, columns).transpose() * w;
    });
    return shares;
  }

  void take_out(Index count, const VectorXd& shares, VectorXd& w) const {
    const Index grain = a_.size() < parallel_rows ? a_.size() : parallel_rows / 2;
    a_.context().parallel_for(a_.size(), grain, [&](std::int64_t begin, std::int64_t end) {
      w.segment(begin, end - begin).noalias() -=
          basis_.block(begin, 0, end - begin, count) * shares;
    });
  }

  void add_random_vector(Index at) {
    const Random random(0, draws_++);
    VectorXd w(a_.size());
    for (Index i = 0; i < w.size(); ++i) w[i] = random.uniform(static_cast<std::uint64_t>(i)) - 0.5;
    orthogonalize(w, at);
    basis_.col(at) = w.normalized();
  }

  SymmetricOperator& a_;
  MatrixXd basis_;      // the last column is where the space leads
  MatrixXd projected_;  // V' A V
  double beta_ = 0;     // length of the part of A v outside of the space
  Index size_ = 0;
  std::uint64_t draws_ = 0;
  Eigensystem ritz_;
};

constexpr double tolerance = 1e-10;  // of a residual, relative to its eigenvalue + the mean one

Index converged(const KrylovSpace& space, Index axes) {
  Index count = 0;
  while (count < axes && space.residual(count) <= tolerance * (std::abs(space.value(count)) + 1)) {
    ++count;
  }
  return count;
}

/// Restarts until the first pairs have converged (thick-restart Lanczos: Wu, Simon 2000). Returns
/// how many did: fewer where the next eigenvalues are too close together, as those about zero are
/// of distances that a space of few dimensions nearly holds.
Index iterate(KrylovSpace& space, Index axes, Index m) {
  // Ten cycles find ten pairs of 2000 individuals of five populations (214 products in all); what
  // the size of the basis and the vectors kept change is less than a tenth of it.
  for (int cycle = 0; cycle < 100; ++cycle) {
    const Index done = converged(space, axes);
    if (done == axes) return axes;
    space.restart(axes + std::min(done, (m - axes) / 2), false);
    space.grow();
  }
  const Index done = converged(space, axes);
  if (done > 0) return done;
  throw input_error("the eigenvalues of this matrix do not converge");
}

Eigenpairs largest(SymmetricOperator& a, std::int64_t axes) {
  const Index m = std::max<Index>(3 * axes, 30);
  KrylovSpace space(a, m);
  space.grow();
  // One Krylov space holds one vector of each eigenspace, so a multiple eigenvalue (duplicates,
  // symmetric designs) may have been found fewer times than it occurs. A space grown from the
  // vectors found and a random one shows a missed copy, above the smallest that was found, at once.
  for (;;) {
    axes = iterate(space, axes, m);
    const double smallest = space.value(axes - 1);
    Eigenpairs pairs{VectorXd(axes), space.vectors(axes)};
    for (Index k = 0; k < axes; ++k) pairs.values[k] = space.value(k) * a.mean_eigenvalue();
    space.restart(axes, true);
    space.grow();
    if (space.value(axes - 1) <= smallest + 1e-8 * (std::abs(smallest) + 1)) return pairs;
  }
}

}  // namespace

Eigenpairs mds(Context& context,
               const ShiftedProduct& product,
               std::int64_t n,
               double mean_square,
               std::int64_t axes) {
  // J (D o D) J = J (D o D - c 11') J: with c the mean of D o D the sums stay small, and so does
  // their rounding, where the individuals differ by little.
  SymmetricOperator a(context, product, n, {true, mean_square, -0.5, mean_square / 2});
  return largest(a, axes);
}

Eigenpairs pca(Context& context,
               const ShiftedProduct& product,
               std::int64_t n,
               double mean_eigenvalue,
               std::int64_t axes) {
  SymmetricOperator a(context, product, n, {false, 0, 1, mean_eigenvalue});
  return largest(a, axes);
}

}  // namespace yupana::analysis::cpu
