#include "yupana/io/matrix_reader.hpp"

#include <array>
#include <filesystem>
#include <unordered_set>

#include "yupana/io/distance_check.hpp"
#include "yupana/io/matrix_formats.hpp"
#include "yupana/io/npy_layout.hpp"

namespace yupana::io {
namespace {

namespace fs = std::filesystem;

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// Lines without their ends; an empty last line is none.
std::vector<std::string> lines_of(Context& context, const std::string& path) {
  const InputFile file(path);
  const Array<char> bytes = read_text(file, context.memory());
  std::string_view text(bytes.data(), static_cast<std::size_t>(bytes.size() - 1));
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (ends_with(line, "\r")) line.remove_suffix(1);
    lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Names from lines FAMILY<TAB>INDIVIDUAL: the individuals, or both where these repeat.
std::vector<std::string> plink_names(const std::string& path, std::vector<std::string> lines) {
  std::vector<std::string> both;
  std::unordered_set<std::string> seen;
  bool unique = true;
  std::int64_t number = 0;
  for (std::string& line : lines) {
    ++number;
    const std::size_t tab = line.find_first_of("\t ");
    if (tab == std::string::npos) {
      throw bad_line(path, number, "wanted a family and an individual identifier");
    }
    std::string individual = line.substr(tab + 1);
    both.push_back(line.substr(0, tab) + "_" + individual);
    unique = seen.insert(individual).second && unique;
    line = std::move(individual);
  }
  return unique ? lines : both;
}

/// The list of names beside a matrix file, by the names that yupana and PLINK give both.
std::optional<ListedNames> listed_names(Context& context, const std::string& path) {
  fs::path base(path);
  for (const std::string_view extension : {".gz", ".bin", ".npy"}) {
    if (base.extension() == extension) base.replace_extension();
  }
  const std::string plink = base.string() + ".id";
  std::error_code none;
  if (fs::is_regular_file(plink, none)) {
    return ListedNames{plink, plink_names(plink, lines_of(context, plink))};
  }
  fs::path stem = base;
  for (const fs::path& list :
       {fs::path(base.string() + ".ids"), fs::path(stem.replace_extension().string() + ".ids")}) {
    if (fs::is_regular_file(list, none)) return ListedNames{list.string(), lines_of(context, list)};
  }
  return std::nullopt;
}

RawMatrix read_raw(Context& context,
                   const InputFile& file,
                   const std::optional<ListedNames>& listed) {
  std::array<char, 6> magic{};
  if (file.size() >= 6) file.read_at(0, magic.data(), magic.size());
  if (is_npy({magic.data(), magic.size()})) return read_npy_matrix(context, file);
  if (ends_with(file.path(), ".npy")) throw bad_file(file.path(), "not a .npy file (no signature)");
  if (ends_with(file.path(), ".bin")) return read_plink_binary(context, file, listed);
  return read_text_matrix(context, file, listed);
}

template <class T>
void settle(Context& context, const std::string& path, RawMatrix& raw, SquareMatrix<T>& values) {
  if (raw.transposed) transpose(context, values);
  if (raw.lower_only || (raw.may_be_square0 && upper_is_empty(context, values))) {
    mirror_lower(context, values);
  }
  check_distances(context, path, raw.matrix.names, raw.tolerance, values);
}

}  // namespace

DistanceMatrix read_distances(Context& context, const std::string& path) {
  const InputFile file(path);
  if (file.size() == 0) throw bad_file(path, "is empty; wanted a matrix of distances");
  Stage stage(context, "read " + path, static_cast<double>(file.size()), "bytes");
  const std::optional<ListedNames> listed = listed_names(context, path);
  RawMatrix raw = read_raw(context, file, listed);
  std::visit(
      [&](auto& values) {
        if (values.size() == 0) throw bad_file(path, "holds a matrix of no rows");
        if (listed && raw.matrix.names.empty()) {
          if (static_cast<std::int64_t>(listed->names.size()) != values.size()) {
            throw bad_file(path,
                           fmt::format("has {} rows and {} lists {} samples; remove the list if it "
                                       "belongs to another matrix",
                                       values.size(),
                                       listed->path,
                                       listed->names.size()));
          }
          raw.matrix.names = listed->names;
        }
        settle(context, path, raw, values);
      },
      raw.matrix.values);
  stage.advance(static_cast<double>(file.size()));
  return std::move(raw.matrix);
}

}  // namespace yupana::io
