// The library libyupana_mpi.so: the only code that knows MPI. Counts of MPI calls are ints, so
// everything larger goes in pieces.
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "yupana/core/comm.hpp"

namespace yupana::cluster {
namespace {

constexpr std::int64_t piece_bytes = std::int64_t{1} << 30;

/// body(offset, length) over [0, bytes) in pieces that an int counts.
template <class Body>
void in_pieces(std::size_t bytes, const Body& body) {
  const auto total = static_cast<std::int64_t>(bytes);
  for (std::int64_t at = 0; at < total; at += piece_bytes) {
    body(at, static_cast<int>(std::min(piece_bytes, total - at)));
  }
}

class MpiFile : public SharedFile {
 public:
  MpiFile(MPI_Comm comm, const std::string& path, std::mutex& one_at_a_time)
      : lock_(one_at_a_time) {
    const int rc = MPI_File_open(comm, path.c_str(), MPI_MODE_WRONLY, MPI_INFO_NULL, &file_);
    if (rc != MPI_SUCCESS) {  // the first rank made it: this one does not see the same file system
      std::fprintf(stderr, "yupana: %s: cannot open: %s\n", path.c_str(), words(rc).c_str());
      MPI_Abort(MPI_COMM_WORLD, 3);
    }
    MPI_File_set_errhandler(file_, MPI_ERRORS_RETURN);
  }
  std::string write_at(std::int64_t offset, const void* data, std::size_t bytes) override {
    const std::lock_guard hold(lock_);
    std::string fault;
    in_pieces(bytes, [&](std::int64_t at, int length) {
      if (!fault.empty()) return;
      MPI_Status status;
      const int rc = MPI_File_write_at(
          file_, offset + at, static_cast<const char*>(data) + at, length, MPI_BYTE, &status);
      int written = 0;
      if (rc == MPI_SUCCESS) MPI_Get_count(&status, MPI_BYTE, &written);
      if (rc != MPI_SUCCESS) fault = words(rc);
      if (rc == MPI_SUCCESS && written != length) fault = "no space left";
    });
    return fault;
  }
  std::string close() override { return words(MPI_File_close(&file_)); }

 private:
  static std::string words(int rc) {
    if (rc == MPI_SUCCESS) return {};
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(rc, text, &length);
    return {text, static_cast<std::size_t>(length)};
  }

  MPI_File file_{};
  std::mutex& lock_;
};

/// Messages of one exchange, with the requests that bring and send them.
struct Travelling {
  Messages sent, received;
  std::vector<MPI_Request> requests;

  /// `room`: memory for what comes.
  Travelling(MPI_Comm comm,
             int rank,
             Messages messages,
             const std::vector<std::size_t>& sizes,
             Messages room)
      : sent(std::move(messages)), received(std::move(room)) {
    received.resize(sent.size());
    constexpr int tag = 1;
    for (std::size_t r = 0; r < sent.size(); ++r) {
      const int other = static_cast<int>(r);
      if (other == rank) {
        received[r] = std::move(sent[r]);
        continue;
      }
      received[r].resize(sizes[r]);
      in_pieces(sizes[r], [&](std::int64_t at, int length) {
        MPI_Request& request = requests.emplace_back();
        MPI_Irecv(received[r].data() + at, length, MPI_BYTE, other, tag, comm, &request);
      });
      in_pieces(sent[r].size(), [&](std::int64_t at, int length) {
        MPI_Request& request = requests.emplace_back();
        MPI_Isend(sent[r].data() + at, length, MPI_BYTE, other, tag, comm, &request);
      });
    }
  }
  bool test() {
    int done = 0;
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
    return done != 0;
  }
  Messages wait() {
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    return std::move(received);
  }
};

/// MPI moves messages only while somebody calls it: a thread does, now and then, until the owner
/// waits himself.
class MpiExchange : public Exchange {
 public:
  /// `spare` takes the memory of what was sent, for the next exchange.
  MpiExchange(std::unique_ptr<Travelling> messages, Messages& spare)
      : messages_(std::move(messages)), spare_(spare), thread_([this] {
          // A look takes a few us; what 50 us bring at 10 GB/s, MPI's own buffers hold.
          constexpr auto pause = std::chrono::microseconds(50);
          while (!stop_.load() && !messages_->test()) std::this_thread::sleep_for(pause);
        }) {}
  ~MpiExchange() override {
    if (!thread_.joinable()) return;
    settle();
    // Nobody waited, so the run ends; until then MPI may read and write there.
    static_cast<void>(messages_.release());
  }
  Messages take() override {
    settle();
    Messages received = messages_->wait();
    spare_ = std::move(messages_->sent);
    return received;
  }

 private:
  void settle() {
    stop_ = true;
    thread_.join();
  }

  std::unique_ptr<Travelling> messages_;
  Messages& spare_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

class MpiComm : public Comm {
 public:
  explicit MpiComm(MPI_Comm comm) : comm_(comm) {
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
    MPI_Comm here;
    MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &here);
    MPI_Comm_rank(here, &local_rank_);
    MPI_Comm_size(here, &local_size_);
    MPI_Comm_free(&here);
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int local_size() const override { return local_size_; }
  int local_rank() const override { return local_rank_; }
  void barrier() override { MPI_Barrier(comm_); }

