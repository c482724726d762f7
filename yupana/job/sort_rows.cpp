#include "yupana/job/sort_rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "yupana/arrays/sort.hpp"
#include "yupana/core/array.hpp"
#include "yupana/core/atomic_file.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/unfinished_files.hpp"
#include "yupana/io/npy_file.hpp"
#include "yupana/io/npy_records.hpp"
#include "yupana/job/run_files.hpp"

namespace yupana::job {
namespace {

/// A row in memory and on the disk: this, then its key, then its text.
struct RowHead {
  std::int64_t position = 0;
  std::uint64_t key_bytes = 0, text_bytes = 0;

  std::uint64_t bytes() const { return sizeof(RowHead) + key_bytes + text_bytes; }
};

RowHead head_at(const char* row) {
  RowHead head;
  std::memcpy(&head, row, sizeof head);
  return head;
}
std::string_view key_at(const char* row) {
  return {row + sizeof(RowHead), static_cast<std::size_t>(head_at(row).key_bytes)};
}
std::string_view text_at(const char* row) {
  const RowHead head = head_at(row);
  return {row + sizeof head + head.key_bytes, static_cast<std::size_t>(head.text_bytes)};
}

/// A row to sort: most comparisons need the first bytes of its key alone.
struct RowItem {
  std::uint64_t prefix;
  const char* row;
};

std::uint64_t prefix_of(std::string_view key) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    word = word << 8 | (i < key.size() ? static_cast<unsigned char>(key[i]) : 0);
  }
  return word;
}

struct ByRowKey {
  bool operator()(const RowItem& a, const RowItem& b) const {
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    return key_at(a.row) < key_at(b.row);
  }
};

/// What of the sorted rows is kept, as they pass by.
class RowSelection {
 public:
  explicit RowSelection(const SortRowsParams& params) : unique_(params.unique), left_(params.top) {}

  bool take(const char* row) {
    if (left_ == 0) return false;
    if (unique_) {
      const std::string_view key = key_at(row);
      if (last_ && *last_ == key) return false;
      last_ = key;
    }
    --left_;
    return true;
  }
  bool wants_more() const { return left_ > 0; }

 private:
  bool unique_;
  std::int64_t left_;
  std::optional<std::string> last_;
};

/// The rows of a run, read from the disk through a window.
class RowRun {
 public:
  RowRun(const NamelessFile& file, std::int64_t begin, std::int64_t end, std::int64_t window)
      : file_(file), at_(begin), end_(end), window_(window) {}

  /// The next row; null after the last. Valid until the next call.
  const char* next() {
    if (!holds(sizeof(RowHead)) || !holds(head_at(buffer_.data() + begin_).bytes())) return nullptr;
    const char* const row = buffer_.data() + begin_;
    begin_ += head_at(row).bytes();
    return row;
  }

 private:
  /// Whether `bytes` more are there, read if need be; false at the end of the run.
  bool holds(std::uint64_t bytes) {
    if (filled_ - begin_ >= bytes) return true;
    if (at_ == end_) return false;
    std::memmove(buffer_.data(), buffer_.data() + begin_, filled_ - begin_);
    filled_ -= begin_;
    begin_ = 0;
    buffer_.resize(std::max({buffer_.size(), static_cast<std::size_t>(window_), filled_ + bytes}));
    const std::int64_t more =
        std::min(end_ - at_, static_cast<std::int64_t>(buffer_.size() - filled_));
    file_.read_at(at_, buffer_.data() + filled_, static_cast<std::size_t>(more));
    at_ += more;
    filled_ += static_cast<std::size_t>(more);
    return true;
  }

  const NamelessFile& file_;
  std::int64_t at_, end_, window_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, filled_ = 0;
};

class RowSorter {
 public:
  RowSorter(Context& context, const SortRowsParams& params, std::unique_ptr<RowSource> source)
      : context_(context),
        params_(params),
        source_(std::move(source)),
        out_(params.out),
        selected_(params) {
    if (params.positions) writer_.emplace(out_, io::number_type<std::int64_t>());
  }

