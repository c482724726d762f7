// Pair counts on the context's GPUs.
#include <algorithm>
#include <memory>
#include <vector>

#include "yupana/genotype/pair_counts_backends.hpp"
#include "yupana/genotype/pair_sums.hpp"

namespace yupana::genotype::cuda {
namespace {

using yupana::cuda::DeviceScope;

class OnDevices : public DeviceCounts {
 public:
  OnDevices(Context& context, std::int64_t samples, Range rows, bool hethet) : context_(context) {
    for (const int device : context.devices()) {
      const DeviceScope scope(device);
      sums_.push_back(std::make_unique<PairSums>(
          device, PairSumsParams{samples, rows, hethet, context.gpu_memory()}));
    }
    yupana::cuda::connect(context.devices());
  }

  void add(const PlaneBlock& block) override {
    next().add(block);
    context_.count_moved(static_cast<std::uint64_t>(block.samples * block.stride));
  }
  void add(const CallBlock& block) override {
    // A device's blocks are gathered until they fill its buffer, so that it works on long ones.
    PairSums& sums = *sums_[turn_];
    sums.add(block);
    if (sums.sent()) next();
    context_.count_moved(static_cast<std::uint64_t>(block.codes.sites * block.codes.stride));
  }
  std::int64_t room() const override {
    // The sums of all devices meet in 32 bits, so that what each holds counts for all.
    std::int64_t held = 0;
    for (const auto& sums : sums_) held += PairSums::most_sites - sums->room();
    return PairSums::most_sites - held;
  }
  bool any_missing() const override {
    return std::any_of(sums_.begin(), sums_.end(), [](const auto& s) { return s->any_missing(); });
  }
  void collect(PairCounts& counts) override {
    join();
    sums_.front()->move_to(context_, counts);
  }
  DeviceDistances squared_distances() override {
    join();
    DeviceDistances distances = sums_.front()->squared_distances();
    std::visit(
        [&](const auto& host) {
          context_.count_moved(static_cast<std::uint64_t>(host.size() * host.size()) *
                               sizeof(*host.data()));
        },
        distances.on_host);
    return distances;
  }

 private:
  /// All sums on the first device.
  void join() {
    for (std::size_t i = 1; i < sums_.size(); ++i) sums_.front()->take_from(*sums_[i]);
  }
  PairSums& next() {
    PairSums& sums = *sums_[turn_];
    turn_ = (turn_ + 1) % sums_.size();
    return sums;
  }

  Context& context_;
  std::vector<std::unique_ptr<PairSums>> sums_;
  std::size_t turn_ = 0;
};

}  // namespace

std::shared_ptr<DeviceCounts> device_counts(Context& context,
                                            std::int64_t samples,
                                            Range rows,
                                            bool hethet) {
  return std::make_shared<OnDevices>(context, samples, rows, hethet);
}

std::uint64_t device_bytes(
    const Context& context, std::int64_t samples, Range rows, bool with_missing, bool hethet) {
  return PairSums::bytes(rows, with_missing, hethet) +
         PairSums::block_bytes(samples, context.gpu_memory());
}

}  // namespace yupana::genotype::cuda
