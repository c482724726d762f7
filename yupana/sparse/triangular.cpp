#include "yupana/sparse/triangular.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "yupana/core/cuda/device.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/sparse/arithmetic.hpp"
#include "yupana/sparse/triangular_backends.hpp"

namespace yupana::sparse {
namespace {

template <class Value>
inline constexpr bool on_gpu = yupana::cuda::built && !is_complex<Value>;

template <class Value>
void check_device(const Context& context) {
  if (context.backend() != Backend::cuda || !is_complex<Value>) return;
  throw usage_error(
      "trisolve: expected real values for a GPU, got complex ones; give --device cpu");
}

}  // namespace

template <class Value, class Index>
LevelAnalysis<Index> analyse(Context& context,
                             CsrView<Value, Index> matrix,
                             const TriangularParams& params) {
  check_device<Value>(context);
  const Split<Value, Index> parts = split(context, matrix, params);
  if (context.backend() == Backend::reference) return reference::analyse(parts);
  if constexpr (on_gpu<Value>) {
    if (context.backend() == Backend::cuda) return cuda::resident(context, parts)->analysis();
  }
  return cpu::analyse(context, parts);
}

template <class Value, class Index>
struct TriangularSystem<Value, Index>::State {
  Split<Value, Index> matrix;
  LevelAnalysis<Index> analysis;
  SolveMethod method = SolveMethod::serial;
  Backend backend = Backend::cpu;
  std::optional<cpu::Schedule<Value, Index>> schedule;
  std::unique_ptr<cuda::Resident<Value, Index>> resident;  ///< null: the CPU solves

  void analyse(Context& context) {
    backend = context.backend();
    if (backend == Backend::reference) {
      analysis = reference::analyse(matrix);
    } else if (backend == Backend::cpu) {
      analysis = cpu::analyse(context, matrix);
    } else if constexpr (on_gpu<Value>) {
      resident = cuda::resident(context, matrix);
      analysis = resident->analysis();
    }
  }

