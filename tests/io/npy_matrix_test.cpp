#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "tests/io/matrix_samples.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/core/error.hpp"
#include "yupana/io/matrix_writer.hpp"
#include "yupana/io/npy_file.hpp"

namespace yupana::io {
namespace {

using namespace testing_samples;

class NpyMatrixTest : public testing::Test {
 protected:
  std::string whole(std::int64_t n, NpyType type, const RowProducer& rows) {
    return written(folder_ / "w.npy",
                   [&](AtomicFile& f) { write_npy(context_, f, n, rows, type); });
  }
  Folder folder_;
  Context context_{{.device = "cpu", .threads = 2}};
};

RowProducer whole_numbers(std::int64_t n) {
  return [n](std::int64_t i, double* row) {
    for (std::int64_t j = 0; j < n; ++j) row[j] = static_cast<double>(100 * (i + j) * (i != j));
  };
}

/// Only the columns up to the diagonal, as a band pass has them; the rest would show as -1.
RowProducer lower_of(const RowProducer& rows, std::int64_t n) {
  return [rows, n](std::int64_t i, double* row) {
    std::vector<double> all(static_cast<std::size_t>(n));
    rows(i, all.data());
    std::copy(all.begin(), all.begin() + i + 1, row);
  };
}

TEST_F(NpyMatrixTest, HeaderIsPaddedTo64BytesAndSaysWhatFollows) {
  const std::string bytes = whole(3, NpyType::float64, distance_rows(3));
  const NpyLayout layout = npy_layout("w.npy", bytes);
  EXPECT_EQ(layout.kind, 'f');
  EXPECT_EQ(layout.width, 8);
  EXPECT_FALSE(layout.fortran);
  EXPECT_EQ(layout.shape, (std::vector<std::int64_t>{3, 3}));
  EXPECT_EQ(layout.data % 64, 0);
  EXPECT_EQ(bytes[static_cast<std::size_t>(layout.data) - 1], '\n');
  EXPECT_EQ(bytes.size(), static_cast<std::size_t>(layout.data) + 72);
}

TEST_F(NpyMatrixTest, ATypeThatBreaksLinesOrCommandsTerminalsIsNotShownAsItStands) {
  for (const char letter : {'\n', '\r', '\x1b', '\0', '\x7f'}) {
    std::string bytes = npy_preamble("<f8", 5);
    bytes[bytes.find("<f8") + 1] = letter;
    test::expect_refusal([&] { npy_layout("w.npy", bytes); }, "type <\\x");
  }
}

TEST_F(NpyMatrixTest, HoldsTheValuesRowByRow) {
  for (const std::int64_t n : sizes()) {
    const std::string bytes = whole(n, NpyType::float64, distance_rows(n));
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        double value = 0;
        std::memcpy(&value, bytes.data() + bytes.size() - (n * n - i * n - j) * 8, 8);
        ASSERT_EQ(value, distance(i, j));
      }
    }
  }
}

TEST_F(NpyMatrixTest, AnEmptyMatrixIsAHeader) {
  const std::string bytes = whole(0, NpyType::float64, distance_rows(0));
  EXPECT_EQ(static_cast<std::int64_t>(bytes.size()), npy_layout("w.npy", bytes).data);
}

TEST_F(NpyMatrixTest, BandsOfTheLowerTriangleMakeTheSameFile) {
  for (const NpyType type : {NpyType::float64, NpyType::float32, NpyType::int32, NpyType::int64}) {
    const bool real = type == NpyType::float64 || type == NpyType::float32;
    for (const std::int64_t n : {1, 2, 17, 131, 257}) {
      const RowProducer rows = real ? distance_rows(n) : whole_numbers(n);
      const std::string expected = whole(n, type, rows);
      for (const std::int64_t step : {std::int64_t{1}, std::int64_t{7}, std::int64_t{64}, n}) {
        for (const std::int64_t buffer : {std::int64_t{1}, 20 * n * 8, std::int64_t{1} << 28}) {
          const std::string bytes = written(folder_ / "b.npy", [&](AtomicFile& f) {
            NpyMatrix npy(f, n, type);
            // Last band first: the order of bands does not matter.
            for (std::int64_t first = (n - 1) / step * step; first >= 0; first -= step) {
              const Range band{first, std::min(n, first + step)};
              npy.write_band(context_, band, lower_of(rows, n), buffer);
            }
          });
          ASSERT_TRUE(bytes == expected) << n << ' ' << step << ' ' << buffer;
        }
      }
    }
  }
}

TEST_F(NpyMatrixTest, BytesDoNotDependOnThreads) {
  const std::string expected = whole(600, NpyType::float64, distance_rows(600));
  for (const int threads : {1, 7}) {
    Context context({.device = "cpu", .threads = threads});
    EXPECT_TRUE(written(folder_ / "t.npy", [&](AtomicFile& f) {
                  write_npy(context, f, 600, distance_rows(600));
                }) == expected);
  }
}

TEST_F(NpyMatrixTest, IntegersRefuseWhatTheyCannotHold) {
  for (const double bad : {0.5, 2147483648.0, -2147483649.0, std::nan(""), HUGE_VAL}) {
    const RowProducer rows = [bad](std::int64_t i, double* row) {
      row[0] = row[1] = 0;
      if (i == 1) row[0] = bad;
    };
    test::expect_refusal(
        [&] { whole(2, NpyType::int32, rows); }, "row 2, column 1 is", ErrorCode::bad_input);
  }
  const RowProducer edge = [](std::int64_t, double* row) { row[0] = 2147483647; };
  EXPECT_NO_THROW(whole(1, NpyType::int32, edge));
  const RowProducer beyond = [](std::int64_t, double* row) { row[0] = 9223372036854775808.0; };
  EXPECT_THROW(whole(1, NpyType::int64, beyond), Error);
}

TEST_F(NpyMatrixTest, CancellingStopsAndLeavesNothing) {
  const RowProducer rows = [&](std::int64_t i, double* row) {
    if (i == 3) context_.cancel();
    std::fill(row, row + 1000, 0.0);
  };
  EXPECT_THROW(whole(1000, NpyType::float64, rows), Error);
  EXPECT_EQ(folder_.files(), 0);
}

TEST_F(NpyMatrixTest, FullDiskIsAResourceError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full on this system";
  std::filesystem::create_symlink("/dev/full",
                                  folder_ / ("w.npy.part-" + std::to_string(getpid())));
  test::refusal([&] { whole(10, NpyType::float64, distance_rows(10)); },
                ErrorCode::out_of_resources);
}

TEST_F(NpyMatrixTest, NumPyLoadsEveryType) {
  const std::string python = "/usr/bin/python3 -c 'import numpy' 2>/dev/null";
  if (std::system(python.c_str()) != 0) GTEST_SKIP() << "no NumPy for /usr/bin/python3";
  const std::vector<std::pair<NpyType, std::string>> types = {{NpyType::float64, "float64"},
                                                              {NpyType::float32, "float32"},
                                                              {NpyType::int32, "int32"},
                                                              {NpyType::int64, "int64"}};
  for (const auto& [type, name] : types) {
    whole(7, type, whole_numbers(7));
    const std::string check =
        "/usr/bin/python3 -c 'import numpy as np; a = np.load(\"" + (folder_ / "w.npy") +
        "\"); i = np.arange(7); b = 100 * (i[:, None] + i) * (i[:, None] != i); "
        "assert a.dtype == np." +
        name + " and a.flags.c_contiguous and (a == b).all()'";
    EXPECT_EQ(std::system(check.c_str()), 0) << name;
  }
}

}  // namespace
}  // namespace yupana::io
