// The public functions on arrays that lie on a GPU, as on host arrays.
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "tests/support/gpu.hpp"

#ifdef YUPANA_CUDA
#include "tests/arrays/samples.hpp"
#include "tests/support/there.hpp"
#include "yupana/arrays/merge.hpp"
#include "yupana/arrays/segments.hpp"
#include "yupana/arrays/selection.hpp"

namespace yupana::arrays {
namespace {

const std::vector<std::int64_t> sizes = {1, 2, 33, 2049, 8193, 65537, 300007};

class Places : public testing::Test {
 protected:
  void SetUp() override { YUPANA_NEEDS_GPU(); }
  Context cpu{{.device = "cpu"}};
};

template <class T, class Op>
void folds(Context& cpu, Context& gpu, std::int64_t n, Op op) {
  const std::vector<T> in = random_values<T>(n);
  const T init = static_cast<T>(3);
  std::vector<T> want(in.size());
  There<T> there(in), out(in);
  inclusive_scan(cpu, in.data(), n, want.data(), op);
  inclusive_scan(gpu, there.data(), n, out.data(), op);
  EXPECT_TRUE(same_bits(out.back(), want)) << "inclusive " << n;
  exclusive_scan(cpu, in.data(), n, init, want.data(), op);
  exclusive_scan(gpu, there.data(), n, init, out.data(), op);
  EXPECT_TRUE(same_bits(out.back(), want)) << "exclusive " << n;
  const std::vector<T> total{reduce(gpu, there.data(), n, init, op)};
  EXPECT_TRUE(same_bits(total, {reduce(cpu, in.data(), n, init, op)})) << "reduce " << n;

  std::vector<std::int64_t> offsets{0, n / 7, n / 7, n / 2, n};
  const std::int64_t segments = ssize_of(offsets) - 1;
  There<std::int64_t> ends(offsets);
  std::vector<T> totals(static_cast<std::size_t>(segments));
  segmented_inclusive_scan(cpu, in.data(), offsets.data(), segments, want.data(), op);
  std::vector<T> want_totals(totals);
  segmented_reduce(cpu, in.data(), offsets.data(), segments, init, want_totals.data(), op);
  for (const std::int64_t* of : {static_cast<const std::int64_t*>(offsets.data()),
                                 static_cast<const std::int64_t*>(ends.data())}) {
    segmented_inclusive_scan(gpu, there.data(), of, segments, out.data(), op);
    EXPECT_TRUE(same_bits(out.back(), want)) << "segments " << n;
    There<T> sums(totals);
    segmented_reduce(gpu, there.data(), of, segments, init, sums.data(), op);
    EXPECT_TRUE(same_bits(sums.back(), want_totals)) << "sums of segments " << n;
  }
}

TEST_F(Places, FoldsRunWhereTheArraysLie) {
  Context gpu({.device = "cuda"});
  for (const std::int64_t n : sizes) {
    folds<float>(cpu, gpu, n, Plus{});
    folds<double>(cpu, gpu, n, Min{});
    folds<std::int32_t>(cpu, gpu, n, Max{});
    folds<std::uint64_t>(cpu, gpu, n, Plus{});
  }
}

template <class K>
void orders(Context& cpu, Context& gpu, std::int64_t n) {
  std::vector<K> keys = random_values<K>(n);
  for (std::int64_t i = 0; i < n; i += 3) keys[static_cast<std::size_t>(i)] = static_cast<K>(7);
  std::vector<std::uint64_t> values(keys.size());
  std::iota(values.begin(), values.end(), std::uint64_t{0});
  There<K> there(keys);
  There<std::int64_t> places(std::vector<std::int64_t>(keys.size()));
  argsort(gpu, there.data(), n, places.data());
  std::vector<std::int64_t> want_places(keys.size());
  argsort(cpu, keys.data(), n, want_places.data());
  EXPECT_EQ(places.back(), want_places) << n;

  There<std::uint64_t> moved(values);
  sort_by_key(gpu, there.data(), moved.data(), n);
  sort_by_key(cpu, keys.data(), values.data(), n);
  EXPECT_TRUE(same_bits(there.back(), keys)) << n;
  EXPECT_EQ(moved.back(), values) << n;

  const std::int64_t half = n / 2;
  There<K> merged(keys);
  std::vector<K> want(keys.size());
  merge(gpu, there.data(), half, there.data() + half, n - half, merged.data());
  merge(cpu, keys.data(), half, keys.data() + half, n - half, want.data());
  EXPECT_TRUE(same_bits(merged.back(), want)) << n;
}

TEST_F(Places, OrdersRunWhereTheArraysLie) {
  Context gpu({.device = "cuda"});
  for (const std::int64_t n : sizes) {
    orders<float>(cpu, gpu, n);
    orders<std::int64_t>(cpu, gpu, n);
    orders<std::uint32_t>(cpu, gpu, n);
  }
}

TEST_F(Places, RunsOfKeysAreFoundWhereTheyLie) {
  Context gpu({.device = "cuda"});
  for (const std::int64_t n : sizes) {
    std::vector<std::uint32_t> keys(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) {
      keys[static_cast<std::size_t>(i)] = static_cast<std::uint32_t>(i / 3);
    }
    const std::vector<double> values = random_values<double>(n);
    There<std::uint32_t> there(keys), run_keys(keys);
    There<double> numbers(values), sums(values);
    std::vector<std::uint32_t> want_keys(keys.size());
    std::vector<double> want(values.size());
    const std::int64_t runs =
        reduce_by_key(cpu, keys.data(), values.data(), n, want_keys.data(), want.data());
    ASSERT_EQ(reduce_by_key(gpu, there.data(), numbers.data(), n, run_keys.data(), sums.data()),
              runs);
    std::vector<std::uint32_t> got_keys = run_keys.back();
    std::vector<double> got = sums.back();
    got_keys.resize(static_cast<std::size_t>(runs)), got.resize(static_cast<std::size_t>(runs));
    want_keys.resize(got_keys.size()), want.resize(got.size());
    EXPECT_EQ(got_keys, want_keys);
    EXPECT_TRUE(same_bits(got, want)) << n;
  }
}

TEST_F(Places, NoValuesAreNone) {
  Context gpu({.device = "cuda"});
  There<float> none({nullptr, 0});
  inclusive_scan<float>(gpu, none.data(), 0, none.data());
  EXPECT_EQ(reduce(gpu, static_cast<const float*>(none.data()), 0, 5.0f), 5.0f);
  There<std::int64_t> ends(std::vector<std::int64_t>{0, 0, 0});
  There<float> totals(std::vector<float>{1, 1});
  segmented_reduce<float>(gpu, nullptr, ends.data(), 2, 4.0f, totals.data());
  EXPECT_EQ(totals.back(), (std::vector<float>{4, 4}));
  segmented_inclusive_scan<float>(gpu, nullptr, ends.data(), 2, nullptr);
}

TEST_F(Places, WhatNoKernelIsCompiledForIsRefused) {
  Context gpu({.device = "cuda"});
  There<std::int16_t> there(std::vector<std::int16_t>{1, 2, 3});
  const auto refused = [](const auto& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.code() == ErrorCode::usage &&
             std::string(error.what()).find("on a GPU") != std::string::npos;
    }
    return false;
  };
  EXPECT_TRUE(refused([&] { inclusive_scan(gpu, there.data(), 3, there.data()); }));
  EXPECT_TRUE(refused([&] { reduce(gpu, there.data(), 3, std::int16_t{0}); }));
  EXPECT_TRUE(refused([&] { sort(gpu, there.data(), 3); }));
  There<float> floats(std::vector<float>{2, 1, 3});
  There<std::int64_t> places(std::vector<std::int64_t>(3));
  EXPECT_TRUE(refused([&] { sort(gpu, floats.data(), 3, Greater{}); }));
  EXPECT_TRUE(
      refused([&] { argsort(gpu, floats.data(), 3, places.data(), {.descending = true}); }));
}

}  // namespace
}  // namespace yupana::arrays
#else
TEST(Places, AreOnAGpu) { YUPANA_NEEDS_GPU(); }
#endif
