#include "yupana/io/table.hpp"

#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/npy_file.hpp"
#include "yupana/io/table_parts.hpp"

namespace yupana::io {

/// Fills missing and infinite.
template <class T>
void count_unusual(Context& context, TableFile<T>& file) {
  std::atomic<std::int64_t> missing{0}, infinite{0};
  const std::int64_t rows = file.table.rows();
  context.parallel_for(file.table.columns(), 1, [&](std::int64_t c) {
    const T* column = file.table.column(c);
    std::int64_t nans = 0, infinities = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
      nans += column[i] != column[i];
      infinities += std::fabs(column[i]) == HUGE_VAL;
    }
    missing += nans;
    infinite += infinities;
  });
  file.missing = missing;
  file.infinite = infinite;
}

namespace {

/// usage where a parameter was given that means nothing for a kind of file.
void check_kind(const std::string& path, const TableParams& params, bool text, bool libsvm) {
  const auto refuse = [&](const char* option, const char* kind) {
    throw usage_error("{}: is for {}, and {} is none; leave it out", option, kind, path);
  };
  const TableParams plain;
  if (libsvm && !params.categorical.empty()) refuse("--categorical", "text and .npy tables");
  if (!libsvm && params.zero_based) refuse("--zero-based", "libsvm files");
  if (text) return;
  if (params.header != plain.header) refuse("--header", "tables of text");
  if (params.delimiter != plain.delimiter) refuse("--delimiter", "tables of text");
  if (params.comment != plain.comment) refuse("--comment", "tables of text");
}

}  // namespace

bool is_libsvm(const std::string& path) {
  std::string_view name = path;
  if (name.ends_with(".gz")) name.remove_suffix(3);
  if (name.ends_with(".zst")) name.remove_suffix(4);
  if (name.ends_with(".libsvm") || name.ends_with(".svm") || name.ends_with(".svmlight")) {
    return true;
  }
  constexpr std::int64_t head = 1 << 16;
  return name.starts_with("/proc/self/fd/") && begins_as_libsvm(head_of(InputFile(path), head));
}

template <class T>
void read_table_parts(Context& context,
                      const std::string& path,
                      const TableParams& params,
                      std::int64_t bytes,
                      const TakeTable<T>& take) {
  const TakeTable<T> counted = [&](TableFile<T>&& part) {
    count_unusual(context, part);
    take(std::move(part));
  };
  if (is_npy(InputFile(path))) {
    check_kind(path, params, false, false);
    return read_npy_table<T>(context, path, params, bytes, counted);
  }
  const bool libsvm = is_libsvm(path);
  check_kind(path, params, !libsvm, libsvm);
  const TableText text(path, context.memory(), params.scratch);
  libsvm ? read_libsvm_table<T>(context, text, params, bytes, counted)
         : read_text_table<T>(context, text, params, bytes, counted);
}

template <class T>
TableFile<T> read_table(Context& context, const std::string& path, const TableParams& params) {
  Stage stage(context, "read " + path);
  TableFile<T> file;
  const TakeTable<T> take = [&](TableFile<T>&& whole) { file = std::move(whole); };
  read_table_parts(context, path, params, std::numeric_limits<std::int64_t>::max(), take);
  return file;
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, read_table_parts, read_table)

}  // namespace yupana::io
