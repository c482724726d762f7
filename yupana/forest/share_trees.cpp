#include "yupana/forest/share_trees.hpp"

#include <cstring>
#include <type_traits>
#include <utility>

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

constexpr std::uint8_t end_of_set = 2;

std::vector<std::uint8_t> packed(const std::vector<CategorySet>& sets) {
  std::vector<std::uint8_t> bytes;
  for (const CategorySet& set : sets) {
    bytes.insert(bytes.end(), set.begin(), set.end());
    bytes.push_back(end_of_set);
  }
  return bytes;
}

std::vector<CategorySet> unpacked(const std::vector<std::uint8_t>& bytes) {
  std::vector<CategorySet> sets;
  CategorySet set;
  for (const std::uint8_t byte : bytes) {
    if (byte != end_of_set) {
      set.push_back(byte != 0);
      continue;
    }
    sets.push_back(std::move(set));
    set.clear();
  }
  return sets;
}

}  // namespace

void share_trees(Comm& comm, std::vector<Tree>& trees) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  Bytes mine;
  for (auto t = static_cast<std::size_t>(comm.rank()); t < trees.size(); t += ranks) {
    put(trees[t].nodes, mine);
    put(std::vector<std::int32_t>{trees[t].outputs}, mine);
    put(trees[t].values, mine);
    put(packed(trees[t].sets), mine);
  }
  const std::vector<Bytes> received = comm.exchange(std::vector<Bytes>(ranks, mine));
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const std::byte* next = received[rank].data();
    std::vector<std::int32_t> outputs;
    std::vector<std::uint8_t> sets;
    for (std::size_t t = rank; t < trees.size(); t += ranks) {
      take(next, trees[t].nodes);
      take(next, outputs);
      trees[t].outputs = outputs.front();
      take(next, trees[t].values);
      take(next, sets);
      trees[t].sets = unpacked(sets);
    }
  }
}

}  // namespace yupana::forest
