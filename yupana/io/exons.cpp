#include "yupana/io/exons.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "yupana/core/error.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/text.hpp"
#include "yupana/io/cell.hpp"
#include "yupana/io/line_reader.hpp"

namespace yupana::io {
namespace {

using ExonFields = std::vector<std::string_view>;

const auto integer_of = number_of<std::int64_t>;

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

/// Decodes GFF3's %XX escapes; other percent signs are kept.
std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
                        hex_digit(text[i + 2]) >= 0;
    if (escape) {
      decoded += static_cast<char>(16 * hex_digit(text[i + 1]) + hex_digit(text[i + 2]));
      i += 2;
    } else {
      decoded += text[i];
    }
  }
  return decoded;
}

/// GTF writes attributes as key "value" and knows no escapes; GFF3 writes key=value.
bool is_gtf(const ExonFields& f) {
  return f.size() > 8 && f[8].find('=') == std::string_view::npos &&
         f[8].find(" \"") != std::string_view::npos;
}

/// Collects exons; knows their line.
class Collector {
 public:
  explicit Collector(const LineReader& reader) : reader_(reader) {}

  template <class... Args>
  Error fault(Message<Args...> what, const Args&... args) const {
    return reader_.fault(what.text(args...), what.place);
  }
  std::int64_t place(std::string_view text, const char* what) const {
    const auto value = integer_of(text);
    if (!value || *value > std::int64_t{1} << 60 || *value < -(std::int64_t{1} << 60)) {
      throw fault("{}: expected a whole number, got '{}'", what, text);
    }
    return *value;
  }
  void add(std::vector<ExonRecord>& exons,
           std::string_view sequence,
           std::int64_t first,
           std::int64_t last,
           std::string_view strand) const {
    if (first < 1 || last < first) {
      throw fault("expected an exon with 1 <= first <= last, got {}..{}", first, last);
    }
    if (strand != "+" && strand != "-" && strand != "." && strand != "?") {
      throw fault("expected a strand (+, - or .), got '{}'", strand);
    }
    exons.push_back(
        {std::string(sequence), first, last, strand == "?" ? '.' : strand[0], reader_.number()});
  }

 private:
  const LineReader& reader_;
};

void read_gff(const Collector& to,
              const ExonFields& f,
              std::vector<ExonRecord>& exons,
              std::vector<ExonRecord>& coding) {
  if (integer_of(f[2])) {
    throw to.fault(
        "expected a feature's type in column 3, as GFF3 has it, got '{}'; name a BED "
        "file .bed",
        f[2]);
  }
  const bool exon = f[2] == "exon";
  if (!exon && f[2] != "CDS") return;
  const std::string sequence = is_gtf(f) ? std::string(f[0]) : percent_decoded(f[0]);
  to.add(exon ? exons : coding, sequence, to.place(f[3], "start"), to.place(f[4], "end"), f[6]);
}

void read_bed(const Collector& to, const ExonFields& f, std::vector<ExonRecord>& exons) {
  if (f.size() < 3) {
    throw to.fault("{}; BED has sequence, start, end, ...", counted(std::ssize(f), "column"));
  }
  const std::int64_t start = to.place(f[1], "start");
  const std::int64_t end = to.place(f[2], "end");
  const std::string_view strand = f.size() > 5 ? f[5] : ".";
  if (f.size() < 12) return to.add(exons, f[0], start + 1, end, strand);
  ExonFields sizes = cut(f[10], ','), starts = cut(f[11], ',');
  for (ExonFields* list : {&sizes, &starts}) {
    if (list->back().empty()) list->pop_back();
  }
  if (sizes.size() != starts.size() || std::ssize(sizes) != to.place(f[9], "number of blocks")) {
    throw to.fault(
        "{} block sizes and {} block starts for {} blocks", sizes.size(), starts.size(), f[9]);
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::int64_t first = start + to.place(starts[i], "block start") + 1;
    to.add(exons, f[0], first, first + to.place(sizes[i], "block size") - 1, strand);
  }
}

/// The strand in column `column` of a table; Ensembl writes 1 and -1. Another text there is a
/// column of something else, and exons of the other strand would be taken for those of the first.
std::string_view table_strand(const Collector& to, std::string_view text, std::size_t column) {
  if (text == "1" || text == "+1") return "+";
  if (text == "-1") return "-";
  if (text == "+" || text == "-" || text == "." || text == "?") return text;
  throw to.fault(
      "expected a strand (+, - or .) in column {}, got '{}'; leave out columns other "
      "than [sequence] first last [strand], or name a BED file .bed",
      column,
      text);
}

void read_table(const Collector& to, const ExonFields& f, std::vector<ExonRecord>& exons) {
  const bool named = f.size() > 2 && !integer_of(f[0]);
  const std::size_t at = named ? 1 : 0;
  if (f.size() < at + 2) {
    throw to.fault("expected [sequence] first last [strand] between blanks or tabs, got '{}'",
                   joined(f, " "));
  }
  // Names of a BED file may be strands: the '.' of bedtools.
  if (named && f.size() > 5 && (f[5] == "+" || f[5] == "-")) {
    throw to.fault(
        "expected [sequence] first last [strand], got '{}' in column 6, where BED has the strand; "
        "save a BED file under a name that ends in .bed, or leave out the columns after the fourth",
        f[5]);
  }
  to.add(exons,
         named ? f[0] : std::string_view(),
         to.place(f[at], "first base"),
         to.place(f[at + 1], "last base"),
         f.size() > at + 2 ? table_strand(to, f[at + 2], at + 3) : ".");
}

