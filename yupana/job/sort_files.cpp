#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "yupana/arrays/selection.hpp"
#include "yupana/core/array.hpp"
#include "yupana/core/atomic_file.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/unfinished_files.hpp"
#include "yupana/io/npy_records.hpp"
#include "yupana/job/arrays.hpp"
#include "yupana/job/run_files.hpp"
#include "yupana/job/run_merger.hpp"

namespace yupana::job {
namespace {

/// Items of `bytes` that fit `share` of the context's memory. A GPU holds up to four times the
/// items it sorts, where half of the memory is for those of a run: half of its own counts.
std::int64_t items_in(const Context& context, std::uint64_t share, std::uint64_t bytes) {
  const bool gpu = context.backend() == Backend::cuda;
  const std::uint64_t memory =
      gpu ? std::min(context.memory(), context.gpu_memory() / 2) : context.memory();
  return static_cast<std::int64_t>(memory / share / bytes);
}

constexpr std::int64_t least_window = 64;                   ///< items
constexpr std::int64_t read_items = std::int64_t{1} << 16;  ///< read, and converted, at a time

/// Bytes of all that goes with the smallest windows.
std::uint64_t windows_bytes(std::int64_t runs, std::uint64_t bytes) {
  return 4 * bytes * static_cast<std::uint64_t>(least_window * runs);
}

/// Windows large enough for the disk, small enough for the memory with all that goes with them.
/// Throws out_of_resources where the smallest exceed it.
std::int64_t window_of(const Context& context,
                       const std::string& what,
                       std::int64_t runs,
                       std::uint64_t bytes) {
  check_memory(context, what, windows_bytes(runs, bytes));
  return std::clamp(items_in(context, 4, bytes) / runs, least_window, std::int64_t{1} << 22);
}

/// The part of a sort that does not depend on the type of its keys, compiled once for all of them.
class FileSort {
 public:
  FileSort(Context& context,
           io::ColumnReader& reader,
           const SortFileParams& params,
           std::size_t key_bytes)
      : context_(context),
        reader_(reader),
        params_(params),
        key_bytes_(key_bytes),
        item_bytes_(key_bytes + (params.positions ? sizeof(std::int64_t) : 0)),
        out_(params.out),
        writer_(out_, type()) {}
  virtual ~FileSort() = default;

  ArrayFileResult sort() {
    // Half of the memory for the items of a run, half for the sort's copy of them.
    run_size_ = std::max<std::int64_t>(items_in(context_, 2, item_bytes_), 1024);
    run_size_ = std::min(run_size_, std::max<std::int64_t>(1, reader_.size_bound()));
    check_least_memory();
    if (!sort_runs()) merge_runs();
    note_comments(context_, reader_);
    writer_.finish();
    out_.commit();
    return {writer_.size(), type().name(), static_cast<std::int64_t>(runs_.size())};
  }

 protected:
  /// A sorted run on the disk: its keys, after them its positions.
  struct Run {
    std::int64_t offset = 0, size = 0, done = 0;
  };

  virtual bool sort_runs() = 0;  ///< true if one run was all there is; it is written then
  virtual void merge_runs() = 0;

  /// Keys a run's window holds while runs are merged.
  std::int64_t window() const {
    const std::int64_t count = std::ssize(runs_);
    return window_of(context_,
                     fmt::format("sort: {}: to merge {}", params_.in, counted(count, "run")),
                     count,
                     item_bytes_);
  }

  /// Appends a sorted run to the temporary file; `positions` are null where none are wanted.
  void keep(const void* keys, const std::int64_t* positions, std::int64_t n) {
    if (runs_.empty()) {
      const auto folder = std::filesystem::path(out_.temporary()).parent_path();
      waiting_ = std::make_unique<NamelessFile>(folder.string());
      context_.note(fmt::format(
          "sort: the numbers and a copy of them exceed the memory; runs of {} wait in a "
          "temporary file in {}",
          run_size_,
          waiting_->folder()));
    }
    runs_.push_back({runs_.empty() ? 0 : end_of(runs_.back()), n});
    waiting_->write(keys, static_cast<std::size_t>(n) * key_bytes_);
    if (positions == nullptr) return;
    waiting_->write(positions, static_cast<std::size_t>(n) * sizeof(std::int64_t));
  }

