#include "yupana/analysis/neighbor_joining.hpp"

#include "yupana/analysis/neighbor_joining_backends.hpp"
#include "yupana/analysis/unreachable.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"

namespace yupana::analysis {
namespace {

template <class T>
Phylogeny join_all(Context& context, MatrixView<const T> distances, Joining method) {
  if (context.backend() == Backend::reference) {
    return reference::neighbor_joining(distances, method);
  }
#ifdef YUPANA_CUDA
  if (context.backend() == Backend::cuda && distances.rows >= gpu_leaves) {
    if (cuda::neighbor_joining_fits(context, distances.rows, method)) {
      return cuda::neighbor_joining(
          context, distances.data, distances.rows, distances.stride, method);
    }
    context.note("neighbour joining: the matrix does not fit the GPU; it runs on the CPU");
  }
#endif
  return cpu::neighbor_joining(context, distances, method);
}

}  // namespace

template <class T>
Phylogeny neighbor_joining(Context& context, MatrixView<const T> distances, Joining method) {
  check_distances(context, distances, "neighbour joining", Unreachable::refused);
  const std::int64_t n = distances.rows;
  Phylogeny tree = leaves_alone(n);
  if (n < 2) return tree;
  if (n == 2) {
    const double half = static_cast<double>(distances(1, 0)) / 2;
    const std::int64_t root = tree.add_node();
    for (const std::int64_t leaf : {0, 1}) tree.attach(leaf, root, half);
    return tree;
  }
  return join_all(context, distances, method);
}

void check_sums(std::int64_t n, double largest) {
  constexpr double limit = 1e300;
  if (largest * static_cast<double>(n) < limit) return;
  throw input_error(
      "neighbour joining: expected distances below {:g}, so that their sums are numbers, got {:g}; "
      "scale the distances",
      limit / static_cast<double>(n),
      largest);
}

std::uint64_t neighbor_joining_bytes(std::int64_t n, Joining method) {
  const auto points = static_cast<std::uint64_t>(n);
  const std::uint64_t triangles = method == Joining::bionj ? 2 : 1;
  return points * points / 2 * sizeof(double) * triangles + points * 100;
}

bool is_linkage(TreeMethod method) {
  return method != TreeMethod::nj && method != TreeMethod::bionj;
}

Linkage linkage_of(TreeMethod method) {
  if (method == TreeMethod::single) return Linkage::single;
  return method == TreeMethod::complete ? Linkage::complete : Linkage::average;
}

template <class T>
Phylogeny phylogeny(Context& context, MatrixView<const T> distances, TreeMethod method) {
  if (is_linkage(method)) {
    return distances.rows == 0 ? Phylogeny{}
                               : phylogeny_of(linkage(context, distances, linkage_of(method)));
  }
  const Joining joining = method == TreeMethod::bionj ? Joining::bionj : Joining::nj;
  return neighbor_joining(context, distances, joining);
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, neighbor_joining, phylogeny)

}  // namespace yupana::analysis
