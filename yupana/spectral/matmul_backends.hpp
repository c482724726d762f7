#pragma once

#include "yupana/spectral/matmul.hpp"

/// What matmul.cpp dispatches to; shapes are checked. Instantiated for float and double.
namespace yupana::spectral {

namespace reference {
/// Row by column, summed in the type itself.
template <class T>
void matmul(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c);
}  // namespace reference

namespace cpu {
template <class T>
void matmul(Context& context,
            MatrixView<const T> a,
            MatrixView<const T> b,
            MatrixView<T> c,
            std::int64_t strassen_above);
/// c = a b, or c + a b, by the classical sums.
template <class T>
void classical(
    Context& context, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, bool add);
}  // namespace cpu

}  // namespace yupana::spectral
