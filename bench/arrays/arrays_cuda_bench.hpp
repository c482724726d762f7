#pragma once

#include <cstdint>

#include "bench/support/bench.hpp"

struct CUstream_st;  // what a cudaStream_t points to; this header is read without CUDA, too

namespace yupana::bench {

/// `yupana bench scan|sort|merge --device cuda`.
void scan_cuda(Context& context, const BenchParams& params);
void sort_cuda(Context& context, const BenchParams& params);
void merge_cuda(Context& context, const BenchParams& params);

/// CUB on device memory, in arrays_cuda_peers.cu: `memory` is null to ask for `bytes`.
template <class T>  // std::uint32_t, float
void cub_scan(
    CUstream_st* stream, void* memory, std::size_t& bytes, const T* in, std::int64_t n, T* out);
template <class T>
void cub_reduce(
    CUstream_st* stream, void* memory, std::size_t& bytes, const T* in, std::int64_t n, T* out);
template <class K>  // std::uint32_t, std::uint64_t
void cub_merge_sort(CUstream_st* stream, void* memory, std::size_t& bytes, K* keys, std::int64_t n);
template <class K>
void cub_merge_sort_pairs(
    CUstream_st* stream, void* memory, std::size_t& bytes, K* keys, K* values, std::int64_t n);
template <class K>
void cub_merge(CUstream_st* stream,
               void* memory,
               std::size_t& bytes,
               const K* a,
               const K* b,
               std::int64_t size_of_each,
               K* out);

}  // namespace yupana::bench
