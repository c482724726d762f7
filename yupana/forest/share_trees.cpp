#include "yupana/forest/share_trees.hpp"

#include <cstring>
#include <type_traits>

namespace yupana::forest {
namespace {

using Bytes = std::vector<std::byte>;

template <class T>
void put(const std::vector<T>& values, Bytes& to) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::uint64_t count = values.size();
  const auto* const head = reinterpret_cast<const std::byte*>(&count);
  to.insert(to.end(), head, head + sizeof(count));
  const auto* const body = reinterpret_cast<const std::byte*>(values.data());
  to.insert(to.end(), body, body + count * sizeof(T));
}

template <class T>
void take(const std::byte*& from, std::vector<T>& values) {
  std::uint64_t count = 0;
  std::memcpy(&count, from, sizeof(count));
  from += sizeof(count);
  values.resize(count);
  if (count > 0) std::memcpy(values.data(), from, count * sizeof(T));
  from += count * sizeof(T);
}

}  // namespace

void share_trees(Comm& comm, std::vector<Tree>& trees) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  Bytes mine;
  for (auto t = static_cast<std::size_t>(comm.rank()); t < trees.size(); t += ranks) {
    put(trees[t].nodes, mine);
    put(std::vector<std::int32_t>{trees[t].outputs}, mine);
    put(trees[t].values, mine);
  }
  const std::vector<Bytes> received = comm.exchange(std::vector<Bytes>(ranks, mine));
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const std::byte* next = received[rank].data();
    std::vector<std::int32_t> outputs;
    for (std::size_t t = rank; t < trees.size(); t += ranks) {
      take(next, trees[t].nodes);
      take(next, outputs);
      trees[t].outputs = outputs.front();
      take(next, trees[t].values);
    }
  }
}

}  // namespace yupana::forest
