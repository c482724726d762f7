#include "yupana/io/fam.hpp"

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "yupana/core/messages.hpp"
#include "yupana/io/plink_line.hpp"

namespace yupana::io {
namespace {

bool all_differ(const std::vector<std::string>& names) {
  std::unordered_map<std::string_view, std::size_t> seen;
  for (const std::string& name : names) {
    if (!seen.emplace(name, 0).second) return false;
  }
  return true;
}

void check_unique(const std::string& path,
                  const SampleNames& names,
                  const std::vector<std::int64_t>& lines) {
  std::unordered_map<std::string_view, std::size_t> first;
  for (std::size_t i = 0; i < names.ids.size(); ++i) {
    const auto [place, is_new] = first.emplace(names.ids[i], i);
    if (is_new) continue;
    throw bad_line(path,
                   lines[i],
                   "sample '{}' appears in line {} already; give every sample a name of its own",
                   names.ids[i],
                   lines[place->second]);
  }
}

}  // namespace

genotype::Sex sex_of(std::string_view text) {
  if (text == "1" || text == "M" || text == "m") return genotype::Sex::male;
  const bool female = text == "2" || text == "F" || text == "f";
  return female ? genotype::Sex::female : genotype::Sex::unknown;
}

SampleNames read_fam(const std::string& path) {
  SampleNames names;
  std::vector<std::int64_t> lines;
  LineReader reader(path);
  std::string_view fields[6];
  while (next_plink_line(reader, fields, "family, individual, father, mother, sex, phenotype")) {
    names.families.emplace_back(fields[0]);
    names.individuals.emplace_back(fields[1]);
    names.nonfounders.push_back(fields[2] != "0" || fields[3] != "0");
    names.sexes.push_back(sex_of(fields[4]));
    lines.push_back(reader.number());
  }
  set_ids(path, names, {}, lines);
  return names;
}

void set_ids(const std::string& path,
             SampleNames& names,
             const std::vector<std::string>& sources,
             const std::vector<std::int64_t>& lines) {
  if (lines.empty()) throw bad_file(path, "holds no samples");
  names.ids = names.individuals;
  if (all_differ(names.ids)) return;
  const auto append = [&](const std::vector<std::string>& parts, bool first) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      names.ids[i] = first ? parts[i] + '_' + names.ids[i] : names.ids[i] + '_' + parts[i];
    }
  };
  append(names.families, true);
  if (!sources.empty() && !all_differ(names.ids)) append(sources, false);
  check_unique(path, names, lines);
}

void check_sample_names(const std::string& path, const std::vector<std::string>& names) {
  std::unordered_map<std::string_view, std::size_t> first;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) throw bad_file(path, "sample {} has no name; give it one", i + 1);
    const auto [place, is_new] = first.emplace(names[i], i);
    if (is_new) continue;
    throw bad_file(path,
                   "sample '{}' appears twice (samples {} and {}); give every sample a name of its "
                   "own",
                   names[i],
                   place->second + 1,
                   i + 1);
  }
}

}  // namespace yupana::io
