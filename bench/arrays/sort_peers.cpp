#include "bench/arrays/sort_peers.hpp"

#include <dlfcn.h>
#include <fmt/core.h>
#include <hwy/highway.h>
#include <tbb/version.h>

#include <algorithm>
#include <boost/sort/block_indirect_sort/block_indirect_sort.hpp>
#include <boost/sort/spreadsort/spreadsort.hpp>
#include <boost/version.hpp>
#include <execution>

namespace yupana::bench {

VqSort::VqSort() {
  void* const library = dlopen("libhwy_contrib.so.1", RTLD_NOW);
  if (library == nullptr) return;
  // The names are those of C++ in Highway 1.0: hwy::Sorter::Sorter() and its operators.
  const auto make = reinterpret_cast<void (*)(void*)>(dlsym(library, "_ZN3hwy6SorterC1Ev"));
  const auto find = [&](auto& function, const char* key) {
    const std::string name = fmt::format("_ZNK3hwy6SorterclEP{}mNS_13SortAscendingE", key);
    function =
        reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name.c_str()));
  };
  find(sort_u32_, "j");
  find(sort_u64_, "m");
  find(sort_f32_, "f");
  find(sort_f64_, "d");
  const bool whole = make != nullptr && sort_u32_ != nullptr && sort_u64_ != nullptr &&
                     sort_f32_ != nullptr && sort_f64_ != nullptr;
  if (!whole) return;
  make(sorter_);
  library_ = library;
}

std::string VqSort::version() {
  return fmt::format("Highway {}.{}.{}", HWY_MAJOR, HWY_MINOR, HWY_PATCH);
}

std::string standard_library() { return fmt::format("libstdc++ {}", _GLIBCXX_RELEASE); }

std::string tbb_library() {
  return fmt::format("oneTBB {}.{}", TBB_VERSION_MAJOR, TBB_VERSION_MINOR);
}

std::string boost_library() {
  return fmt::format(
      "Boost {}.{}.{}", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100);
}

template <class K>
void boost_spreadsort(K* keys, std::int64_t n) {
  boost::sort::spreadsort::spreadsort(keys, keys + n);
}

template <class K>
void boost_block_indirect_sort(K* keys, std::int64_t n, int threads) {
  boost::sort::block_indirect_sort(keys, keys + n, static_cast<std::uint32_t>(threads));
}

template <class K>
void standard_parallel_sort(Context& context, K* keys, std::int64_t n) {
  context.run([&] {
    std::sort(std::execution::par_unseq, keys, keys + n);
    return true;
  });
}

template <class K>
void standard_parallel_stable_sort(Context& context, K* keys, std::int64_t n) {
  context.run([&] {
    std::stable_sort(std::execution::par_unseq, keys, keys + n);
    return true;
  });
}

template void boost_spreadsort(std::uint32_t*, std::int64_t);
template void boost_spreadsort(std::uint64_t*, std::int64_t);
template void boost_spreadsort(float*, std::int64_t);
template void boost_spreadsort(double*, std::int64_t);
template void boost_block_indirect_sort(std::uint32_t*, std::int64_t, int);
template void boost_block_indirect_sort(std::uint64_t*, std::int64_t, int);
template void boost_block_indirect_sort(float*, std::int64_t, int);
template void boost_block_indirect_sort(double*, std::int64_t, int);
template void standard_parallel_sort(Context&, std::uint32_t*, std::int64_t);
template void standard_parallel_sort(Context&, std::uint64_t*, std::int64_t);
template void standard_parallel_sort(Context&, float*, std::int64_t);
template void standard_parallel_sort(Context&, double*, std::int64_t);
template void standard_parallel_stable_sort(Context&, std::uint32_t*, std::int64_t);
template void standard_parallel_stable_sort(Context&, std::uint64_t*, std::int64_t);
template void standard_parallel_stable_sort(Context&, float*, std::int64_t);
template void standard_parallel_stable_sort(Context&, double*, std::int64_t);

}  // namespace yupana::bench
