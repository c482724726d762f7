#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/cell.hpp"
#include "yupana/io/genotype_sources.hpp"
#include "yupana/io/line_reader.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/io/sample_lists.hpp"

namespace yupana::io {
namespace {

constexpr std::string_view text_endings[] = {".ped", ".tped"};

/// The path without .gz or .zst.
std::string uncompressed_name(const std::string& path) {
  for (const std::string_view end : {".gz", ".zst"}) {
    if (path.ends_with(end)) return path.substr(0, path.size() - end.size());
  }
  return path;
}

/// The first field of a text, which is cut off; empty after the last.
std::string_view take_field(std::string_view& text) {
  std::string_view field;
  if (split_fields(text, &field, 1) == 0) return {};
  text.remove_prefix(static_cast<std::size_t>(field.data() + field.size() - text.data()));
  return field;
}

/// The variants of a .map or .tped, line by line; blank lines are ignored as PLINK does.
class MapLines {
 public:
  MapLines(const std::string& path, bool transposed) : reader_(path), transposed_(transposed) {}

  /// False after the last.
  bool next();
  const LineReader& reader() const { return reader_; }
  std::string_view line() const { return line_; }
  int position_column() const { return static_cast<int>(columns_); }

  std::string_view chromosome, name, centimorgans, position;
  std::string_view rest;  ///< the alleles of a .tped

 private:
  LineReader reader_;
  std::string_view line_;
  bool transposed_;
  std::size_t columns_ = 0;  ///< 3, without centimorgans, or 4
};

bool MapLines::next() {
  std::string_view fields[5];
  std::size_t count = 0;
  while (count == 0) {
    if (!reader_.next(line_)) return false;
    refuse_null_bytes(reader_, line_);
    count = split_fields(line_, fields, transposed_ ? 4 : 5);
  }
  if (columns_ == 0) columns_ = count == 3 && !transposed_ ? 3 : 4;
  if (count != columns_) {
    throw bad_line(reader_.path(),
                   reader_.number(),
                   "expected {} columns (chromosome, name,{} position{}), got {}{}",
                   columns_,
                   columns_ == 4 ? " centimorgans," : "",
                   transposed_ ? ", then alleles" : "",
                   count,
                   count == 5 ? " or more" : "");
  }
  chromosome = fields[0];
  name = fields[1];
  centimorgans = columns_ == 4 ? fields[2] : "0";
  position = fields[columns_ - 1];
  rest = line_;
  rest.remove_prefix(static_cast<std::size_t>(position.data() + position.size() - line_.data()));
  return true;
}

VariantSites read_map(const PlinkTextFiles& files, const SiteRules& rules) {
  MapLines lines(files.variants(), files.transposed);
  SiteCollector sites(lines.reader(), rules);
  while (lines.next()) {
    sites.add(
        lines.chromosome, lines.position, lines.position_column(), lines.name, Verdict::kept, 1);
  }
  return sites.finish();
}

/// The alleles of a site in order of appearance, and their copies.
struct SiteAlleles {
  std::array<std::string, 2> names;
  std::array<std::int64_t, 2> copies{}, of_founders{};

  /// 0 or 1; 2 for a third allele, -1 for a missing one.
  int number_of(std::string_view allele) {
    if (allele == "0" || allele == ".") return -1;
    for (int k = 0; k < 2; ++k) {
      std::string& known = names[static_cast<std::size_t>(k)];
      if (known.empty()) known = allele;
      if (known == allele) return k;
    }
    return 2;
  }
  /// Whether A1 is the first to appear.
  bool first_is_a1() const {
    if (of_founders[0] != of_founders[1]) return of_founders[0] < of_founders[1];
    return copies[0] < copies[1];
  }
};

class PlinkTextSource : public genotype::Source {
 public:
  PlinkTextSource(Context& context, const PlinkTextFiles& files, const SiteRules& rules);

  const std::vector<std::string>& samples() const override { return people_.ids; }
  const std::vector<bool>& nonfounders() const override { return people_.nonfounders; }
  const std::vector<genotype::Sex>& sexes() const override { return people_.sexes; }
  std::int64_t sites() const override { return calls_.capacity; }
  bool read(genotype::SiteBlock& block) override;
  void rewind() override {
    next_ = 0;
    if (names_) name_sites();
  }
  void name_sites() override;
  std::vector<std::string> chromosomes() const override { return sites_.chromosomes; }
  const genotype::SiteAccount& account() const override { return sites_.account; }

 private:
  void read_samples(Context& context);
  void read_sites(Context& context);
  void add(std::int64_t row,
           std::int64_t sample,
           std::string_view one,
           std::string_view other,
           const LineReader& reader,
           std::int64_t site);
  void count_a1();
  genotype::SiteName name_of(std::int64_t row);
  [[noreturn]] void refuse_columns(const LineReader& reader, std::string_view line) const;

