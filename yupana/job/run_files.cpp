#include "yupana/job/run_files.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/number_field.hpp"
#include "yupana/io/text_fields.hpp"

namespace yupana::job {

void check_memory(const Context& context, std::string_view what, std::uint64_t bytes) {
  if (bytes <= context.memory()) return;
  const auto needed = static_cast<double>(bytes);
  throw resource_error("{} needs {} of memory, and {} are allowed; give --memory {}",
                       what,
                       needed_bytes(needed),
                       allowed_bytes(context.memory()),
                       memory_option(needed));
}

void note_pipe(Context& context, const std::string& path) {
  struct stat status {};
  if (path.starts_with("/dev/") || path.starts_with("/proc/")) return;
  if (stat(path.c_str(), &status) != 0 || !S_ISFIFO(status.st_mode)) return;
  context.note(fmt::format("{}: is a pipe; waiting for a program that writes to it", path));
}

std::string without_tsv(const std::string& out) {
  const std::filesystem::path path(out);
  return path.extension() == ".tsv" ? (path.parent_path() / path.stem()).string() : out;
}

std::string table_path(const std::string& out, std::string_view ending) {
  return without_tsv(out) == out ? out + std::string(ending) : out;
}

namespace {

/// Files of one alpha of an earlier run, PREFIX.alphaA with one of the endings, by their names.
std::set<std::string> files_of_alphas(const std::string& prefix,
                                      std::initializer_list<const char*> endings) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(prefix).parent_path();
  const std::string lead = fs::path(prefix).filename().string() + ".alpha";
  std::set<std::string> paths;
  std::error_code none;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(folder.empty() ? fs::path(".") : folder, none)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(lead)) continue;
    const std::string_view rest = std::string_view(name).substr(lead.size());
    for (const std::string_view ending : endings) {
      if (!rest.ends_with(ending)) continue;
      const auto alpha = io::number_of<double>(rest.substr(0, rest.size() - ending.size()));
      if (alpha) paths.insert((folder / name).string());
    }
  }
  return paths;
}

}  // namespace

std::string left_by_earlier_runs(const OutputFiles& files,
                                 const std::string& prefix,
                                 std::initializer_list<const char*> endings) {
  std::vector<std::string> paths;
  for (const char* const ending : endings) paths.push_back(prefix + ending);
  const std::set<std::string> of_alphas = files_of_alphas(prefix, endings);
  paths.insert(paths.end(), of_alphas.begin(), of_alphas.end());
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

std::unique_ptr<io::ColumnReader> open_column(const std::string& path, const TextType& text_type) {
  auto reader = std::make_unique<io::ColumnReader>(path, text_type.value_or(io::NumberType{}));
  if (!text_type || reader->type() == *text_type) return reader;
  throw usage_error("--type {}: {} is a .npy of {}, which names its type itself; leave --type out",
                    text_type->name(),
                    path,
                    reader->type().name());
}

void note_comments(Context& context, const io::ColumnReader& reader) {
  if (reader.comments() > 0) context.note(io::comments_note(reader.path(), reader.comments()));
}

void check_not_compressed(const std::string& out) {
  for (const char* end : {".gz", ".bgz", ".bz2", ".xz", ".zst", ".zip", ".npz"}) {
    if (!io::lower_case(out).ends_with(end)) continue;
    throw usage_error(
        "-o {}: expected a name for .npy or plain text, got one for {}, which is not written; name "
        "it .npy or .txt",
        out,
        end);
  }
}

}  // namespace yupana::job
