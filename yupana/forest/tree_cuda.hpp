#pragma once

#include <cstdint>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/core/table.hpp"
#include "yupana/forest/forest.hpp"
#include "yupana/forest/problem.hpp"
#include "yupana/forest/tree.hpp"

/// Private to the family.
namespace yupana::forest::cuda {

/// Which rows each tree sees: those of trees first_tree and on of a forest.
struct ForestSamples {
  Sampling sampling = Sampling::all;
  std::uint64_t seed = 0;  ///< of the draws of rows
  std::int64_t first_tree = 0;
  std::int64_t all_trees = 1;
  std::int64_t trees = 1;
  std::int64_t rows = 0;  ///< that each tree of a bootstrap draws; 0: as many as there are
  std::vector<std::uint64_t> seeds;  ///< of each tree's draws of features

  /// One tree of all rows, which needs no other list than the table's own.
  bool grow_one_of_all() const { return trees == 1 && sampling == Sampling::all; }
};

/// Grows trees on the devices of `context`, on each as many at once as fit there.
///   resident: the table's values in the first device's memory, column after column without gaps;
///   null: they are copied there
template <class T>
std::vector<Tree> fit_trees(Context& context,
                            TableView<T> table,
                            const T* resident,
                            const Problem& problem,
                            const TreeParams& params,
                            const ForestSamples& draws);

/// resident: as of fit_trees()
template <class T>
Tree fit_tree(Context& context,
              TableView<T> table,
              const T* resident,
              const Problem& problem,
              const TreeParams& params);

/// fit_forest and fit_tree on a table that the first device holds too, column after column without
/// gaps.
template <class T>
std::vector<Tree> fit_resident_forest(Context& context,
                                      TableView<T> table,
                                      const T* resident,
                                      const Target& target,
                                      const ForestParams& params);
template <class T>
Tree fit_resident_tree(Context& context,
                       TableView<T> table,
                       const T* resident,
                       const Target& target,
                       const TreeParams& params);

template <class T>
Matrix<double> predict_shares(Context& context, const Model& model, TableView<T> table);

/// predict_shares of a table in the memory of `device`, column after column without gaps, into
/// memory there: rows x outputs, see predict_shares. Done when it returns.
template <class T>
void predict_resident_shares(const Model& model, int device, TableView<T> table, double* shares);

/// apply of such a table: rows x trees.
template <class T>
void apply_to_resident(const Model& model, int device, TableView<T> table, std::int32_t* leaves);

/// Median seconds of the kernel of predict_shares alone, on a table copied before.
double seconds_of_shares(const Model& model, TableView<float> table, int repeats);

template <class T>
Matrix<std::int32_t> apply(Context& context, const Model& model, TableView<T> table);

}  // namespace yupana::forest::cuda
