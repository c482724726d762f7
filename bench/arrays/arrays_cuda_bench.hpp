#pragma once

#include <cstdint>

#include "bench/support/bench.hpp"

struct CUstream_st;  // what a cudaStream_t points to; this header is read without CUDA, too

namespace yupana::bench {

/// `yupana bench scan|sort|merge --device cuda`.
void scan_cuda(Context& context, const BenchParams& params);
void sort_cuda(Context& context, const BenchParams& params);
void merge_cuda(Context& context, const BenchParams& params);

/// CUB and Thrust on device memory, in arrays_cuda_peers.cu: `memory` is null to ask for `bytes`.
void cub_scan(CUstream_st* stream,
              void* memory,
              std::size_t& bytes,
              const std::uint32_t* in,
              std::int64_t n,
              std::uint32_t* out);
void cub_scan(CUstream_st* stream,
              void* memory,
              std::size_t& bytes,
              const float* in,
              std::int64_t n,
              float* out);
void cub_reduce(CUstream_st* stream,
                void* memory,
                std::size_t& bytes,
                const std::uint32_t* in,
                std::int64_t n,
                std::uint32_t* out);
void cub_reduce(CUstream_st* stream,
                void* memory,
                std::size_t& bytes,
                const float* in,
                std::int64_t n,
                float* out);
template <class K>  // std::uint32_t, std::uint64_t
void cub_merge_sort(CUstream_st* stream, void* memory, std::size_t& bytes, K* keys, std::int64_t n);
template <class K>
void cub_merge_sort_pairs(
    CUstream_st* stream, void* memory, std::size_t& bytes, K* keys, K* values, std::int64_t n);
void thrust_scan(CUstream_st* stream, const std::uint32_t* in, std::int64_t n, std::uint32_t* out);
void thrust_merge(CUstream_st* stream,
                  const std::uint32_t* a,
                  std::int64_t a_size,
                  const std::uint32_t* b,
                  std::int64_t b_size,
                  std::uint32_t* out);

}  // namespace yupana::bench