  void choose(SolveMethod requested) {
    method = requested;
    if (requested == SolveMethod::automatic) {
      const std::int64_t wide = backend == Backend::cuda ? serial_below_on_gpu : serial_below;
      const bool narrow = matrix.rows < wide * analysis.levels;
      method = narrow ? SolveMethod::serial : SolveMethod::sync_free;
    }
    if (backend == Backend::reference) method = SolveMethod::serial;  // it has no other
    if (method == SolveMethod::serial) resident.reset();
    if (resident) resident->prepare(method);
  }
};

template <class Value, class Index>
TriangularSystem<Value, Index>::TriangularSystem(Context& context,
                                                 CsrView<Value, Index> matrix,
                                                 const TriangularParams& params)
    : state_(std::make_unique<State>()) {
  check_device<Value>(context);
  const Stage stage(context, "analysis");
  state_->matrix = split(context, matrix, params);
  state_->analyse(context);
  state_->choose(params.method);
  if (state_->backend == Backend::cpu && state_->method != SolveMethod::serial) {
    state_->schedule = state_->method == SolveMethod::level_set
                           ? cpu::schedule_levels(context, state_->matrix, state_->analysis)
                           : cpu::schedule_pieces(context, state_->matrix, state_->analysis);
  }
}

template <class Value, class Index>
TriangularSystem<Value, Index>::~TriangularSystem() = default;
template <class Value, class Index>
TriangularSystem<Value, Index>::TriangularSystem(TriangularSystem&&) noexcept = default;
template <class Value, class Index>
TriangularSystem<Value, Index>& TriangularSystem<Value, Index>::operator=(
    TriangularSystem&&) noexcept = default;

template <class Value, class Index>
std::int64_t TriangularSystem<Value, Index>::rows() const {
  return state_->matrix.rows;
}

template <class Value, class Index>
std::int64_t TriangularSystem<Value, Index>::entries() const {
  return rows() + state_->matrix.columns.size();
}

template <class Value, class Index>
const LevelAnalysis<Index>& TriangularSystem<Value, Index>::analysis() const {
  return state_->analysis;
}

template <class Value, class Index>
SolveMethod TriangularSystem<Value, Index>::method() const {
  return state_->method;
}

template <class Value, class Index>
void TriangularSystem<Value, Index>::update_values(Context& context, const Value* values) {
  split_values(context, values, state_->matrix);
  if (state_->schedule) cpu::schedule_values(context, state_->matrix, *state_->schedule);
  if (state_->resident) state_->resident->update_values(state_->matrix);
}

template <class Value, class Index>
void TriangularSystem<Value, Index>::solve(Context& context,
                                           MatrixView<const Value> b,
                                           MatrixView<Value> x) const {
  const State& state = *state_;
  if (b.rows != rows() || x.rows != rows() || b.cols != x.cols) {
    throw usage_error(
        "trisolve: expected b and x of {} and as many columns, got {} x {} and {} x {}",
        counted(rows(), "row"),
        b.rows,
        b.cols,
        x.rows,
        x.cols);
  }
  if (rows() == 0 || b.cols == 0) return;
  const Stage stage(context, "solve");
  if (state.backend == Backend::reference) return reference::solve(state.matrix, b, x);
  if (state.method == SolveMethod::serial) return cpu::solve_serial(context, state.matrix, b, x);
  if (state.resident) return state.resident->solve(b.data, b.stride, x.data, x.stride, b.cols);
  if (state.method == SolveMethod::level_set) {
    return cpu::solve_levels(context, *state.schedule, b, x);
  }
  cpu::solve_pieces(context, *state.schedule, b, x);
}

template <class Value, class Index>
void TriangularSystem<Value, Index>::solve(
    Context& context, int device, const Value* b, Value* x, std::int64_t sides) const {
  if (rows() == 0 || sides == 0) return;
  if (state_->resident && state_->resident->device() == device) {
    const Stage stage(context, "solve");
    return state_->resident->solve(b, x, sides);
  }
  throw usage_error(
      "trisolve: expected a system made for GPU {}, where the right-hand sides are; give --device "
      "cuda:{} and the method sync_free or level_set",
      device,
      device);
}

template <class Value, class Index>
double backward_error(CsrView<Value, Index> matrix,
                      const TriangularParams& params,
                      MatrixView<const Value> b,
                      MatrixView<const Value> x) {
  if (params.operation != Operation::none) {
    CsrMatrix<Value, Index> turned = transposed(matrix);
    if (params.operation == Operation::conjugate_transpose) {
      for (Value& value : turned.values) value = conjugate(value);
    }
    TriangularParams plain = params;
    plain.operation = Operation::none;
    plain.triangle = other(params.triangle);
    return backward_error(turned.view(), plain, b, x);
  }
  using Wide = std::conditional_t<is_complex<Value>, std::complex<long double>, long double>;
  const bool lower = params.triangle == Triangle::lower;
  double worst = 0;
  for (std::int64_t column = 0; column < b.cols; ++column) {
    for (std::int64_t i = 0; i < matrix.rows; ++i) {
      Wide rest = b(i, column);
      long double size = std::abs(rest);
      const auto take = [&](Wide value, std::int64_t j) {
        const Wide part = product(value, Wide(x(j, column)));
        rest -= part;
        size += std::abs(part);
      };
      for (std::int64_t e = matrix.row_begin[i]; e < matrix.row_begin[i + 1]; ++e) {
        const std::int64_t j = matrix.columns[e];
        if (j == i && params.unit_diagonal) continue;
        if (lower ? j <= i : j >= i) take(matrix.values[e], j);
      }
      if (params.unit_diagonal) take(1, i);
      // Beyond the range of long double too, or NaN: no bound holds for this row.
      if (!std::isfinite(size)) return std::numeric_limits<double>::infinity();
      if (size != 0) worst = std::max(worst, static_cast<double>(std::abs(rest) / size));
    }
  }
  return worst;
}

YUPANA_CLASSES(YUPANA_SPARSE, TriangularSystem)
YUPANA_CLASSES(YUPANA_SPARSE_COMPLEX, TriangularSystem)
YUPANA_FUNCTIONS(YUPANA_SPARSE, analyse, backward_error)
YUPANA_FUNCTIONS(YUPANA_SPARSE_COMPLEX, analyse, backward_error)

}  // namespace yupana::sparse
