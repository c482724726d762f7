#include "yupana/job/input_samples.hpp"

#include <filesystem>
#include <set>
#include <string_view>
#include <unordered_set>

#include "yupana/core/counted.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/sample_lists.hpp"
#include "yupana/job/run_files.hpp"

namespace yupana::job {
namespace {

namespace fs = std::filesystem;

void note_unknown_families(Context& context,
                           const std::string& path,
                           const std::unordered_set<std::string>& families,
                           const io::SampleNames& names) {
  std::set<std::string> unknown(families.begin(), families.end());
  for (const std::string& family : names.families) unknown.erase(family);
  if (unknown.empty()) return;
  context.note(
      fmt::format("{}: families of no sample of the input are ignored: {} of {}, one is '{}'",
                  path,
                  unknown.size(),
                  families.size(),
                  *unknown.begin()));
}

}  // namespace

std::vector<std::string> listed_samples(Context& context,
                                        const char* option,
                                        const std::string& path,
                                        const io::SampleNames& names) {
  note_pipe(context, path);
  io::SampleList list = io::read_sample_list(path, names);
  if (list.unknown > 0) {
    context.note(
        fmt::format("{}: names of no sample of the input are ignored: {} of {}, the first {}",
                    path,
                    list.unknown,
                    counted(list.unknown + std::ssize(list.ids), "line"),
                    list.first_unknown));
  }
  if (list.ids.empty() && option == std::string_view("--keep")) {
    throw bad_file(path,
                   "--keep: no line names one of the {} samples of the input, so that none is left",
                   names.ids.size());
  }
  if (list.ids.empty() && list.unknown == 0) {
    context.note(fmt::format("{}: {}: the file names no sample", path, option));
  }
  return std::move(list.ids);
}

genotype::LeftOut left_out_families(Context& context,
                                    const char* option,
                                    const std::string& path,
                                    const io::SampleNames& names) {
  const bool keeps = option == std::string_view("--keep-fam");
  if (names.families.empty()) {
    throw usage_error("{}: the samples of this input have no families; leave it out", option);
  }
  const std::unordered_set<std::string> families = io::read_first_column(path);
  note_unknown_families(context, path, families, names);
  genotype::LeftOut result{fmt::format("family {}in {}", keeps ? "not " : "", option), {}};
  for (std::size_t i = 0; i < names.ids.size(); ++i) {
    if (families.contains(names.families[i]) != keeps) result.samples.push_back(names.ids[i]);
  }
  if (result.samples.size() == names.ids.size()) {
    throw bad_file(
        path, "{}: leaves none of the {} samples of the input", option, names.ids.size());
  }
  return result;
}

void refuse_packed(const std::string& path) {
  std::error_code none;
  std::string packed = fs::exists(path + ".bed.gz", none) ? path + ".bed.gz" : path;
  for (const char* ending : {".gz", ".bz2", ".xz", ".zst", ".zip"}) {
    if (!packed.ends_with(ending) || !fs::exists(packed, none)) continue;
    throw bad_file(packed,
                   "is compressed, and of files of genotypes only VCF is read so; unpack it first");
  }
}

}  // namespace yupana::job
