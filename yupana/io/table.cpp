#include "yupana/io/table.hpp"

#include <atomic>
#include <cmath>

#include "yupana/io/npy_layout.hpp"
#include "yupana/io/table_parts.hpp"

namespace yupana::io {

template <class T>
void count_unusual(Context& context, TableFile<T>& file) {
  std::atomic<std::int64_t> missing{0}, infinite{0};
  const std::int64_t rows = file.table.rows();
  context.parallel_for(file.table.columns(), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t c = begin; c < end; ++c) {
      const T* column = file.table.column(c);
      std::int64_t nans = 0, infinities = 0;
      for (std::int64_t i = 0; i < rows; ++i) {
        nans += column[i] != column[i];
        infinities += std::fabs(column[i]) == HUGE_VAL;
      }
      missing += nans;
      infinite += infinities;
    }
  });
  file.missing = missing;
  file.infinite = infinite;
}

template <class T>
TableFile<T> read_table(Context& context, const std::string& path, const TableParams& params) {
  Stage stage(context, "read " + path);
  TableFile<T> file;
  {
    const InputFile input(path);
    char magic[6] = {};
    if (input.size() >= 6) input.read_at(0, magic, 6);
    if (is_npy({magic, 6})) {
      file = read_npy_table<T>(context, path, params);
      count_unusual(context, file);
      return file;
    }
  }
  const TableText text(path, context.memory(), params.scratch);
  const auto ends_with = [&](std::string_view end) {
    std::string_view name = path;
    if (name.ends_with(".gz")) name.remove_suffix(3);
    return name.ends_with(end);
  };
  const bool libsvm = ends_with(".libsvm") || ends_with(".svm") || ends_with(".svmlight");
  file = libsvm ? read_libsvm_table<T>(context, text, params)
                : read_text_table<T>(context, text, params);
  count_unusual(context, file);
  return file;
}

template TableFile<float> read_table(Context&, const std::string&, const TableParams&);
template TableFile<double> read_table(Context&, const std::string&, const TableParams&);
template void count_unusual(Context&, TableFile<float>&);
template void count_unusual(Context&, TableFile<double>&);

}  // namespace yupana::io