  /// The next items of a run, at most n; returns how many.
  std::int64_t read_back(std::int64_t number, void* keys, std::int64_t* positions, std::int64_t n) {
    Run& run = runs_[static_cast<std::size_t>(number)];
    n = std::min(n, run.size - run.done);
    const auto read = [&](std::int64_t begin, void* items, std::size_t bytes) {
      const auto width = static_cast<std::int64_t>(bytes);
      waiting_->read_at(begin + run.done * width, items, static_cast<std::size_t>(n * width));
    };
    read(run.offset, keys, key_bytes_);
    if (positions != nullptr) {
      const std::int64_t key_end = run.offset + run.size * static_cast<std::int64_t>(key_bytes_);
      read(key_end, positions, sizeof(std::int64_t));
    }
    run.done += n;
    return n;
  }

  Context& context_;
  io::ColumnReader& reader_;
  const SortFileParams& params_;
  const std::size_t key_bytes_, item_bytes_;
  AtomicFile out_;
  io::ColumnWriter writer_;
  std::unique_ptr<NamelessFile> waiting_;  ///< sorted runs
  std::vector<Run> runs_;
  std::int64_t run_size_ = 0;
  std::int64_t read_ = 0;

 private:
  /// Refuses memory too small for a run before the work and, where the size of the file is known,
  /// memory too small to merge the runs; what is named is enough for both.
  void check_least_memory() const {
    const std::uint64_t run = 2 * item_bytes_ * static_cast<std::uint64_t>(run_size_);
    const std::int64_t runs = (reader_.size().value_or(0) + run_size_ - 1) / run_size_;
    const std::uint64_t windows = runs > 1 ? windows_bytes(runs, item_bytes_) : 0;
    if (std::max(run, windows) <= context_.memory()) return;
    const double bytes =
        static_cast<double>(item_bytes_) * static_cast<double>(reader_.size_bound());
    const std::uint64_t merge =
        merge_memory(bytes, static_cast<double>(windows_bytes(1, item_bytes_)));
    check_memory(context_,
                 fmt::format("sort: {}: to sort in runs and merge them", params_.in),
                 std::max(run, std::min(merge, static_cast<std::uint64_t>(2 * bytes))));
  }

  io::NumberType type() const {
    return params_.positions ? io::number_type<std::int64_t>() : reader_.type();
  }

  std::int64_t end_of(const Run& run) const {
    return run.offset + run.size * static_cast<std::int64_t>(item_bytes_);
  }
};

/// V: std::int64_t where positions move with the keys, or NoValue. Numbers that are to descend are
/// sorted turned.
template <class K, class V>
class FileSorter : public FileSort {
 public:
  FileSorter(Context& context, io::ColumnReader& reader, const SortFileParams& params)
      : FileSort(context, reader, params, sizeof(K)), selected_(params.unique, params.top) {}

 private:
  using Columns = arrays::Columns<K, V>;
  using Selection = arrays::Selection<K, V>;
  static constexpr bool positions = Columns::has_values;

  static std::int64_t* positions_of(Columns items) {
    if constexpr (positions) return items.values;
    return nullptr;
  }

  bool sort_runs() override {
    const auto total = static_cast<double>(reader_.size().value_or(0));
    Stage stage(context_, "sort", total, "numbers");
    Array<K> keys(run_size_);
    Array<V> places(positions ? run_size_ : 0);
    const Columns items{keys.data(), places.data()};
    while (true) {
      const std::int64_t got = read_run(items);
      if (got == 0 && !runs_.empty()) break;
      arrays::sort_by_key(context_, items.keys, items.values, got);
      stage.advance(static_cast<double>(got));
      if (runs_.empty() && (got < run_size_ || got == reader_.size())) {
        write(items, got);
        return true;
      }
      // What a run leaves out the whole leaves out too.
      keep(
          items.keys, positions_of(items), Selection(params_.unique, params_.top).take(items, got));
    }
    return false;
  }

  std::int64_t read_run(Columns items) {
    std::int64_t count = 0;
    while (count < run_size_) {
      context_.check_cancelled();
      const std::int64_t got = read(items.keys + count, std::min(read_items, run_size_ - count));
      if (got == 0) break;
      if constexpr (positions) {
        std::iota(items.values + count, items.values + count + got, read_ + count);
      }
      count += got;
    }
    turn(items.keys, count);
    read_ += count;
    return count;
  }

