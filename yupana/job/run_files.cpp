#include "yupana/job/run_files.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/unfinished_files.hpp"
#include "yupana/io/cell.hpp"
#include "yupana/report/report.hpp"

namespace yupana::job {

void check_memory(const Context& context,
                  std::string_view what,
                  std::uint64_t bytes,
                  const std::function<double()>& later,
                  bool at_most) {
  if (bytes <= context.memory()) return;
  const auto needed = static_cast<double>(bytes);
  throw resource_error("{} needs {}{} of memory, and {} are allowed; give --memory {}",
                       what,
                       at_most ? "up to " : "",
                       needed_bytes(needed),
                       allowed_bytes(context.memory()),
                       memory_option(later ? std::max(needed, later()) : needed));
}

std::uint64_t merge_memory(double bytes, double window) {
  // Of m: 2 bytes / m runs and one begun, each with a window.
  return static_cast<std::uint64_t>(
      std::ceil(window / 2 + std::sqrt(window * window / 4 + 2 * window * bytes)));
}

void note_pipe(Context& context, const std::string& path) {
  struct stat status {};
  const bool is_pipe = stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
  if (context.ranks() > 1 && (is_pipe || path == "-" || path == "/dev/stdin")) {
    throw usage_error(
        "{}: several processes cannot read one pipe or standard input; give a file, or start one",
        path);
  }
  if (!is_pipe || path.starts_with("/dev/") || path.starts_with("/proc/")) return;
  context.note(fmt::format("{}: is a pipe; waiting for a program that writes to it", path));
}

std::string without_tsv(const std::string& out) {
  const std::filesystem::path path(out);
  return path.extension() == ".tsv" ? (path.parent_path() / path.stem()).string() : out;
}

std::string folder_of_files(const std::string& out) {
  const std::filesystem::path folder = std::filesystem::path(out).parent_path();
  return folder.empty() ? "." : folder.string();
}

std::string table_path(const std::string& out, std::string_view ending) {
  return without_tsv(out) == out ? out + std::string(ending) : out;
}

namespace {

using Endings = std::initializer_list<const char*>;

/// "alphaA" with one of the endings.
bool is_of_an_alpha(std::string_view name, Endings endings) {
  constexpr std::string_view lead = "alpha";
  if (!name.starts_with(lead)) return false;
  name.remove_prefix(lead.size());
  return std::ranges::any_of(endings, [&](std::string_view ending) {
    return name.ends_with(ending) &&
           io::number_of<double>(name.substr(0, name.size() - ending.size())).has_value();
  });
}

/// A figure of a page by itself: "tree1.pdf".
bool is_figure(std::string_view name) {
  constexpr std::string_view kinds[] = {
      "curve", "embedding", "heat-map", "histogram", "scree", "tree"};
  const auto ends = [&](std::string_view ending) { return name.ends_with(ending); };
  if (std::ranges::none_of(report::picture_endings, ends)) return false;
  name = name.substr(0, name.rfind('.'));
  return std::ranges::count(kinds, name.substr(0, name.find_last_not_of("0123456789") + 1)) > 0;
}

/// Files of one alpha of an earlier run, and where it draws a page figures by themselves, by name.
std::set<std::string> numbered_files(const std::string& prefix, Endings endings) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(prefix).parent_path();
  const std::string lead = fs::path(prefix).filename().string() + ".";
  const bool draws = std::ranges::count(endings, std::string_view(".html")) > 0;
  std::set<std::string> paths;
  for (const std::string& name : names_in(folder.empty() ? "." : folder.string())) {
    if (!name.starts_with(lead)) continue;
    const std::string_view rest = std::string_view(name).substr(lead.size());
    if (is_of_an_alpha(rest, endings) || (draws && is_figure(rest))) {
      paths.insert((folder / name).string());
    }
  }
  return paths;
}

/// Throws a usage error where an output's name ends as those of a format that it does not have.
void refuse_names(const std::string& out, std::initializer_list<const char*> endings) {
  for (const char* end : endings) {
    if (!io::lower_case(out).ends_with(end)) continue;
    throw usage_error(
        "-o {}: expected a name for .npy or plain text, got one for {}, which is not written; name "
        "it .npy or .txt",
        out,
        end);
  }
}

constexpr std::initializer_list<const char*> other_tables = {
    ".json", ".mtx", ".parquet", ".feather", ".arrow", ".h5", ".hdf5", ".mat", ".xlsx"};

}  // namespace