  void broadcast(void* data, std::size_t bytes, int root) override {
    in_pieces(bytes, [&](std::int64_t at, int length) {
      MPI_Bcast(static_cast<char*>(data) + at, length, MPI_BYTE, root, comm_);
    });
  }
  void send(const void* data, std::size_t bytes, int to) override {
    in_pieces(bytes, [&](std::int64_t at, int length) {
      MPI_Send(static_cast<const char*>(data) + at, length, MPI_BYTE, to, 0, comm_);
    });
  }
  void receive(void* data, std::size_t bytes, int from) override {
    in_pieces(bytes, [&](std::int64_t at, int length) {
      MPI_Recv(static_cast<char*>(data) + at, length, MPI_BYTE, from, 0, comm_, MPI_STATUS_IGNORE);
    });
  }

  Messages exchange(Messages messages) override {
    const auto ranks = static_cast<std::size_t>(size_);
    std::vector<std::uint64_t> sizes(ranks), theirs(ranks);
    for (std::size_t r = 0; r < ranks; ++r) sizes[r] = messages[r].size();
    MPI_Alltoall(sizes.data(), 1, MPI_UINT64_T, theirs.data(), 1, MPI_UINT64_T, comm_);
    return Travelling(comm_, rank_, std::move(messages), {theirs.begin(), theirs.end()}, {}).wait();
  }
  std::unique_ptr<Exchange> start_exchange(Messages messages,
                                           const std::vector<std::size_t>& sizes) override {
    return std::make_unique<MpiExchange>(
        std::make_unique<Travelling>(comm_, rank_, std::move(messages), sizes, std::move(spare_)),
        spare_);
  }

  void sum(std::uint64_t* values, std::int64_t count) override {
    for (std::int64_t at = 0; at < count; at += most_values) {
      const int length = static_cast<int>(std::min(most_values, count - at));
      MPI_Allreduce(MPI_IN_PLACE, values + at, length, MPI_UINT64_T, MPI_SUM, comm_);
    }
  }
  void sum_scatter(const std::uint32_t* values,
                   const std::vector<std::int64_t>& counts,
                   std::uint32_t* mine) override {
    scatter_sums(values, counts, mine, MPI_UINT32_T);
  }
  void sum_scatter(const std::uint64_t* values,
                   const std::vector<std::int64_t>& counts,
                   std::uint64_t* mine) override {
    scatter_sums(values, counts, mine, MPI_UINT64_T);
  }

  std::unique_ptr<SharedFile> open(const std::string& path) override {
    return std::make_unique<MpiFile>(comm_, path, file_lock_);
  }
  std::unique_ptr<Comm> split(int part) override {
    // Not freed before the end: freeing is for all ranks at once, and a fault leaves one alone.
    MPI_Comm some;
    MPI_Comm_split(comm_, part, rank_, &some);
    return std::make_unique<MpiComm>(some);
  }

  [[noreturn]] void abort(int status) override {
    MPI_Abort(MPI_COMM_WORLD, status);
    std::abort();
  }

 private:
  static constexpr std::int64_t most_values = std::int64_t{1} << 24;

  // In rounds: some cells of every rank's share, side by side, so that each round is one call.
  template <class T>
  void scatter_sums(const T* values,
                    const std::vector<std::int64_t>& counts,
                    T* mine,
                    MPI_Datatype type) const {
    const std::int64_t longest = *std::max_element(counts.begin(), counts.end());
    const std::int64_t step = std::max<std::int64_t>(1, most_values / size_);
    std::vector<T> round;
    std::vector<int> lengths(counts.size());
    for (std::int64_t at = 0; at < longest; at += step) {
      round.clear();
      const T* share = values;
      for (std::size_t r = 0; r < counts.size(); share += counts[r++]) {
        const std::int64_t length = std::clamp<std::int64_t>(counts[r] - at, 0, step);
        lengths[r] = static_cast<int>(length);
        if (length > 0) round.insert(round.end(), share + at, share + at + length);
      }
      MPI_Reduce_scatter(round.data(), mine + at, lengths.data(), type, MPI_SUM, comm_);
    }
  }

  MPI_Comm comm_;
  int rank_ = 0, size_ = 1, local_rank_ = 0, local_size_ = 1;
  std::mutex file_lock_;
  Messages spare_;  ///< memory of the last exchange's messages
};

/// All processes of the run.
class MpiWorld : public MpiComm {
 public:
  MpiWorld() : MpiComm(started()) {}
  ~MpiWorld() override { MPI_Finalize(); }

 private:
  static MPI_Comm started() {
    int provided = 0;
    // Threads of a run write into shared files, one at a time.
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    if (provided < MPI_THREAD_SERIALIZED) {
      std::fprintf(stderr, "yupana: this MPI was built without threads\n");
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return MPI_COMM_WORLD;
  }
};

}  // namespace
}  // namespace yupana::cluster

extern "C" {
yupana::Comm* yupana_mpi_join() { return new yupana::cluster::MpiWorld; }
void yupana_mpi_leave(yupana::Comm* comm) { delete comm; }
}
