#pragma once

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/som/nearest.hpp"
#include "yupana/som/sums.hpp"

/// Private to the family.
namespace yupana::som {

using Samples = MatrixView<const float>;

namespace reference {

NearestNeurons nearest_neurons(Context& context, Samples samples, Samples codebook);
NeuronSums sum_by_neuron(Context& context,
                         Samples samples,
                         Samples codebook,
                         const FixedPoint& fixed);

}  // namespace reference

namespace cpu {

NearestNeurons nearest_neurons(Context& context, Samples samples, Samples codebook);

/// Samples that are searched again and again: their norms are kept, unless they take more than half
/// of the context's memory.
class Searcher {
 public:
  Searcher(Context& context, Samples samples);
  /// Sums of the samples of every neuron of `codebook`.
  NeuronSums sum_by_neuron(Samples codebook, const FixedPoint& fixed, Stage& stage);

 private:
  Context& context_;
  Samples samples_;
  Array<float> norms_;
};

}  // namespace cpu
}  // namespace yupana::som
