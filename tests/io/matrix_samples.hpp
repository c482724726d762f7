#pragma once

#include <cstdint>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/folder.hpp"
#include "yupana/core/atomic_file.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/io/matrix_writer.hpp"

namespace yupana::io::testing_samples {

using test::bytes_of;
using test::Folder;

inline void put(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// Distances with fractions, zeros off the diagonal and whole numbers; symmetric.
inline double distance(std::int64_t i, std::int64_t j) {
  if (i == j) return 0;
  const std::int64_t a = i < j ? i : j;
  const std::int64_t b = i < j ? j : i;
  const std::int64_t mixed = (a * 7919 + b * 104729) % 10007;
  return mixed % 5 == 0 ? static_cast<double>(mixed / 5 % 40) : static_cast<double>(mixed) / 37;
}

inline RowProducer distance_rows(std::int64_t n) {
  return [n](std::int64_t i, double* row) {
    for (std::int64_t j = 0; j < n; ++j) row[j] = distance(i, j);
  };
}

inline std::vector<std::string> sample_names(std::int64_t n) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < n; ++i) names.push_back("NA" + std::to_string(100 + i));
  return names;
}

/// Sizes around a piece of text and a tile.
inline std::vector<std::int64_t> sizes() { return {1, 2, 3, 63, 64, 65, 131, 257}; }

/// Writes one file and commits it.
inline std::string written(const std::string& path, const std::function<void(AtomicFile&)>& write) {
  AtomicFile file(path);
  write(file);
  file.commit();
  return bytes_of(path);
}

}  // namespace yupana::io::testing_samples
