#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "yupana/genotype/grm_product.hpp"
#include "yupana/genotype/site_block.hpp"

namespace yupana::io {

/// The line that begins PREFIX.loadings.tsv, for so many components. Its last column has the number
/// of sites of the file, of which every line is proof; earlier versions did not write it.
std::string loadings_header(std::int64_t components);

/// PREFIX.loadings.tsv and PREFIX.eigenval of an earlier run, which give new samples coordinates
/// beside those of that run: the sum over sites of z l / sqrt(M eigenvalue), with its frequencies.
class Loadings {
 public:
  /// `path`: of the loadings; the eigenvalues are beside them.
  ///   errors: usage for another name; bad_input with the line for fewer or other columns, a number
  ///   that is none, a site that appears twice, another number of sites or
  ///   eigenvalues
  Loadings(const std::string& path, std::int64_t autosomes);

  std::int64_t components() const { return components_; }
  std::int64_t sites() const { return std::ssize(scales_); }
  /// Whether the file says how many sites it has: else one cut short at a line's end was not seen.
  bool counted() const { return counted_; }
  /// What a site adds, found by its chromosome, position and alleles in either order.
  genotype::SiteScore score(const genotype::SiteName& site) const;

 private:
  std::string key(std::string_view chromosome,
                  std::int64_t position,
                  std::string_view a1,
                  std::string_view a2) const;
  void read(const std::string& path);
  void scale(const std::string& path);

  std::int64_t autosomes_;
  std::int64_t components_ = 0;
  bool counted_ = false;
  std::unordered_map<std::string, std::int64_t> places_;
  std::vector<genotype::SiteScale> scales_;
  std::vector<double> weights_;  ///< components() a site
};

}  // namespace yupana::io