  ArrayFileResult sort() {
    source_->begin(params_.positions ? nullptr : &out_);
    // Half of the memory for rows, a quarter for items and their copy; a row waits in the reader.
    const auto share = static_cast<std::int64_t>(context_.memory() / 4);
    check_least_memory();
    rows_ = Array<char>(2 * std::max<std::int64_t>(share, least_share));
    items_ = Array<RowItem>(share / static_cast<std::int64_t>(2 * sizeof(RowItem)));
    sort_runs();
    if (writer_) {
      writer_->finish();
    } else {
      source_->finish(out_, kept_);
    }
    out_.commit();
    return {kept_, params_.positions ? "i8" : "row", std::ssize(runs_)};
  }

 private:
  static constexpr std::int64_t least_share = 1 << 17;  ///< bytes
  static constexpr std::int64_t least_window = 1 << 16;

  /// Refuses memory too small for a run; what is named is enough to merge the runs, too.
  void check_least_memory() const {
    if (context_.memory() >= 8 * least_share) return;
    // A row of few letters takes its items, head and key: as much as 32 times its text.
    std::error_code none;
    const std::uintmax_t size = std::filesystem::file_size(params_.in, none);
    const double packed = params_.in.ends_with(".gz") ? 32 : 1;
    const double bytes = none ? 0 : 32 * packed * static_cast<double>(size);
    check_memory(context_,
                 fmt::format("sort: {}: to sort in runs and merge them", params_.in),
                 std::max<std::uint64_t>(8 * least_share, merge_memory(bytes, 2 * least_window)));
  }

  void sort_runs() {
    Stage stage(context_, "sort", 0, "rows");
    std::string_view text;
    while (source_->next(text)) {
      if (read_ % 4096 == 0) context_.check_cancelled();
      key_.clear();
      source_->append_key(text, key_);
      if (!add(text)) {
        keep_run();
        if (!add(text)) refuse_row(text);
      }
      ++read_;
      if (read_ % 65536 == 0) stage.advance(65536);
    }
    stage.advance(static_cast<double>(read_ % 65536));
    if (runs_.empty()) {
      sort_items();
      for (std::int64_t i = 0; i < count_ && selected_.wants_more(); ++i) write(items_[i].row);
      return;
    }
    keep_run();
    rows_ = {};
    items_ = {};
    merge_runs();
  }

  /// False where the memory is full.
  bool add(std::string_view text) {
    const std::string_view end = source_->end_of_row();
    RowHead head{read_, key_.size(), params_.positions ? 0 : text.size() + end.size()};
    if (count_ == items_.size() || used_ + static_cast<std::int64_t>(head.bytes()) > rows_.size()) {
      return false;
    }
    char* at = rows_.data() + used_;
    items_[count_++] = {prefix_of(key_), at};
    used_ += static_cast<std::int64_t>(head.bytes());
    std::memcpy(at, &head, sizeof head);
    std::memcpy(at += sizeof head, key_.data(), key_.size());
    if (params_.positions) return true;
    std::memcpy(at += key_.size(), text.data(), text.size());
    std::memcpy(at + text.size(), end.data(), end.size());
    return true;
  }

  [[noreturn]] void refuse_row(std::string_view text) const {
    const RowHead head{0, key_.size(), params_.positions ? 0 : text.size() + 2};
    throw resource_error(
        "{}: a row and its keys take {} bytes, and half of the memory, {} bytes, holds rows; "
        "give --memory {}",
        source_->place(),
        head.bytes(),
        rows_.size(),
        memory_option(2 * static_cast<double>(head.bytes())));
  }

  void sort_items() { arrays::merge_sort(context_, items_.data(), count_, ByRowKey{}); }

