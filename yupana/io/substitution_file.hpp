#pragma once

#include <string>

#include "yupana/splice/substitution.hpp"

namespace yupana::io {

/// A substitution matrix as NCBI writes them: '#' comments, a line of letters, a line for each
/// letter with its scores. Errors (bad_input) name file and line.
splice::Substitution read_substitution(const std::string& path);

}  // namespace yupana::io
