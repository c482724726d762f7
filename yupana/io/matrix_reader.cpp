#include "yupana/io/matrix_reader.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "yupana/core/messages.hpp"
#include "yupana/io/matrix_formats.hpp"
#include "yupana/io/npy_layout.hpp"
#include "yupana/io/text_fields.hpp"

namespace yupana::io {
namespace {

namespace fs = std::filesystem;

/// Lines without their ends; an empty last line is none. A list is small next to its matrix, which
/// says what memory the run needs.
std::vector<std::string> lines_of(Context& context, const std::string& path) {
  constexpr std::uint64_t least = 16 << 20;
  const InputFile file(path);
  const Array<char> bytes = read_text(file, std::max(context.memory(), least));
  const auto lines = split_lines(std::string_view(bytes.data(), bytes.size() - 1));
  return {lines.begin(), lines.end()};
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
      throw bad_line(path, number, "expected a family and an individual identifier, got one word");
    }
    std::string individual = line.substr(tab + 1);
    both.push_back(line.substr(0, tab) + "_" + individual);
    unique = seen.insert(individual).second && unique;
    line = std::move(individual);
  }
  return unique ? lines : both;
}

std::optional<ListedNames> listed_names(Context& context, const std::string& path) {
  const std::string list = names_file_of(path);
  if (list.empty()) return std::nullopt;
  std::vector<std::string> lines = lines_of(context, list);
  if (list.ends_with(".id")) lines = plink_names(list, std::move(lines));
  return ListedNames{list, std::move(lines)};
}

/// Genotypes are the other input of commands that take distances, and no table.
void refuse_genotypes(const InputFile& file) {
  const std::string head = head_of(file, 16);
  for (const std::string_view magic :
       {"\x6c\x1b\x01", "\x6c\x1b\x10", "##fileformat=VCF", "BCF\2"}) {
    if (!head.starts_with(magic)) continue;
    throw bad_file(file.path(), "holds genotypes, not distances; make them with 'yupana dist'");
  }
}

RawMatrix read_raw(Context& context,
                   const InputFile& file,
                   const std::optional<ListedNames>& listed,
                   const MatrixCheck& check) {
  if (is_npy(file)) return read_npy_matrix(context, file, check);
  if (file.path().ends_with(".npy")) throw bad_file(file.path(), "not a .npy file (no signature)");
  if (file.path().ends_with(".bin")) return read_plink_binary(context, file, listed, check);
  refuse_genotypes(file);
  return read_text_matrix(context, file, listed, check);
}

template <class T>
void settle(Context& context, const std::string& path, RawMatrix& raw, SquareMatrix<T>& values) {
  if (raw.transposed) transpose(context, values);
  if (raw.lower_only || (raw.may_be_square0 && upper_is_empty(context, values))) {
    mirror_lower(context, values);
  }
  check_distances(context, path, raw.matrix.names, raw.tolerance, values);
}

/// A sample is chosen by its name: of two that share one, only the first could be.
void check_names(const std::string& path, const std::vector<std::string>& names) {
  std::unordered_map<std::string_view, std::size_t> rows;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto [first, is_new] = rows.emplace(names[i], i + 1);
    if (is_new) continue;
    throw bad_file(
        path,
        "expected a name of its own for every sample, got '{}' for rows {} and {}; rename one",
        names[i],
        first->second,
        i + 1);
  }
}

}  // namespace

std::string names_file_of(const std::string& path) {
  fs::path base(path);
  for (const std::string_view extension : {".gz", ".bin", ".npy"}) {
    if (base.extension() == extension) base.replace_extension();
  }
  fs::path stem = base;
  stem.replace_extension();
  for (const std::string& list :
       {base.string() + ".id", base.string() + ".ids", stem.string() + ".ids"}) {
    std::error_code none;
    if (fs::is_regular_file(list, none)) return list;
  }
  return {};
}

DistanceMatrix read_distances(Context& context, const std::string& path, const MatrixCheck& check) {
  const InputFile file(path);
  if (file.size() == 0) throw bad_file(path, "expected a matrix of distances, got an empty file");
  Stage stage(context, "read " + path, static_cast<double>(file.size()), "bytes");
  const std::optional<ListedNames> listed = listed_names(context, path);
  RawMatrix raw = read_raw(context, file, listed, check);
  std::visit(
      [&](auto& values) {
        if (values.size() == 0) throw bad_file(path, "holds a matrix of no rows");
        if (listed && raw.matrix.names.empty()) {
          if (static_cast<std::int64_t>(listed->names.size()) != values.size()) {
            throw bad_file(path,
                           "has {} rows and {} lists {} samples; remove the list if it belongs to "
                           "another matrix",
                           values.size(),
                           listed->path,
                           listed->names.size());
          }
          raw.matrix.names = listed->names;
        }
        check_names(path, raw.matrix.names);
        settle(context, path, raw, values);
      },
      raw.matrix.values);
  stage.advance(static_cast<double>(file.size()));
  return std::move(raw.matrix);
}

}  // namespace yupana::io
