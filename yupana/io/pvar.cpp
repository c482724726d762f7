#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "yupana/core/messages.hpp"
#include "yupana/io/plink_line.hpp"
#include "yupana/io/variant_sites.hpp"

namespace yupana::io {
namespace {

/// The columns of a .pvar that are read, as its header names them.
enum Column { chromosome, position, identifier, ref, alt, qual, filter, column_count };
constexpr std::array<std::string_view, column_count> column_names = {
    "#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER"};

/// Where the columns stand in a line, from 0; -1: nowhere.
using Places = std::array<int, column_count>;
constexpr Places bim_places = {0, 3, 1, 5, 4, -1, -1};
constexpr Places five_columns = {0, 2, 1, 4, 3, -1, -1};

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
        throw bad_line(
            reader.path(), reader.number(), "column {} is there twice; name each once", names[i]);
      }
      places[column] = static_cast<int>(i);
    }
  }
  for (const Column needed : {position, ref, alt}) {
    if (places[needed] >= 0) continue;
    throw bad_line(
        reader.path(),
        reader.number(),
        "expected a column {} in the header (#CHROM POS ID REF ALT, as in a VCF), got none",
        column_names[needed]);
  }
  return places;
}

std::size_t last_of(const Places& places) {
  return static_cast<std::size_t>(*std::max_element(places.begin(), places.end()));
}

class PvarLines {
 public:
  PvarLines(LineReader& reader, const SiteRules& rules)
      : reader_(reader), rules_(rules), sites_(reader, rules) {}

  void take(std::string_view line) {
    refuse_null_bytes(reader_, line);
    if (line.starts_with('#')) return take_header(line);
    const std::size_t count = split_fields(line, fields_.data(), known_ ? last_ + 1 : most_fields);
    if (count == 0) return;
    if (!known_) take_places(count == 5 ? five_columns : bim_places);
    begun_ = true;
    if (count <= last_) {
      throw bad_line(reader_.path(),
                     reader_.number(),
                     "expected at least {} columns, got {}",
                     last_ + 1,
                     count);
    }
    const auto field = [&](Column column) {
      return places_[column] < 0 ? std::string_view(".") : fields_[places_[column]];
    };
    const RecordColumns columns{field(ref), field(alt), field(qual), field(filter)};
    sites_.add(field(chromosome),
               field(position),
               places_[position] + 1,
               field(identifier),
               verdict_of(rules_.records, columns, true),
               alts_of(columns.alt));
  }
  VariantSites finish() { return sites_.finish(); }

 private:
  void take_header(std::string_view line) {
    if (begun_) {
      throw bad_line(reader_.path(),
                     reader_.number(),
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
  const SiteRules& rules_;
  SiteCollector sites_;
  std::array<std::string_view, most_fields> fields_;
  Places places_{};
  std::size_t last_ = 0;
  bool known_ = false;
  bool begun_ = false;
};

}  // namespace

VariantSites read_pvar(const std::string& path, const SiteRules& rules) {
  LineReader reader(path);
  PvarLines lines(reader, rules);
  for (std::string_view line; reader.next(line);) lines.take(line);
  return lines.finish();
}

}  // namespace yupana::io
