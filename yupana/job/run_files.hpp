#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yupana/core/atomic_file.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/column.hpp"
#include "yupana/job/arrays.hpp"

namespace yupana::job {

/// Throws out_of_resources where work on a file is about to hold more bytes than --memory allows.
/// `what` names command and file; `later`: bytes that steps after it take, for the refusal;
/// `at_most`: what is not known yet may leave some of them out. The program itself, about 14 MB, is
/// not counted.
void check_memory(const Context& context,
                  std::string_view what,
                  std::uint64_t bytes,
                  const std::function<double()>& later = {},
                  bool at_most = false);

/// What body() returns; faults that begin with the name of a function of the library ("pca: ")
/// have that of the input in front.
template <class Body>
auto with_input_name(const std::string& name, std::string_view function, const Body& body) {
  try {
    return body();
  } catch (const Error& error) {
    const bool is_own = std::string_view(error.what()).starts_with(function);
    if (error.code() != ErrorCode::bad_input || !is_own) throw;
    throw bad_file(name, error.what(), error.place());
  }
}

/// Bytes that suffice to sort `bytes` of items in runs of half as many as those, and to merge the
/// runs through windows of `window` bytes each.
std::uint64_t merge_memory(double bytes, double window);

/// Notes that a named pipe is waited for, since its writer may never come; one that a shell made
/// (/dev/fd/N) has its own. For files that are read once, from their beginning on. errors: usage,
/// of several ranks: what one has read of a pipe no other reads, and the first alone has standard
/// input.
void note_pipe(Context& context, const std::string& path);

/// PREFIX with the ending of a table that a command writes; a name that ends in .tsv is the file.
std::string table_path(const std::string& out, std::string_view ending);
/// The folder of a run's files, for what waits on disk while the run lasts.
std::string folder_of_files(const std::string& out);
/// What the other files of such a run begin with: the name without .tsv.
std::string without_tsv(const std::string& out);

/// Names in one line the files that an earlier run left beside those of this one; empty: none did.
/// Such files stay: they are the user's, and may be what this run has read. endings: of what the
/// command writes after `prefix`, always or with some option.
std::string left_by_earlier_runs(const OutputFiles& files,
                                 const std::string& prefix,
                                 std::initializer_list<const char*> endings);

/// Makes the files of a run visible, unless it was cancelled, and appends their paths. Notes what
/// earlier runs left.
void commit_files(Context& context,
                  OutputFiles& files,
                  std::vector<std::string>& paths,
                  const std::string& prefix = {},
                  std::initializer_list<const char*> endings = {});

/// Numbers handed to an algorithm at a time. Part of the results: the carry of a float scan is
/// rounded at each boundary, so that it must not depend on memory.
inline constexpr std::int64_t column_chunk = std::int64_t{1} << 21;

/// A file of numbers, open for reading.
///   option: the one that named the type of a text
///   advice: how the user has its numbers read as another type
///   errors: usage for another type than a .npy holds; what io::ColumnReader refuses
std::unique_ptr<io::ColumnReader> open_column(const std::string& path,
                                              const TextType& text_type,
                                              const char* option = "--type",
                                              const io::TypeAdvice& advice = {});

/// Notes lines of a text that were left out as comments, once it is read.
void note_comments(Context& context, const io::ColumnReader& reader);

/// Calls body with an int64, uint64 or double zero: the widest type of the kind.
template <class Body>
auto with_widest_type(io::NumberType type, const Body& body) {
  if (type.kind == 'f') return body(double{});
  return type.kind == 'i' ? body(std::int64_t{}) : body(std::uint64_t{});
}

/// Notes two classes whose names are one number, as 1 and 1.0.
void note_equal_classes(Context& context,
                        const std::string& path,
                        const std::vector<std::string>& classes);

/// Whether classes that are all numbers are whole; none where one is no number.
std::optional<bool> are_whole_numbers(const std::vector<std::string>& classes);

/// Notes classes that are measurements, as a rule: more than 100 numbers, or 20 not all whole.
void note_number_classes(Context& context,
                         const std::string& path,
                         const std::vector<std::string>& classes,
                         const char* what_to_do);

/// Throws a usage error where the name of an output promises compression, which nothing here does.
void check_not_compressed(const std::string& out);

/// The same of columns of numbers, for other formats too; `pairs`: complex numbers, whose parts a
/// blank separates in text.
void check_column_name(const std::string& out, bool pairs = false);

/// Whether an output's name is that of a table or record which is no lines of text, as .parquet.
bool names_no_text(const std::string& out);

}  // namespace yupana::job
