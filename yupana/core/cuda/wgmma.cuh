#pragma once

#include <cstdint>

/// Tensor cores of Hopper (compute capability 9.0a): 64 x 256 x 256 bits an instruction, or 64 x
/// 256 x 32 bytes, or 64 x 256 x 16 bfloat16 values. Fragment of thread t of a warp group (128
/// threads, warp w, lane l): element i is the sum of row 16 w + l / 4 + 8 (i / 2 % 2), column 8 (i
/// / 4) + 2 (l % 4) + i % 2.
namespace yupana::cuda {

/// Address, in 16-byte units, of an operand tile in shared memory: rows of 128 bytes, 128-byte
/// swizzle as the copy engine writes it, groups of 8 rows 1,024 bytes apart.
__device__ inline std::uint64_t tile_descriptor(std::uint32_t address) {
  constexpr std::uint64_t swizzle_128 = std::uint64_t{1} << 62;
  constexpr std::uint64_t group_of_8_rows = std::uint64_t{1024 >> 4} << 32;
  constexpr std::uint64_t leading = std::uint64_t{1} << 16;  // not used with this swizzle
  return ((address & 0x3ffff) >> 4) | leading | group_of_8_rows | swizzle_128;
}

__device__ inline void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
/// Waits until at most `pending` committed groups are unfinished.
template <int pending>
__device__ inline void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}

// clang-format off
#define YUPANA_R4(i) "+r"(c[i]), "+r"(c[i + 1]), "+r"(c[i + 2]), "+r"(c[i + 3])
#define YUPANA_R16(i) YUPANA_R4(i), YUPANA_R4(i + 4), YUPANA_R4(i + 8), YUPANA_R4(i + 12)
#define YUPANA_R64(i) YUPANA_R16(i), YUPANA_R16(i + 16), YUPANA_R16(i + 32), YUPANA_R16(i + 48)

// Sums of integer products, by the instruction's shape and types.
#define YUPANA_WGMMA(operation) \
  asm volatile( \
      "{\n" \
      ".reg .pred p;\n" \
      "setp.ne.b32 p, %130, 0;\n" \
      "wgmma.mma_async.sync.aligned." operation " {" \
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, " \
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, " \
      "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
      "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127" \
      "}, %128, %129, p;\n" \
      "}\n" \
      : YUPANA_R64(0), YUPANA_R64(64) \
      : "l"(a), "l"(b), "r"(static_cast<int>(keep)))

/// c(i, j) = [c(i, j) if keep] + popcount(a(i) & b(j)) over 256 bits.
__device__ inline void wgmma_and_popc(std::uint32_t (&c)[128], std::uint64_t a, std::uint64_t b, bool keep) {
  YUPANA_WGMMA("m64n256k256.s32.b1.b1.and.popc");
}
/// c(i, j) = [c(i, j) if keep] + sum of a(i, k) b(j, k) over 32 bytes, modulo 2^32.
__device__ inline void wgmma_bytes(std::uint32_t (&c)[128], std::uint64_t a, std::uint64_t b, bool keep) {
  YUPANA_WGMMA("m64n256k32.s32.u8.u8");
}
#undef YUPANA_WGMMA
#define YUPANA_F4(i) "+f"(c[i]), "+f"(c[i + 1]), "+f"(c[i + 2]), "+f"(c[i + 3])
#define YUPANA_F16(i) YUPANA_F4(i), YUPANA_F4(i + 4), YUPANA_F4(i + 8), YUPANA_F4(i + 12)
#define YUPANA_F64(i) YUPANA_F16(i), YUPANA_F16(i + 16), YUPANA_F16(i + 32), YUPANA_F16(i + 48)

/// c(i, j) += sum of a(i, k) b(j, k) over 16 bfloat16 values; both tiles hold k along a row.
__device__ inline void wgmma_bfloat16(float (&c)[128], std::uint64_t a, std::uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
      "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
      "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
      "}, %128, %129, 1, 1, 1, 0, 0;\n"
      : YUPANA_F64(0), YUPANA_F64(64)
      : "l"(a), "l"(b));
}
#undef YUPANA_F4
#undef YUPANA_F16
#undef YUPANA_F64
#undef YUPANA_R4
#undef YUPANA_R16
#undef YUPANA_R64
// clang-format on

}  // namespace yupana::cuda
