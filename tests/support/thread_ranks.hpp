#pragma once

#include <algorithm>
#include <barrier>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "yupana/core/comm.hpp"

namespace yupana {

/// Ranks that are threads of one process: what a test of the algorithms of several ranks needs.
class ThreadRanks {
 public:
  explicit ThreadRanks(int size) : size_(size), together_(size), slots_(size) {}

  /// body(comm) on every rank; throws what the first of them threw.
  void run(const std::function<void(Comm&)>& body) {
    std::vector<std::thread> threads;
    std::vector<std::exception_ptr> faults(static_cast<std::size_t>(size_));
    for (int rank = 0; rank < size_; ++rank) {
      threads.emplace_back([&, rank] {
        Rank comm(*this, rank);
        try {
          body(comm);
        } catch (...) {
          faults[static_cast<std::size_t>(rank)] = std::current_exception();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& fault : faults) {
      if (fault) std::rethrow_exception(fault);
    }
  }

 private:
  class Rank : public Comm {
   public:
    Rank(ThreadRanks& all, int rank) : all_(all), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return all_.size_; }
    int local_size() const override { return all_.size_; }
    int local_rank() const override { return rank_; }
    void barrier() override { all_.together_.arrive_and_wait(); }

    void broadcast(void* data, std::size_t bytes, int root) override {
      show(data);
      if (rank_ != root && bytes > 0) std::memcpy(data, shown(root), bytes);
      barrier();
    }
    void send(const void* data, std::size_t bytes, int to) override {
      Pipe& pipe = all_.pipe(rank_, to);
      const auto* from = static_cast<const std::byte*>(data);
      const std::lock_guard hold(pipe.lock);
      pipe.bytes.insert(pipe.bytes.end(), from, from + bytes);
      pipe.filled.notify_one();
    }
    void receive(void* data, std::size_t bytes, int from) override {
      Pipe& pipe = all_.pipe(from, rank_);
      std::unique_lock hold(pipe.lock);
      pipe.filled.wait(hold, [&] { return pipe.bytes.size() >= bytes; });
      std::copy_n(pipe.bytes.begin(), bytes, static_cast<std::byte*>(data));
      pipe.bytes.erase(pipe.bytes.begin(), pipe.bytes.begin() + static_cast<std::ptrdiff_t>(bytes));
    }
    Messages exchange(Messages messages) override {
      show(&messages);
      Messages received;
      for (int from = 0; from < all_.size_; ++from) {
        const auto& theirs = *static_cast<const Messages*>(shown(from));
        received.push_back(theirs[static_cast<std::size_t>(rank_)]);
      }
      barrier();
      return received;
    }
    /// Late in all: the messages are what they were at the start, and come when they are taken.
    std::unique_ptr<Exchange> start_exchange(Messages messages,
                                             const std::vector<std::size_t>& sizes) override {
      return std::make_unique<Late>(*this, std::move(messages), sizes);
    }
    void sum(std::uint64_t* values, std::int64_t count) override {
      const std::vector<std::uint64_t> mine(values, values + count);
      show(mine.data());
      std::fill_n(values, count, 0);
      for (int from = 0; from < all_.size_; ++from) {
        const auto* const theirs = static_cast<const std::uint64_t*>(shown(from));
        for (std::int64_t i = 0; i < count; ++i) values[i] += theirs[i];
      }
      barrier();
    }
    void sum_scatter(const std::uint32_t* values,
                     const std::vector<std::int64_t>& counts,
                     std::uint32_t* mine) override {
      scatter_sums(values, counts, mine);
    }
    void sum_scatter(const std::uint64_t* values,
                     const std::vector<std::int64_t>& counts,
                     std::uint64_t* mine) override {
      scatter_sums(values, counts, mine);
    }
    std::unique_ptr<Comm> split(int part) override {
      show(&part);
      int place = 0, size = 0, first = -1;
      for (int rank = 0; rank < all_.size_; ++rank) {
        if (*static_cast<const int*>(shown(rank)) != part) continue;
        if (first < 0) first = rank;
        if (rank == rank_) place = size;
        ++size;
      }
      barrier();
      std::shared_ptr<ThreadRanks> some;
      if (first == rank_) some = std::make_shared<ThreadRanks>(size);
      show(&some);
      const auto shared = *static_cast<const std::shared_ptr<ThreadRanks>*>(shown(first));
      barrier();
      return std::make_unique<Part>(shared, place);
    }
    std::unique_ptr<SharedFile> open(const std::string& path) override {
      return std::make_unique<File>(path, *this);
    }
    [[noreturn]] void abort(int) override { std::terminate(); }

   private:
    class Late : public Exchange {
     public:
      Late(Rank& rank, Messages messages, std::vector<std::size_t> sizes)
          : rank_(rank), messages_(std::move(messages)), sizes_(std::move(sizes)) {}
      Messages take() override {
        Messages received = rank_.exchange(std::move(messages_));
        for (std::size_t r = 0; r < received.size(); ++r) {
          if (received[r].size() != sizes_[r]) throw std::logic_error("a message of another size");
        }
        return received;
      }

     private:
      Rank& rank_;
      Messages messages_;
      std::vector<std::size_t> sizes_;
    };
    class File : public SharedFile {
     public:
      File(const std::string& path, Rank& rank) : file_(path, mode), rank_(rank) {}
      std::string write_at(std::int64_t offset, const void* data, std::size_t bytes) override {
        file_.seekp(offset);
        file_.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
        return file_.flush() ? "" : "the stream failed";
      }
      std::string close() override {
        file_.close();
        rank_.barrier();
        return {};
      }

     private:
      static constexpr auto mode = std::ios::in | std::ios::out | std::ios::binary;
      std::fstream file_;
      Rank& rank_;
    };
    void show(const void* data) {
      all_.slots_[static_cast<std::size_t>(rank_)] = data;
      barrier();
    }
    const void* shown(int rank) const { return all_.slots_[static_cast<std::size_t>(rank)]; }
    template <class T>
    void scatter_sums(const T* values, const std::vector<std::int64_t>& counts, T* mine) {
      show(values);
      std::int64_t before = 0;
      for (int r = 0; r < rank_; ++r) before += counts[static_cast<std::size_t>(r)];
      const std::int64_t count = counts[static_cast<std::size_t>(rank_)];
      std::fill_n(mine, count, T{0});
      for (int from = 0; from < all_.size_; ++from) {
        const T* const theirs = static_cast<const T*>(shown(from)) + before;
        for (std::int64_t i = 0; i < count; ++i) mine[i] += theirs[i];
      }
      barrier();
    }

    ThreadRanks& all_;
    int rank_;
  };
  /// A rank of a part, which lives as long as the last of its ranks.
  class Part : public Rank {
   public:
    Part(std::shared_ptr<ThreadRanks> all, int rank) : Rank(*all, rank), kept_(std::move(all)) {}

   private:
    std::shared_ptr<ThreadRanks> kept_;
  };
  struct Pipe {
    std::mutex lock;
    std::condition_variable filled;
    std::vector<std::byte> bytes;
  };
  Pipe& pipe(int from, int to) { return pipes_[static_cast<std::size_t>(from * size_ + to)]; }

  int size_;
  std::barrier<> together_;
  std::vector<const void*> slots_;
  std::vector<Pipe> pipes_{static_cast<std::size_t>(size_ * size_)};
};

}  // namespace yupana