/// Lines like " 1.01 Intr +  1234  1300   67  2  1 ...": ends are swapped on the - strand.
bool is_genscan(const ExonFields& f) {
  static constexpr std::string_view kinds[] = {"Init", "Intr", "Term", "Sngl"};
  return f.size() > 4 && f[0].find('.') != std::string_view::npos &&
         std::find(std::begin(kinds), std::end(kinds), f[1]) != std::end(kinds);
}

/// Whether the name ends in .bed, in any case, compressed or not.
bool is_bed_name(const std::string& path) {
  const std::string name = lower_case(path);
  const auto ends = [&](const char* ending) { return name.ends_with(ending); };
  return std::ranges::any_of(std::array{".bed", ".bed.gz", ".bed.bgz", ".bed.zst"}, ends);
}

/// Columns without empty ones, between tabs where there is one: names may have blanks.
std::vector<std::string_view> columns_of(std::string_view line) {
  const char* between = line.find('\t') == std::string_view::npos ? " " : "\t";
  std::vector<std::string_view> columns = cut(line, *between);
  for (std::string_view& column : columns) column = trimmed(column);
  std::erase(columns, std::string_view());
  return columns;
}

}  // namespace

std::vector<ExonRecord> read_exons(const std::string& path) {
  enum class Kind { unknown, gff, bed, table, genscan };
  Kind kind = is_bed_name(path) ? Kind::bed : Kind::unknown;
  std::vector<ExonRecord> exons, coding;
  LineReader reader(path);
  const Collector to(reader);
  bool first = true;
  for (std::string_view line; reader.next(line);) {
    if (line.starts_with("##FASTA")) break;
    const auto hidden = [](char c) { return static_cast<unsigned char>(c) < ' ' && c != '\t'; };
    if (std::any_of(line.begin(), line.end(), hidden)) {
      throw to.fault(
          "a control character; expected exons as GFF3, GTF, BED, a table or GENSCAN's text");
    }
    if (line.starts_with('>') && kind != Kind::genscan) {  // which ends with peptides
      throw to.fault("a FASTA record; expected exons as GFF3, GTF, BED, a table or GENSCAN's text");
    }
    if (line.starts_with("GENSCAN")) kind = Kind::genscan;
    const ExonFields words = words_of(line);
    if (words.empty() || line.starts_with('#') || words[0] == "track" || words[0] == "browser") {
      continue;
    }
    if (kind == Kind::genscan) {
      if (!is_genscan(words)) continue;
      const std::int64_t a = to.place(words[3], "begin"), b = to.place(words[4], "end");
      to.add(exons, "", std::min(a, b), std::max(a, b), words[2]);
      continue;
    }
    const ExonFields columns = cut(line, '\t');
    if (kind == Kind::unknown) kind = columns.size() >= 8 ? Kind::gff : Kind::table;
    const bool header = std::none_of(words.begin(), words.end(), integer_of) &&
                        (words[0].front() < '0' || words[0].front() > '9');
    if (kind == Kind::gff) {
      if (columns.size() < 8) {
        throw to.fault("{} between tabs; GFF3 has nine", counted(std::ssize(columns), "column"));
      }
      read_gff(to, columns, exons, coding);
    } else if (!(first && header)) {
      kind == Kind::bed ? read_bed(to, words, exons) : read_table(to, words, exons);
    }
    first = false;
  }
  return exons.empty() ? coding : exons;
}

std::vector<SpliceCase> read_splice_cases(const std::string& path) {
  const bool piped = path.starts_with("/dev/") || path.starts_with("/proc/");
  const auto folder = piped ? std::filesystem::path() : std::filesystem::path(path).parent_path();
  const auto relative = [&](std::string_view name) { return (folder / name).string(); };
  std::vector<SpliceCase> cases;
  LineReader reader(path);
  for (std::string_view line; reader.next(line);) {
    const std::vector<std::string_view> fields = columns_of(line);
    const std::size_t count = fields.size();
    if (count == 0 || fields[0].starts_with('#')) continue;
    if (cases.empty() && fields[0] == "genome") continue;
    if (count < 3 || count > 4) {
      throw reader.fault(
          "expected genome, exons (or auto), target and, after proteins, the "
          "word protein; got {}",
          counted(static_cast<std::int64_t>(count), "column"));
    }
    if (count == 4 && fields[3] != "protein" && fields[3] != "cdna") {
      throw reader.fault("expected protein or cdna in column 4, got '{}'", fields[3]);
    }
    const auto hidden = [](char c) { return static_cast<unsigned char>(c) < ' ' && c != '\t'; };
    const bool bad = std::any_of(line.begin(), line.end(), hidden);
    if (bad) throw reader.fault("expected file names, got a control character");
    cases.push_back({relative(fields[0]),
                     fields[1] == "auto" ? "auto" : relative(fields[1]),
                     relative(fields[2]),
                     count == 4 && fields[3] == "protein"});
  }
  if (cases.empty()) throw bad_file(path, "expected lines of genome, exons and target, got none");
  return cases;
}

}  // namespace yupana::io