  void keep_run() {
    if (!waiting_) {
      const auto folder = std::filesystem::path(out_.temporary()).parent_path();
      waiting_ = std::make_unique<NamelessFile>(folder.string());
      context_.note(
          fmt::format("sort: the rows exceed the memory; runs of about {} wait in a temporary file "
                      "in {}",
                      count_,
                      waiting_->folder()));
    }
    sort_items();
    const std::int64_t begin = waiting_bytes_;
    RowSelection selected(params_);  // what a run leaves out the whole leaves out too
    for (std::int64_t i = 0; i < count_ && selected.wants_more(); ++i) {
      if (!selected.take(items_[i].row)) continue;
      buffer_.append(items_[i].row, static_cast<std::size_t>(head_at(items_[i].row).bytes()));
      if (buffer_.size() > (1 << 20)) flush_waiting();
    }
    flush_waiting();
    runs_.emplace_back(begin, waiting_bytes_);
    used_ = count_ = 0;
  }

  void flush_waiting() {
    waiting_->write(buffer_.data(), buffer_.size());
    waiting_bytes_ += std::ssize(buffer_);
    buffer_.clear();
  }

  /// Rows whose keys are equal come from the earlier run first.
  void merge_runs() {
    const auto count = std::ssize(runs_);
    check_memory(context_,
                 fmt::format("sort: {}: to merge {}", params_.in, counted(count, "run")),
                 2 * least_window * static_cast<std::uint64_t>(count));
    const auto window = std::clamp<std::int64_t>(
        static_cast<std::int64_t>(context_.memory() / 2) / count, least_window, 1 << 22);
    Stage stage(context_, "merge", static_cast<double>(read_), "rows");
    std::vector<RowRun> runs;
    std::vector<std::pair<RowItem, std::size_t>>
        first;  // of each run that is not at its end: a heap
    const auto after = [](const auto& a, const auto& b) {
      if (ByRowKey{}(b.first, a.first)) return true;
      return !ByRowKey{}(a.first, b.first) && b.second < a.second;
    };
    const auto push = [&](std::size_t run) {
      const char* const row = runs[run].next();
      if (row == nullptr) return;
      first.push_back({{prefix_of(key_at(row)), row}, run});
      std::push_heap(first.begin(), first.end(), after);
    };
    for (const auto& [begin, end] : runs_) runs.emplace_back(*waiting_, begin, end, window);
    for (std::size_t run = 0; run < runs.size(); ++run) push(run);
    for (std::int64_t done = 1; !first.empty() && selected_.wants_more(); ++done) {
      if (done % 65536 == 0) {
        context_.check_cancelled();
        stage.advance(65536);
      }
      std::pop_heap(first.begin(), first.end(), after);
      const auto [item, run] = first.back();
      first.pop_back();
      write(item.row);
      push(run);
    }
  }

  void write(const char* row) {
    if (!selected_.take(row)) return;
    ++kept_;
    if (!writer_) return source_->write(out_, text_at(row));
    const std::int64_t position = head_at(row).position;
    writer_->write(&position, 1);
  }

  Context& context_;
  const SortRowsParams& params_;
  std::unique_ptr<RowSource> source_;
  AtomicFile out_;
  std::optional<io::ColumnWriter> writer_;  ///< of positions
  RowSelection selected_;
  std::string key_, buffer_;
  Array<char> rows_;  ///< of a run
  Array<RowItem> items_;
  std::int64_t used_ = 0, count_ = 0;  ///< bytes of rows, items
  std::int64_t read_ = 0, kept_ = 0;
  std::unique_ptr<NamelessFile> waiting_;  ///< sorted runs
  std::int64_t waiting_bytes_ = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>> runs_;  ///< where they begin and end in it
};

}  // namespace

ArrayFileResult sort_rows(Context& context, const SortRowsParams& params) {
  check_column_name(params.out);
  const bool records = io::has_records(params.in);
  if (!params.positions && io::is_npy_name(params.out) != records) {
    throw usage_error("-o {}: {}; expected {}, or --positions",
                      params.out,
                      records ? "records are .npy" : "rows are text",
                      records ? "out.npy" : "another name");
  }
  return RowSorter(context,
                   params,
                   records ? record_rows(params) : text_rows(params, context.memory() / 8))
      .sort();
}

}  // namespace yupana::job
