#pragma once

#include <string>
#include <string_view>

namespace yupana::python {

/// A message of the library with its parameters as a Python caller writes them: "--maf" is min_maf,
/// "--device cpu" is device="cpu", "--memory 87M" is memory=87_000_000. Options without a parameter
/// in Python stay as they are, and so do the command lines of other programs.
std::string python_words(std::string_view message);

}  // namespace yupana::python
