#include <unordered_map>
#include <utility>

#include "yupana/core/messages.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/io/text_fields.hpp"
#include "yupana/io/vcf_file.hpp"

namespace yupana::io {
namespace {

std::string_view without_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// "##contig=<ID=20,length=63025520>" -> "20"; empty for other lines.
std::string_view contig_of(std::string_view line) {
  if (!line.starts_with("##contig=<")) return {};
  std::size_t at = line.find("<ID=");
  if (at == std::string_view::npos) at = line.find(",ID=");
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + 4);
  return line.substr(0, line.find_first_of(",>"));
}

/// Throws unless the version is "VCFv4.3" or the like.
void check_version(std::string_view path, std::string_view line) {
  constexpr std::string_view key = "##fileformat=";
  if (!line.starts_with(key)) return;
  line.remove_prefix(key.size());
  const std::size_t number = line.starts_with("VCFv") ? 4 : line.size();
  if (number == line.size() || line.find_first_not_of("0123456789.", number) != line.npos) {
    throw bad_line(
        path, 1, "expected ##fileformat=VCFv4.2 or another version, got '{}'", printable(line));
  }
}

void parse_columns(std::string_view path, std::string_view line, VcfHeader& header) {
  constexpr std::string_view fixed = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO";
  if (!line.starts_with(fixed)) {
    throw bad_line(path,
                   header.lines,
                   "the header's last line should name the columns #CHROM POS ID REF ALT QUAL "
                   "FILTER INFO FORMAT and the samples, separated by tabs");
  }
  line.remove_prefix(fixed.size());
  constexpr std::string_view format = "\tFORMAT\t";
  if (!line.starts_with(format)) {
    throw bad_line(path, header.lines, "no samples: expected genotypes, got sites only");
  }
  const auto samples = cut(line.substr(format.size()), '\t');
  header.samples.assign(samples.begin(), samples.end());
  std::unordered_map<std::string_view, std::size_t> columns;
  for (std::size_t i = 0; i < header.samples.size(); ++i) {
    const std::string& sample = header.samples[i];
    if (sample.empty()) throw bad_line(path, header.lines, "sample {} has no identifier", i + 1);
    const auto [first, is_new] = columns.emplace(sample, i);
    if (!is_new) {
      throw bad_line(path,
                     header.lines,
                     "sample identifier '{}' appears twice (samples {} and {}); rename one: "
                     "bcftools reheader -s",
                     sample,
                     first->second + 1,
                     i + 1);
    }
  }
}

}  // namespace

VcfHeader parse_vcf_header(std::string_view path, std::string text) {
  VcfHeader header;
  header.text = std::move(text);
  std::string_view rest = header.text;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = without_return(rest.substr(0, end));
    ++header.lines;
    if (line.find('\0') != line.npos) {
      throw bad_line(path, header.lines, "expected text, got a NUL byte; is the file damaged?");
    }
    if (header.lines == 1) check_version(path, line);
    if (!line.starts_with("##")) {
      parse_columns(path, line, header);
      return header;
    }
    if (const std::string_view contig = contig_of(line); !contig.empty()) {
      header.contigs.emplace_back(contig);
    }
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  throw bad_line(path,
                 header.lines,
                 "the header ends without the line of column names (#CHROM ...): the file is cut "
                 "short or is no VCF");
}

}  // namespace yupana::io
