#pragma once

#include <cstdint>
#include <vector>

#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/som/search_cuda.hpp"
#include "yupana/som/sums.hpp"
#include "yupana/som/train.hpp"

/// Private to the family; only files of the CUDA build include this.
namespace yupana::som::cuda {

/// A codebook, its sums and what else a run needs on the device that is current when it is
/// made. Calls that start work leave it to the stream.
class DeviceMap {
 public:
  DeviceMap(const Matrix<float>& codebook,
            const FixedPoint& fixed,
            const SomParams& params,
            cudaStream_t stream);
  static std::uint64_t bytes(std::int64_t neurons, std::int64_t features);

  std::int64_t neurons() const { return neurons_; }
  std::int64_t features() const { return features_; }
  DeviceCodebook codebook();
  DeviceSums sums(std::int64_t iteration);
  /// The batch rule, from the sums of all devices where gather() got them; the sums of the next
  /// iteration become zero.
  void smooth(std::int64_t iteration);
  /// Whether the rule is work enough to be shared by devices: each smooths a part of the neurons
  /// and takes the others' weights.
  bool is_large() const { return !products_.empty(); }
  /// Part i of `count`, of nearly equal size.
  NeuronRange part(std::int64_t i, std::int64_t count) const;
  void smooth(std::int64_t iteration, NeuronRange neurons);
  /// Weights that the map on device `from` has smoothed.
  void take_weights(
      const DeviceMap& other, int from, int here, std::int64_t iteration, NeuronRange neurons);
  /// To be called once, before gather().
  void expect_others();
  /// A map of another device.
  struct Peer {
    const DeviceMap* map;
    int device;
  };
  /// Adds up the sums of this map, on device `here`, which is current, and of all others. direct:
  /// kernels read the others' memory where it is; at most most_direct others. Integers: their order
  /// does not matter.
  void gather(const std::vector<Peer>& others, int here, bool direct, std::int64_t iteration);
  static constexpr std::size_t most_direct = 15;
  /// Waits.
  void copy_back(Matrix<float>& codebook);

 private:
  std::int64_t neurons_, features_;
  SomParams params_;
  cudaStream_t stream_;
  yupana::cuda::DeviceArray<float> weights_, center_;
  yupana::cuda::DeviceArray<double> scale_, tables_, values_, products_;
  yupana::cuda::DeviceArray<unsigned long long> sums_[2];  // K x d sums, then K counts
  yupana::cuda::DeviceArray<unsigned long long> totals_;   ///< of all devices, if several
  yupana::cuda::DeviceArray<unsigned long long> others_;   ///< another device's
};

}  // namespace yupana::som::cuda
