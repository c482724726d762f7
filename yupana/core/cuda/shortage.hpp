#pragma once

/// Memory that is kept for later and can be missed. Only files of the CUDA build include this.
namespace yupana::cuda {

/// `release` gives back what is kept, on whatever device and from whatever thread, and takes no
/// memory; called where an allocation of the process (runtime.hpp) finds too little, which is then
/// tried once more. For the life of the process.
void on_shortage(void (*release)());

}  // namespace yupana::cuda
