#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "yupana/core/cuda/launch.hpp"

namespace yupana::cuda {
namespace {

constexpr int max_devices = 64;
/// Static and dynamic shared memory of a block that need no opt-in.
constexpr std::size_t shared_without_opt_in = std::size_t{48} << 10;
/// What a multiprocessor sets aside for each block (CUDA programming guide, compute capability 8.x
/// and later).
constexpr std::size_t reserved_shared = 1 << 10;
/// First architecture with griddepcontrol, the instruction of wait_for_predecessor().
constexpr int first_overlapping = 90;

int current_device() {
  int device = 0;
  check(cudaGetDevice(&device), "query the current device");
  return device;
}

/// Properties of one kernel's code on one device, and the limit that was set on it.
struct KernelFacts {
  int max_threads = 0;
  int compiled_for = 0;  ///< architecture of the PTX that the code comes from
  std::size_t static_shared = 0;
  std::size_t dynamic_limit = 0;
  std::map<std::pair<int, std::size_t>, int> resident_blocks;  ///< by threads and shared bytes
};

/// Facts of the process's code and devices, the same for every Context: not state.
struct KernelTable {
  std::mutex mutex;
  std::map<std::pair<const void*, int>, KernelFacts> kernels;

  /// The caller holds the mutex.
  KernelFacts& of(const void* kernel) {
    const auto [at, is_new] = kernels.try_emplace({kernel, current_device()});
    if (is_new) {
      cudaFuncAttributes attributes{};
      check(cudaFuncGetAttributes(&attributes, kernel), "query a kernel");
      at->second.max_threads = attributes.maxThreadsPerBlock;
      at->second.compiled_for = attributes.ptxVersion;
      at->second.static_shared = attributes.sharedSizeBytes;
      at->second.dynamic_limit =
          shared_without_opt_in - std::min(shared_without_opt_in, attributes.sharedSizeBytes);
    }
    return at->second;
  }
};
KernelTable& table() {
  static KernelTable& one = *new KernelTable;  // leaked: used until the process ends
  return one;
}

/// errors: device if a block's static and dynamic shared memory exceed what the device grants
void raise_shared_limit(KernelFacts& facts, const void* kernel, std::size_t bytes) {
  const std::size_t all = facts.static_shared + bytes;
  const auto granted = static_cast<std::size_t>(device_facts().max_shared_bytes);
  if (all > granted) {
    throw Error(
        ErrorCode::device,
        fmt::format("expected at most {} bytes of shared memory in a block on this GPU, got "
                    "{}; use --device cpu",
                    granted,
                    all));
  }
  if (bytes <= facts.dynamic_limit) return;
  check(cudaFuncSetAttribute(
            kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
        "raise a kernel's shared memory");
  facts.dynamic_limit = bytes;
}

/// See limit_device_facts_for_test().
std::array<std::atomic<int>, 4>& limits_for_test() {
  static std::array<std::atomic<int>, 4> limits{};
  return limits;
}

/// The members in the order of limits_for_test().
std::array<int DeviceFacts::*, 4> members() {
  return {&DeviceFacts::multiprocessors,
          &DeviceFacts::max_shared_bytes,
          &DeviceFacts::multiprocessor_shared_bytes,
          &DeviceFacts::multiprocessor_threads};
}

DeviceFacts limited(DeviceFacts facts) {
  for (std::size_t i = 0; i < members().size(); ++i) {
    const int limit = limits_for_test()[i].load(std::memory_order_relaxed);
    int& fact = facts.*members()[i];
    if (limit > 0) fact = std::min(fact, limit);
  }
  return facts;
}

}  // namespace

LaunchShape::LaunchShape(std::int64_t blocks_, int threads_, std::int64_t shared_bytes_)
    : LaunchShape(dim3(static_cast<unsigned>(blocks_)),
                  dim3(static_cast<unsigned>(threads_)),
                  shared_bytes_) {
  if (blocks_ <= std::numeric_limits<std::int32_t>::max()) return;
  throw Error(ErrorCode::out_of_resources,
              fmt::format("expected at most 2^31 - 1 blocks in a launch, got {}; use --device cpu",
                          blocks_));
}

void limit_device_facts_for_test(const DeviceFacts& limits) {
  for (std::size_t i = 0; i < members().size(); ++i) limits_for_test()[i] = limits.*members()[i];
}

DeviceFacts device_facts() {
  static std::array<DeviceFacts, max_devices> facts;
  static std::array<std::once_flag, max_devices> read;
  const int device = current_device();
  if (device >= max_devices) {
    throw Error(ErrorCode::device,
                fmt::format("cuda:{}: at most {} GPUs per process are supported; hide the others "
                            "with CUDA_VISIBLE_DEVICES",
                            device,
                            max_devices));
  }
  const auto index = static_cast<std::size_t>(device);
  std::call_once(read[index], [&] {
    const auto query = [&](int& value, cudaDeviceAttr what) {
      check(cudaDeviceGetAttribute(&value, what, device), "query the device");
    };
    query(facts[index].multiprocessors, cudaDevAttrMultiProcessorCount);
    query(facts[index].max_shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin);
    query(facts[index].multiprocessor_shared_bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor);
    query(facts[index].multiprocessor_threads, cudaDevAttrMaxThreadsPerMultiProcessor);
  });
  return limited(facts[index]);
}

namespace detail {

bool is_compiled(const void* kernel, int threads, std::size_t shared_bytes) {
  const auto available = static_cast<std::size_t>(device_facts().max_shared_bytes);
  const std::lock_guard lock(table().mutex);
  const KernelFacts& facts = table().of(kernel);
  return facts.max_threads >= threads && facts.static_shared + shared_bytes <= available;
}

int architecture_of(const void* kernel) {
  const std::lock_guard lock(table().mutex);
  return table().of(kernel).compiled_for;
}

int resident_blocks(const void* kernel, int threads, std::size_t shared_bytes) {
  const std::lock_guard lock(table().mutex);
  KernelFacts& facts = table().of(kernel);
  raise_shared_limit(facts, kernel, shared_bytes);
  const auto [at, is_new] = facts.resident_blocks.try_emplace({threads, shared_bytes});
  if (is_new) {
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&at->second, kernel, threads, shared_bytes),
          "query a kernel's occupancy");
  }
  // Below the driver's answer only where a test has lowered the facts.
  const DeviceFacts device = device_facts();
  const std::size_t of_block = facts.static_shared + shared_bytes + reserved_shared;
  const auto by_memory = static_cast<std::size_t>(device.multiprocessor_shared_bytes) / of_block;
  return std::min(
      {at->second, static_cast<int>(by_memory), device.multiprocessor_threads / threads});
}

void launch(const char* doing,
            const void* kernel,
            const LaunchShape& shape,
            cudaStream_t stream,
            Order order,
            void** arguments) {
  bool overlaps = false;
  if (order == Order::overlapping || shape.shared_bytes > 0) {
    const std::lock_guard lock(table().mutex);
    KernelFacts& facts = table().of(kernel);
    raise_shared_limit(facts, kernel, shape.shared_bytes);
    overlaps = order == Order::overlapping && facts.compiled_for >= first_overlapping;
  }
  std::array<cudaLaunchAttribute, 3> attributes{};
  cudaLaunchConfig_t config{};
  config.gridDim = shape.blocks;
  config.blockDim = shape.threads;
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = stream;
  config.attrs = attributes.data();
  if (overlaps) {
    cudaLaunchAttribute& attribute = attributes[config.numAttrs++];
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
  }
  if (order == Order::cooperative) {
    cudaLaunchAttribute& attribute = attributes[config.numAttrs++];
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
  }
  if (shape.cluster > 1) {
    cudaLaunchAttribute& attribute = attributes[config.numAttrs++];
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = shape.cluster;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
  }
  check(cudaLaunchKernelExC(&config, kernel, arguments), doing);
}

}  // namespace detail
}  // namespace yupana::cuda
