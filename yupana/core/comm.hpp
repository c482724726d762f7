#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace yupana {

/// A file that every rank writes into, each its own bytes.
class SharedFile {
 public:
  virtual ~SharedFile() = default;
  /// Safe from several threads. Returns what went wrong, in words; nothing if all went well.
  virtual std::string write_at(std::int64_t offset, const void* data, std::size_t bytes) = 0;
  /// Every rank calls it; the bytes of all are in the file when it returns. Returns as write_at.
  virtual std::string close() = 0;
};

/// Message r is for rank r, or came from it.
using Messages = std::vector<std::vector<std::byte>>;

/// Messages that travel while their ranks compute.
class Exchange {
 public:
  /// Without take(), which only a rank does that leaves the run, what was sent may not arrive.
  virtual ~Exchange() = default;
  /// Waits; returns what every rank sent here. Once.
  virtual Messages take() = 0;
};

/// The processes of one run, numbered from 0. All but send, receive and abort are called by every
/// rank, in the same order. Faults of the network end the run: they are not thrown.
class Comm {
 public:
  virtual ~Comm() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Ranks on this machine, and this rank's place among them.
  virtual int local_size() const = 0;
  virtual int local_rank() const = 0;

  virtual void barrier() = 0;
  virtual void broadcast(void* data, std::size_t bytes, int root) = 0;
  virtual void send(const void* data, std::size_t bytes, int to) = 0;
  virtual void receive(void* data, std::size_t bytes, int from) = 0;
  /// Message r of `messages` goes to rank r; returns what every rank sent here.
  virtual Messages exchange(Messages messages) = 0;
  /// The same during the caller's work: messages of `sizes[r]` bytes come from rank r. Until take()
  /// the rank calls nothing else of this Comm or of parts of it.
  virtual std::unique_ptr<Exchange> start_exchange(Messages messages,
                                                   const std::vector<std::size_t>& sizes) = 0;
  /// Replaces values by their sums over all ranks, modulo 2^64.
  virtual void sum(std::uint64_t* values, std::int64_t count) = 0;
  /// Sums of `values` over all ranks, of which rank r keeps counts[r] after those of the ranks
  /// before it. Modulo 2^32 or 2^64.
  virtual void sum_scatter(const std::uint32_t* values,
                           const std::vector<std::int64_t>& counts,
                           std::uint32_t* mine) = 0;
  virtual void sum_scatter(const std::uint64_t* values,
                           const std::vector<std::int64_t>& counts,
                           std::uint64_t* mine) = 0;
  /// The ranks that name the same part as this one, in the same order.
  virtual std::unique_ptr<Comm> split(int part) = 0;
  /// Opens a file, which exists, on every rank.
  virtual std::unique_ptr<SharedFile> open(const std::string& path) = 0;
  /// Ends every rank at once with this exit status.
  [[noreturn]] virtual void abort(int status) = 0;
};

/// The value of every rank, trivially copyable. Collective.
template <class T>
std::vector<T> all_gather(Comm& comm, const T& own) {
  std::vector<T> all(static_cast<std::size_t>(comm.size()), own);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    comm.broadcast(&all[rank], sizeof(T), static_cast<int>(rank));
  }
  return all;
}

/// Broadcast of a text, whose length the others do not know.
inline void broadcast(Comm& comm, std::string& text, int root) {
  std::uint64_t bytes = text.size();
  comm.broadcast(&bytes, sizeof(bytes), root);
  text.resize(bytes);
  if (bytes > 0) comm.broadcast(text.data(), bytes, root);
}

}  // namespace yupana
