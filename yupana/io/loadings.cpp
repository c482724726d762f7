#include "yupana/io/loadings.hpp"

#include <cmath>
#include <optional>

#include "yupana/core/messages.hpp"
#include "yupana/genotype/chromosome.hpp"
#include "yupana/io/cell.hpp"
#include "yupana/io/line_reader.hpp"
#include "yupana/io/printable.hpp"

namespace yupana::io {
namespace {

constexpr std::string_view loadings_ending = ".loadings.tsv";
constexpr std::string_view count_column = "\tSITES";
constexpr std::size_t site_columns = 7;

/// That of earlier versions.
std::string uncounted_header(std::int64_t components) {
  std::string text = "#CHROM\tPOS\tID\tA1\tA2\tA1_FREQ\tSD";
  for (std::int64_t k = 1; k <= components; ++k) text += fmt::format("\tPC{}", k);
  return text;
}

double loading_in(const LineReader& reader, std::string_view field) {
  const auto number = number_of<double>(field);
  if (number && std::isfinite(*number)) return *number;
  throw reader.fault("expected a number, got '{}'", printable(field));
}

}  // namespace

std::string loadings_header(std::int64_t components) {
  return uncounted_header(components) + std::string(count_column);
}

Loadings::Loadings(const std::string& path, std::int64_t autosomes) : autosomes_(autosomes) {
  if (!path.ends_with(loadings_ending)) {
    throw usage_error(
        "--project: expected PREFIX{} of an earlier run, got '{}'", loadings_ending, path);
  }
  read(path);
  scale(path.substr(0, path.size() - loadings_ending.size()) + ".eigenval");
}

std::string Loadings::key(std::string_view chromosome,
                          std::int64_t position,
                          std::string_view a1,
                          std::string_view a2) const {
  return fmt::format(
      "{}\t{}\t{}\t{}", genotype::chromosome_key(chromosome, autosomes_), position, a1, a2);
}

void Loadings::read(const std::string& path) {
  LineReader reader(path);
  std::string_view line;
  const bool any = reader.next(line);
  counted_ = any && line.ends_with(count_column);
  const std::int64_t width = any ? std::ssize(cut(line, '\t')) : 0;
  components_ = width - static_cast<std::int64_t>(site_columns) - (counted_ ? 1 : 0);
  if (components_ < 1 || line != (counted_ ? loadings_header : uncounted_header)(components_)) {
    throw bad_line(path,
                   1,
                   "expected the header of 'yupana pca --loadings', {}, got '{}'",
                   yupana::escaped(loadings_header(1)),
                   any ? printable(line) : "");
  }
  std::optional<std::int64_t> announced;
  while (reader.next(line)) {
    std::vector<std::string_view> fields = cut(line, '\t');
    if (std::ssize(fields) != width) {
      throw reader.fault("expected {} columns, as the header has, got {}", width, fields.size());
    }
    if (counted_) {
      const auto count = number_of<std::int64_t>(fields.back());
      if (!count || (announced && *count != *announced)) {
        throw reader.fault("expected the same number of sites in every line, got '{}'",
                           printable(fields.back()));
      }
      announced = count;
      fields.pop_back();
    }
    const auto position = number_of<std::int64_t>(fields[1]);
    if (!position) {
      throw reader.fault("expected a position, got '{}'", printable(fields[1]));
    }
    const std::string site = key(fields[0], *position, fields[3], fields[4]);
    const std::string exchanged = key(fields[0], *position, fields[4], fields[3]);
    if (places_.contains(exchanged) || !places_.emplace(site, sites()).second) {
      throw reader.fault("site {}:{} {} {} appears twice; leave one out, and run pca again",
                         fields[0],
                         *position,
                         fields[3],
                         fields[4]);
    }
    scales_.push_back({loading_in(reader, fields[5]), loading_in(reader, fields[6])});
    for (std::size_t k = site_columns; k < fields.size(); ++k) {
      weights_.push_back(loading_in(reader, fields[k]));
    }
  }
  if (sites() == 0) throw bad_file(path, "holds no sites");
  if (announced && *announced != sites()) {
    throw bad_file(
        path,
        "expected {} sites, as its lines say, got {}: it was cut or edited; copy it again",
        *announced,
        sites());
  }
}

/// Divides the weights of a component by sqrt(sites eigenvalue).
void Loadings::scale(const std::string& path) {
  LineReader reader(path);
  std::vector<double> norms;
  for (std::string_view line; reader.next(line);) {
    const double value = loading_in(reader, line);
    norms.push_back(value > 0 ? std::sqrt(static_cast<double>(sites()) * value) : INFINITY);
  }
  if (std::ssize(norms) != components_) {
    throw bad_file(path,
                   "holds {}, and the loadings next to it are of {}; are they "
                   "of one run?",
                   yupana::counted(std::ssize(norms), "eigenvalue"),
                   yupana::counted(components_, "component"));
  }
  for (std::size_t i = 0; i < weights_.size(); ++i) weights_[i] /= norms[i % norms.size()];
}

genotype::SiteScore Loadings::score(const genotype::SiteName& site) const {
  for (const bool exchanged : {false, true}) {
    const auto found =
        places_.find(exchanged ? key(site.chromosome, site.position, site.a2, site.a1)
                               : key(site.chromosome, site.position, site.a1, site.a2));
    if (found == places_.end()) continue;
    return {scales_[static_cast<std::size_t>(found->second)],
            exchanged,
            &weights_[static_cast<std::size_t>(found->second * components_)]};
  }
  return {};
}

}  // namespace yupana::io
