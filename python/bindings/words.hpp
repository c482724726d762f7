#pragma once

#include <string>

namespace yupana::python {

/// A message of the library with the options of the command line that it names in the words of
/// Python: `--maf` is min_maf, `--device cpu` device='cpu', `--memory to 2.81M` memory to 2810000.
/// Options of other programs' command lines, and those that have no parameter, stay.
std::string in_python_words(const std::string& message);

}  // namespace yupana::python