  PlinkTextFiles files_;
  SampleNames people_;
  VariantSites sites_;
  std::vector<SiteAlleles> alleles_;  ///< of each kept site
  genotype::SiteBlock calls_;         ///< of each kept site
  std::int64_t next_ = 0;             ///< row of calls_
  std::optional<MapLines> names_;     ///< where sites have names
  std::int64_t named_ = 0;            ///< variants that names_ has given
  std::optional<SiteCursor> cursor_;  ///< where sites have names: at the next row
};

PlinkTextSource::PlinkTextSource(Context& context,
                                 const PlinkTextFiles& files,
                                 const SiteRules& rules)
    : files_(files), people_(read_fam(files.samples())), sites_(read_map(files, rules)) {
  people_.families = people_.individuals = {};
  const std::int64_t kept = sites_.account.kept, samples = std::ssize(people_.ids);
  const std::uint64_t bytes = plink_text_bytes(samples, kept);
  if (bytes > context.memory()) {
    throw resource_error(
        "{}: its calls need {} of memory, and {} are allowed; give --memory {}, or make a .bed of "
        "it with plink1.9 --make-bed",
        files.calls,
        needed_bytes(static_cast<double>(bytes)),
        allowed_bytes(context.memory()),
        memory_option(static_cast<double>(bytes)));
  }
  alleles_.resize(static_cast<std::size_t>(kept));
  calls_ = genotype::SiteBlock(samples, kept);
  std::fill(calls_.codes.begin(), calls_.codes.end(), std::uint8_t{0});  // none of no site
  if (files.transposed) {
    read_sites(context);
  } else {
    read_samples(context);
  }
  count_a1();
}

/// Another number of columns than samples and sites ask for.
void PlinkTextSource::refuse_columns(const LineReader& reader, std::string_view line) const {
  std::int64_t fields = 0;
  while (!take_field(line).empty()) ++fields;
  const std::int64_t pairs = files_.transposed ? std::ssize(people_.ids) : sites_.sites;
  const std::int64_t first = files_.transposed ? 4 : 6;
  throw bad_line(reader.path(),
                 reader.number(),
                 "expected {} columns, {} and two alleles for each of {} of {}, got {}",
                 first + 2 * pairs,
                 first,
                 counted(pairs, files_.transposed ? "sample" : "site"),
                 files_.others,
                 fields);
}

/// Adds one call to row `row`; `site` is its number in the file.
void PlinkTextSource::add(std::int64_t row,
                          std::int64_t sample,
                          std::string_view one,
                          std::string_view other,
                          const LineReader& reader,
                          std::int64_t site) {
  SiteAlleles& alleles = alleles_[static_cast<std::size_t>(row)];
  const int a = alleles.number_of(one), b = alleles.number_of(other);
  const auto place = [&] {
    return fmt::format(
        "sample {}, site {}", printable(people_.ids[static_cast<std::size_t>(sample)]), site + 1);
  };
  if (a == 2 || b == 2) {
    throw bad_line(reader.path(),
                   reader.number(),
                   "{}: expected alleles {} and {}, got {}; leave the site out, or split it",
                   place(),
                   printable(alleles.names[0]),
                   printable(alleles.names[1]),
                   printable(a == 2 ? one : other));
  }
  if ((a < 0) != (b < 0)) {
    throw bad_line(reader.path(),
                   reader.number(),
                   "{}: expected two alleles or two missing ones, got {} {}",
                   place(),
                   printable(one),
                   printable(other));
  }
  genotype::Code code = genotype::missing_call;
  if (a >= 0) {
    // Of the second allele, until count_a1().
    constexpr genotype::Code codes[] = {
        genotype::homozygous_a2, genotype::heterozygous, genotype::homozygous_a1};
    code = codes[a + b];
    for (const int k : {a, b}) {
      ++alleles.copies[static_cast<std::size_t>(k)];
      const bool founder = !people_.nonfounders[static_cast<std::size_t>(sample)];
      alleles.of_founders[static_cast<std::size_t>(k)] += founder;
    }
  }
  calls_.row(row)[sample / 4] |= static_cast<std::uint8_t>(code << (2 * (sample % 4)));
}

void PlinkTextSource::read_samples(Context& context) {
  const Stage stage(context, "read .ped");
  LineReader reader(files_.calls);
  std::int64_t sample = 0;
  for (std::string_view line; reader.next(line);) {
    context.check_cancelled();
    std::string_view rest = line;
    for (int k = 0; k < 6; ++k) take_field(rest);
    if (trimmed(line).empty()) continue;
    std::int64_t row = 0, site = 0;
    for (const Range kept : sites_.kept) {
      for (; site < kept.begin; ++site) {
        take_field(rest);
        take_field(rest);
      }
      for (; site < kept.end; ++site, ++row) {
        const std::string_view one = take_field(rest), other = take_field(rest);
        if (other.empty()) refuse_columns(reader, line);
        add(row, sample, one, other, reader, site);
      }
    }
    for (; site < sites_.sites; ++site) {
      take_field(rest);
      if (take_field(rest).empty()) refuse_columns(reader, line);
    }
    if (!take_field(rest).empty()) refuse_columns(reader, line);
    ++sample;
  }
}

void PlinkTextSource::read_sites(Context& context) {
  const Stage stage(context, "read .tped");
  MapLines lines(files_.calls, true);
  const std::int64_t samples = std::ssize(people_.ids);
  std::int64_t row = 0, site = 0;
  for (const Range kept : sites_.kept) {
    while (lines.next()) {
      const bool is_kept = site >= kept.begin;
      context.check_cancelled();
      for (std::int64_t sample = 0; is_kept && sample < samples; ++sample) {
        const std::string_view one = take_field(lines.rest), other = take_field(lines.rest);
        if (other.empty()) refuse_columns(lines.reader(), lines.line());
        add(row, sample, one, other, lines.reader(), site);
      }
      if (is_kept && !take_field(lines.rest).empty()) refuse_columns(lines.reader(), lines.line());
      row += is_kept;
      if (++site == kept.end) break;
    }
  }
}

/// From copies of the second allele to those of A1.
void PlinkTextSource::count_a1() {
  const std::int64_t samples = calls_.samples, bytes = divide_up(samples, 4);
  const int last = static_cast<int>(samples % 4);
  const auto last_mask = static_cast<std::uint8_t>(last == 0 ? 0xff : (1 << (2 * last)) - 1);
  for (std::int64_t row = 0; row < calls_.capacity; ++row) {
    SiteAlleles& alleles = alleles_[static_cast<std::size_t>(row)];
    if (!alleles.first_is_a1()) {
      std::swap(alleles.names[0], alleles.names[1]);  // now A1, A2
      continue;
    }
    std::uint8_t* const codes = calls_.row(row);
    for (std::int64_t k = 0; k < bytes; ++k) {
      // Homozygous codes, 00 and 11, become each other.
      const int same = ~(codes[k] ^ codes[k] >> 1) & 0x55;
      codes[k] ^= static_cast<std::uint8_t>(same | same << 1);
    }
    codes[bytes - 1] &= last_mask;
  }
  for (SiteAlleles& alleles : alleles_) {
    for (std::string& name : alleles.names) {
      if (name.empty()) name = "0";
    }
  }
}

void PlinkTextSource::name_sites() {
  names_.emplace(files_.variants(), files_.transposed);
  named_ = 0;
  cursor_.emplace(sites_, false);
  for (std::int64_t row = 0; row < next_; ++row) cursor_->next();
}

/// Of the next row.
genotype::SiteName PlinkTextSource::name_of(std::int64_t row) {
  for (; named_ <= cursor_->row().variant; ++named_) names_->next();
  cursor_->next();
  const SiteAlleles& alleles = alleles_[static_cast<std::size_t>(row)];
  return {std::string(names_->chromosome),
          number_of<std::int64_t>(names_->position).value_or(0),
          std::string(names_->name),
          alleles.names[0],
          alleles.names[1],
          std::string(names_->centimorgans)};
}

bool PlinkTextSource::read(genotype::SiteBlock& block) {
  block.sites = std::min(block.capacity, calls_.capacity - next_);
  block.names.clear();
  if (block.sites <= 0) return false;
  std::memcpy(
      block.row(0), calls_.row(next_), static_cast<std::size_t>(block.sites * block.stride));
  for (std::int64_t k = 0; names_ && k < block.sites; ++k) {
    block.names.push_back(name_of(next_ + k));
  }
  next_ += block.sites;
  return true;
}

}  // namespace

bool is_plink_text(const std::string& path) {
  const std::string name = uncompressed_name(path);
  return std::any_of(std::begin(text_endings), std::end(text_endings), [&](std::string_view end) {
    return name.ends_with(end);
  });
}

PlinkTextFiles plink_text_files(const std::string& path) {
  namespace fs = std::filesystem;
  const std::string name = uncompressed_name(path);
  const bool transposed = name.ends_with(".tped");
  const std::string prefix = name.substr(0, name.size() - (transposed ? 5 : 4));
  std::string others = prefix + (transposed ? ".tfam" : ".map");
  std::error_code none;
  if (!fs::exists(others, none) && fs::exists(others + ".gz", none)) others += ".gz";
  return {path, others, transposed};
}

std::uint64_t plink_text_bytes(std::int64_t samples, std::int64_t sites) {
  const std::int64_t site =
      genotype::SiteBlock(samples, 0).stride + std::int64_t{sizeof(SiteAlleles)};
  return static_cast<std::uint64_t>(sites * site);
}

std::unique_ptr<genotype::Source> open_plink_text(Context& context,
                                                  const PlinkTextFiles& files,
                                                  const SiteRules& rules) {
  return std::make_unique<PlinkTextSource>(context, files, rules);
}

}  // namespace yupana::io
