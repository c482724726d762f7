#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "yupana/arrays/sort.hpp"
#include "yupana/core/array.hpp"
#include "yupana/core/atomic_file.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/nameless_file.hpp"
#include "yupana/job/arrays.hpp"
#include "yupana/job/run_files.hpp"
#include "yupana/job/run_merger.hpp"

namespace yupana::job {
namespace {

/// Numbers of a type that fit `share` of the context's memory. A GPU holds up to four times the
/// numbers it sorts, where half of the memory is for those of a run: half of its own counts.
template <class T>
std::int64_t numbers_in(const Context& context, std::uint64_t share) {
  const bool gpu = context.backend() == Backend::cuda;
  const std::uint64_t memory =
      gpu ? std::min(context.memory(), context.gpu_memory() / 2) : context.memory();
  return static_cast<std::int64_t>(memory / share / sizeof(T));
}

/// Windows large enough for the disk, small enough for the memory with all that goes with them.
template <class T>
std::int64_t window_of(const Context& context, std::int64_t runs) {
  return std::clamp<std::int64_t>(numbers_in<T>(context, 4) / runs, 256, std::int64_t{1} << 22);
}

template <class T>
class FileSorter {
 public:
  FileSorter(Context& context, io::ColumnReader& reader, std::string out)
      : context_(context), reader_(reader), out_(std::move(out)), writer_(out_, reader.type()) {}

  ArrayFileResult sort() {
    // Half of the memory for the keys of a run, half for the sort's copy of them.
    run_size_ = std::max<std::int64_t>(numbers_in<T>(context_, 2), 1024);
    run_size_ = std::min(run_size_, std::max<std::int64_t>(1, reader_.size_bound()));
    if (!sort_runs()) merge_runs();
    writer_.finish();
    out_.commit();
    return {writer_.size(), reader_.type().name(), runs_};
  }

 private:
  /// True if one run was all there is; it is written then.
  bool sort_runs() {
    const auto total = static_cast<double>(reader_.size().value_or(0));
    Stage stage(context_, "sort", total, "numbers");
    Array<T> keys(run_size_);
    while (true) {
      const std::int64_t got = read_run(keys.data());
      if (got == 0 && runs_ > 0) break;
      arrays::sort(context_, keys.data(), got);
      stage.advance(static_cast<double>(got));
      if (runs_ == 0 && (got < run_size_ || got == reader_.size())) {
        writer_.write(keys.data(), got);
        return true;
      }
      if (runs_++ == 0) {
        const auto folder = std::filesystem::path(out_.temporary()).parent_path();
        waiting_ = std::make_unique<NamelessFile>(folder.string());
        context_.note(
            fmt::format("sort: the numbers exceed the memory; runs of {} wait in a temporary file "
                        "in {}",
                        run_size_,
                        waiting_->folder()));
      }
      waiting_->write(keys.data(), static_cast<std::size_t>(got) * sizeof(T));
      count_ += got;
    }
    return false;
  }

  std::int64_t read_run(T* keys) {
    std::int64_t count = 0;
    while (count < run_size_) {
      context_.check_cancelled();
      const std::int64_t got =
          reader_.read(keys + count, std::min(column_chunk, run_size_ - count));
      if (got == 0) break;
      count += got;
    }
    return count;
  }

  void merge_runs() {
    Stage stage(context_, "merge", static_cast<double>(count_), "numbers");
    std::vector<std::int64_t> done(static_cast<std::size_t>(runs_), 0);
    const auto read = [&](std::int64_t run, T* to, std::int64_t n) {
      std::int64_t& at = done[static_cast<std::size_t>(run)];
      const std::int64_t first = run * run_size_;
      n = std::min(n, std::min(run_size_, count_ - first) - at);
      constexpr auto width = static_cast<std::int64_t>(sizeof(T));
      waiting_->read_at((first + at) * width, to, static_cast<std::size_t>(n * width));
      at += n;
      return n;
    };
    RunMerger<T> merger(context_, runs_, window_of<T>(context_, runs_), read);
    merger.merge([&](const T* keys, std::int64_t n) {
      writer_.write(keys, n);
      stage.advance(static_cast<double>(n));
    });
  }

  Context& context_;
  io::ColumnReader& reader_;
  AtomicFile out_;
  io::ColumnWriter writer_;
  std::unique_ptr<NamelessFile> waiting_;  ///< sorted runs
  std::int64_t run_size_ = 0;
  std::int64_t runs_ = 0;
  std::int64_t count_ = 0;
};

/// One of merge's inputs, read with a look at its order.
template <class T>
struct SortedInput {
  std::unique_ptr<io::ColumnReader> reader;
  std::optional<T> last = {};
  std::int64_t done = 0;

  std::int64_t read(T* to, std::int64_t n) {
    const std::int64_t got = reader->read(to, n);
    for (std::int64_t i = 0; i < got; ++i) {
      if (last && arrays::Less{}(to[i], *last)) {
        throw bad_file(reader->path(),
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

template <class T>
ArrayFileResult merge_inputs(Context& context,
                             const MergeFilesParams& params,
                             std::vector<std::unique_ptr<io::ColumnReader>> readers) {
  AtomicFile out(params.out);
  io::ColumnWriter writer(out, io::number_type<T>());
  std::vector<SortedInput<T>> inputs;
  for (auto& reader : readers) inputs.push_back({std::move(reader)});
  const auto count = static_cast<std::int64_t>(inputs.size());
  RunMerger<T> merger(
      context, count, window_of<T>(context, count), [&](std::int64_t input, T* to, std::int64_t n) {
        return inputs[static_cast<std::size_t>(input)].read(to, n);
      });
  Stage stage(context, "merge", 0, "numbers");
  merger.merge([&](const T* keys, std::int64_t n) {
    writer.write(keys, n);
    stage.advance(static_cast<double>(n));
  });
  writer.finish();
  out.commit();
  return {writer.size(), io::number_type<T>().name(), 0};
}

}  // namespace

ArrayFileResult sort_file(Context& context, const SortFileParams& params) {
  check_not_compressed(params.out);
  const auto reader = open_column(params.in, params.text_type);
  return io::with_number_type(reader->type(), [&](auto zero) {
    return FileSorter<decltype(zero)>(context, *reader, params.out).sort();
  });
}

ArrayFileResult merge_files(Context& context, const MergeFilesParams& params) {
  check_not_compressed(params.out);
  std::vector<std::unique_ptr<io::ColumnReader>> readers;
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
  return io::with_number_type(readers[0]->type(), [&](auto zero) {
    return merge_inputs<decltype(zero)>(context, params, std::move(readers));
  });
}

}  // namespace yupana::job
