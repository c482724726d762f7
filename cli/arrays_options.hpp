#pragma once

#include <map>
#include <string>

#include "cli/command.hpp"
#include "yupana/job/arrays.hpp"

namespace yupana::cli {

/// --op, --wrap and --type of the commands on columns of numbers.
void add_operator(CLI::App& app, job::ArrayOperator& op);
void add_wrap(CLI::App& app, bool& wrap);
void add_text_type(CLI::App& app, job::TextType& type);
/// -o is the output's own name here; a usage error where it is missing.
std::string output_of(const CommonOptions& common);
/// "12 numbers (f8) in out.npy" and the same for programs.
Answer told(const std::string& command, const std::string& out, const job::ArrayFileResult& result);

}  // namespace yupana::cli