  /// Keys alone are of the file's type.
  std::int64_t read(K* keys, std::int64_t n) {
    if constexpr (positions) return reader_.read_as(keys, n);
    return reader_.read(keys, n);
  }

  void merge_runs() override {
    Stage stage(context_, "merge", static_cast<double>(read_), "numbers");
    RunMerger<K, V> merger(
        context_, std::ssize(runs_), window(), [&](std::int64_t run, Columns to, std::int64_t n) {
          return read_back(run, to.keys, positions_of(to), n);
        });
    merger.merge([&](Columns items, std::int64_t n) {
      write(items, n);
      stage.advance(static_cast<double>(n));
      return selected_.wants_more();
    });
  }

  void write(Columns items, std::int64_t n) {
    n = selected_.take(items, n);
    if constexpr (positions) {
      writer_.write(items.values, n);
    } else {
      turn(items.keys, n);
      writer_.write(items.keys, n);
    }
  }

  void turn(K* keys, std::int64_t n) {
    if (params_.descending) arrays::turn(context_, keys, n);
  }

  Selection selected_;
};

/// One of merge's inputs, read with a look at its order.
template <class T>
struct SortedInput {
  io::ColumnReader& reader;
  std::optional<T> last = {};
  std::int64_t done = 0;

  std::int64_t read(T* to, std::int64_t n) {
    const std::int64_t got = reader.read(to, n);
    for (std::int64_t i = 0; i < got; ++i) {
      if (last && arrays::Less{}(to[i], *last)) {
        throw bad_file(reader.path(),
                       "number {} is {}, less than {} before it; sort the file first",
                       done + i + 1,
                       to[i],
                       *last);
      }
      last = to[i];
    }
    done += got;
    return got;
  }
};

using Readers = std::vector<std::unique_ptr<io::ColumnReader>>;

template <class T>
void merge_inputs(Context& context, Readers& readers, io::ColumnWriter& writer) {
  std::vector<SortedInput<T>> inputs;
  for (auto& reader : readers) inputs.push_back({*reader});
  const std::int64_t count = std::ssize(inputs);
  RunMerger<T> merger(context,
                      count,
                      window_of(context, "merge of " + counted(count, "file"), count, sizeof(T)),
                      [&](std::int64_t input, arrays::Columns<T> to, std::int64_t n) {
                        return inputs[static_cast<std::size_t>(input)].read(to.keys, n);
                      });
  Stage stage(context, "merge", 0, "numbers");
  merger.merge([&](arrays::Columns<T> items, std::int64_t n) {
    writer.write(items.keys, n);
    stage.advance(static_cast<double>(n));
    return true;
  });
}

}  // namespace

ArrayFileResult sort_file(Context& context, const SortFileParams& params) {
  check_column_name(params.out);
  if (io::has_records(params.in)) {
    throw bad_file(params.in,
                   "holds records; name fields to sort by with --key, or save one, x['NAME']");
  }
  const auto reader = open_column(params.in, params.text_type);
  if (params.positions) {
    return with_widest_type(reader->type(), [&](auto zero) {
      return FileSorter<decltype(zero), std::int64_t>(context, *reader, params).sort();
    });
  }
  return io::with_number_type(reader->type(), [&](auto zero) {
    return FileSorter<decltype(zero), arrays::NoValue>(context, *reader, params).sort();
  });
}

ArrayFileResult merge_files(Context& context, const MergeFilesParams& params) {
  check_column_name(params.out);
  Readers readers;
  for (const std::string& path : params.in) {
    readers.push_back(open_column(path, params.text_type));
    if (readers.back()->type() == readers[0]->type()) continue;
    throw bad_file(path,
                   "holds {}, but {} holds {}; merge files of one type",
                   readers.back()->type().name(),
                   params.in[0],
                   readers[0]->type().name());
  }
  if (readers.empty()) throw usage_error("merge: no input given; name sorted files");
  const io::NumberType type = readers[0]->type();
  AtomicFile out(params.out);
  io::ColumnWriter writer(out, type);
  io::with_number_type(type,
                       [&](auto zero) { merge_inputs<decltype(zero)>(context, readers, writer); });
  for (const auto& reader : readers) note_comments(context, *reader);
  writer.finish();
  out.commit();
  return {writer.size(), type.name(), 0};
}

}  // namespace yupana::job