std::string left_by_earlier_runs(const OutputFiles& files,
                                 const std::string& prefix,
                                 std::initializer_list<const char*> endings) {
  std::vector<std::string> paths;
  for (const char* const ending : endings) paths.push_back(prefix + ending);
  const std::set<std::string> numbered = numbered_files(prefix, endings);
  paths.insert(paths.end(), numbered.begin(), numbered.end());
  std::string names;
  int count = 0;
  for (const std::string& path : paths) {
    const auto own = [&](const AtomicFile& file) { return file.path() == path; };
    struct stat status {};
    if (std::any_of(files.files().begin(), files.files().end(), own)) continue;
    if (stat(path.c_str(), &status) == 0) names += (count++ > 0 ? ", " : "") + path;
  }
  if (count == 0) return names;
  return names + ": of an earlier run, this one does not write " + (count > 1 ? "them" : "it") +
         " anew";
}

void commit_files(Context& context,
                  OutputFiles& files,
                  std::vector<std::string>& paths,
                  const std::string& prefix,
                  std::initializer_list<const char*> endings) {
  context.check_cancelled();
  files.commit();
  for (const AtomicFile& file : files.files()) paths.push_back(file.path());
  if (context.rank() > 0) return;
  const std::string left = left_by_earlier_runs(files, prefix, endings);
  if (!left.empty()) context.note(left);
}

std::unique_ptr<io::ColumnReader> open_column(const std::string& path,
                                              const TextType& text_type,
                                              const char* option,
                                              const io::TypeAdvice& advice) {
  auto reader =
      std::make_unique<io::ColumnReader>(path, text_type.value_or(io::NumberType{}), advice);
  if (!text_type || reader->type() == *text_type) return reader;
  throw usage_error("{0} {1}: {2} is a .npy of {3}, which names its type itself; leave {0} out",
                    option,
                    text_type->name(),
                    path,
                    reader->type().name());
}

void note_comments(Context& context, const io::ColumnReader& reader) {
  if (reader.comments() > 0) context.note(io::comments_note(reader.path(), reader.comments()));
}

void note_equal_classes(Context& context,
                        const std::string& path,
                        const std::vector<std::string>& classes) {
  std::map<double, const std::string*> numbers;
  for (const std::string& name : classes) {
    const auto value = io::number_of<double>(name);
    if (!value) continue;
    const auto [other, is_new] = numbers.emplace(*value, &name);
    if (is_new) continue;
    context.note(fmt::format("{}: '{}' and '{}' are two classes: names are compared, not numbers",
                             path,
                             *other->second,
                             name));
    return;
  }
}

std::optional<bool> are_whole_numbers(const std::vector<std::string>& classes) {
  bool whole = true;
  for (const std::string& name : classes) {
    const auto value = io::number_of<double>(name);
    if (!value) return {};
    whole = whole && *value == std::floor(*value);
  }
  return whole;
}

void note_number_classes(Context& context,
                         const std::string& path,
                         const std::vector<std::string>& classes,
                         const char* what_to_do) {
  const std::optional<bool> whole = are_whole_numbers(classes);
  if (!whole || classes.size() <= (*whole ? 100 : 20)) return;
  context.note(fmt::format("{}: the label has {} different numbers, and each is a class; {}",
                           path,
                           classes.size(),
                           what_to_do));
}

void check_not_compressed(const std::string& out) {
  refuse_names(out, {".gz", ".bgz", ".bz2", ".xz", ".zst", ".zip", ".npz"});
}

bool names_no_text(const std::string& out) {
  return std::any_of(other_tables.begin(), other_tables.end(), [&](const char* end) {
    return io::lower_case(out).ends_with(end);
  });
}

void check_column_name(const std::string& out, bool pairs) {
  check_not_compressed(out);
  refuse_names(out, other_tables);
  if (pairs) refuse_names(out, {".csv", ".tsv"});
}

}  // namespace yupana::job
