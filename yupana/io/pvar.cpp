#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "yupana/core/messages.hpp"
#include "yupana/io/number_field.hpp"
#include "yupana/io/plink_line.hpp"
#include "yupana/io/variant_sites.hpp"

namespace yupana::io {
namespace {

/// The columns of a .pvar that are read, as its header names them.
enum Column { chromosome, position, identifier, ref, alt, qual, filter, morgans, column_count };
constexpr std::array<std::string_view, column_count> column_names = {
    "#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "CM"};

/// Where the columns stand in a line, from 0; -1: nowhere.
using Places = std::array<int, column_count>;
constexpr Places bim_places = {0, 3, 1, 5, 4, -1, -1, 2};
constexpr Places five_columns = {0, 2, 1, 4, 3, -1, -1, -1};

/// Fields are looked at up to the last that is read.
constexpr std::size_t most_fields = 16;

/// The places that the line of #CHROM gives; columns from FORMAT on are a VCF's samples.
Places places_of(const LineReader& reader, std::string_view line) {
  Places places;
  places.fill(-1);
  std::array<std::string_view, most_fields> names;
  const std::size_t count = split_fields(line, names.data(), most_fields);
  for (std::size_t i = 0; i < count && names[i] != "FORMAT"; ++i) {
    for (int column = 0; column < column_count; ++column) {
      if (names[i] != column_names[column]) continue;
      if (places[column] >= 0) {
        throw reader.fault("column {} is there twice; name each once", names[i]);
      }
      places[column] = static_cast<int>(i);
    }
  }
  for (const Column needed : {position, ref, alt}) {
    if (places[needed] >= 0) continue;
    throw reader.fault(
        "expected a column {} in the header (#CHROM POS ID REF ALT, as in a VCF), got none",
        column_names[needed]);
  }
  return places;
}

std::size_t last_of(const Places& places) {
  return static_cast<std::size_t>(*std::max_element(places.begin(), places.end()));
}

/// The variants of a .pvar, line by line.
class PvarLines {
 public:
  explicit PvarLines(LineReader& reader) : reader_(reader) {}

  /// Takes the next line that is a variant; false after the last.
  bool next() {
    for (std::string_view line; reader_.next(line);) {
      refuse_null_bytes(reader_, line);
      if (line.starts_with('#')) {
        take_header(line);
      } else if (take(line)) {
        return true;
      }
    }
    return false;
  }
  /// A column of it; '.' where the file has no such column.
  std::string_view operator[](Column column) const {
    return places_[column] < 0 ? std::string_view(".") : fields_[places_[column]];
  }
  /// The number of a column in the line, from 1.
  int number_of(Column column) const { return places_[column] + 1; }

 private:
  /// False for a blank line.
  bool take(std::string_view line) {
    const std::size_t count = split_fields(line, fields_.data(), known_ ? last_ + 1 : most_fields);
    if (count == 0) return false;
    if (!known_) take_places(count == 5 ? five_columns : bim_places);
    begun_ = true;
    if (count > last_) return true;
    throw reader_.fault("expected at least {} columns, got {}", last_ + 1, count);
  }
  void take_header(std::string_view line) {
    if (begun_) {
      throw reader_.fault(
          "expected a variant, got a line that begins with #; the header comes first");
    }
    if (line.starts_with("#CHROM")) take_places(places_of(reader_, line));
  }
  void take_places(const Places& places) {
    places_ = places;
    last_ = last_of(places);
    known_ = true;
  }

  LineReader& reader_;
  std::array<std::string_view, most_fields> fields_;
  Places places_{};
  std::size_t last_ = 0;
  bool known_ = false;
  bool begun_ = false;
};

}  // namespace

VariantSites read_pvar(const std::string& path, const SiteRules& rules) {
  LineReader reader(path);
  PvarLines line(reader);
  SiteCollector sites(reader, rules);
  while (line.next()) {
    const RecordColumns columns{line[ref], line[alt], line[qual], line[filter]};
    sites.add(line[chromosome],
              line[position],
              line.number_of(position),
              line[identifier],
              verdict_of(rules.records, columns, true),
              alts_of(columns.alt));
  }
  return sites.finish();
}

struct VariantNames::State {
  explicit State(const std::string& path) : reader(path), line(reader) {}

  LineReader reader;
  PvarLines line;
  std::int64_t next = 0;  ///< site of the line that comes next
  genotype::SiteName name;
};

VariantNames::VariantNames(const std::string& path) : state_(std::make_unique<State>(path)) {}
VariantNames::~VariantNames() = default;

const genotype::SiteName& VariantNames::at(std::int64_t site) {
  State& state = *state_;
  for (; state.next <= site; ++state.next) {
    if (!state.line.next()) {
      throw bad_file(state.reader.path(), "has become shorter while it was read; run again");
    }
  }
  const PvarLines& line = state.line;
  genotype::SiteName& name = state.name;
  name.chromosome = line[chromosome];
  name.position = number_of<std::int64_t>(line[position]).value_or(0);
  name.name = line[identifier];
  name.a1 = line[alt];
  name.a2 = line[ref];
  name.centimorgans = line[morgans] == "." ? "0" : line[morgans];
  return name;
}

}  // namespace yupana::io
