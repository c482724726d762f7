#include "yupana/genotype/site_filter.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "yupana/core/messages.hpp"
#include "yupana/core/random.hpp"
#include "yupana/genotype/site_counts.hpp"
#include "yupana/genotype/site_dosages.hpp"
#include "yupana/genotype/site_names.hpp"

namespace yupana::genotype {
namespace {

/// PLINK 1.9's tolerance on thresholds (2^-44).
constexpr double tolerance = 0x1p-44;
/// The stream of --thin: one uniform number a site, whatever the blocks.
constexpr std::uint64_t thin_stream = 0x7468696e;

/// Sites of a piece: it stays in the second-level cache, and a stop is heeded between two pieces.
std::int64_t piece_sites(std::int64_t samples, bool dosage) {
  constexpr std::int64_t piece_bytes = 512 << 10;
  const std::int64_t site_bytes = SiteBlock(samples, 0).stride + (dosage ? 2 * samples : 0);
  return std::clamp<std::int64_t>(piece_bytes / site_bytes, 16, 8192);
}

/// Those of the kept samples whose alleles count: the founders, or all.
std::vector<std::int64_t> counted_of(const Source& source,
                                     const CohortParams& params,
                                     const std::vector<std::int64_t>& kept) {
  const std::vector<bool>& nonfounders = source.nonfounders();
  if (!params.counts_alleles() || params.nonfounders || nonfounders.empty()) return kept;
  std::vector<std::int64_t> founders;
  for (const std::int64_t i : kept) {
    if (!nonfounders[static_cast<std::size_t>(i)]) founders.push_back(i);
  }
  return founders;
}

/// Those of a sex among them.
std::vector<std::int64_t> of_sex(const Source& source,
                                 const std::vector<std::int64_t>& samples,
                                 Sex sex) {
  const std::vector<Sex>& sexes = source.sexes();
  std::vector<std::int64_t> found;
  for (const std::int64_t i : samples) {
    if (!sexes.empty() && sexes[static_cast<std::size_t>(i)] == sex) found.push_back(i);
  }
  return found;
}

SampleMask mask_of(const Source& source, const std::vector<std::int64_t>& samples, Sex sex) {
  return {std::ssize(source.samples()), of_sex(source, samples, sex)};
}

bool may_be_haploid(const Source& source, const CohortParams& params) {
  const std::vector<std::string> names = source.chromosomes();
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return is_haploid_in_some(chromosome_of(name, params.autosomes));
  });
}

/// Copies of a chromosome in males and in all others; PLINK 2 takes those of unknown sex for
/// females here.
struct Copies {
  std::int64_t males = 2, others = 2;
};

Copies copies_of(Chromosome chromosome) {
  if (chromosome == Chromosome::x) return {1, 2};
  if (chromosome == Chromosome::y) return {1, 0};
  if (chromosome == Chromosome::mitochondrial) return {1, 1};
  return {};
}

/// Alleles of a site, in halves: a heterozygous call of one copy is half of each allele. Of
/// dosages `unit` parts are one half.
struct Alleles {
  std::int64_t a1 = 0, all = 0, unit = 1;

  void add(const SiteCounts& counts, std::int64_t copies) {
    a1 += copies * (2 * counts.homozygous_a1 + counts.heterozygous);
    all += copies * 2 * counts.called();
  }
  void add(const DosageSums& sums, std::int64_t copies) {
    unit = dosage_unit;
    a1 += copies * sums.sum;
    all += copies * 2 * dosage_unit * sums.calls;
  }
  std::int64_t minor() const { return std::min(a1, all - a1); }
};

}  // namespace

std::int64_t allowed_missing(double rate, std::int64_t calls) {
  return static_cast<std::int64_t>(std::floor(rate * (1 + tolerance) * static_cast<double>(calls)));
}

SiteFilter::SiteFilter(Source& source,
                       const CohortParams& params,
                       Backend backend,
                       std::vector<std::int64_t> kept)
    : source_(source),
      params_(params),
      backend_(backend),
      samples_(std::move(kept)),
      counted_(counted_of(source, params, samples_)),
      mask_(std::ssize(source.samples()), samples_),
      males_(mask_of(source, counted_, Sex::male)),
      females_(mask_of(source, counted_, Sex::female)),
      all_males_(mask_of(source, samples_, Sex::male)),
      most_missing_(allowed_missing(params.max_site_missing, mask_.size())),
      most_missing_of_males_(allowed_missing(params.max_site_missing, all_males_.size())),
      piece_(mask_.samples(),
             piece_sites(std::max<std::int64_t>(mask_.samples(), 1), params.dosage),
             params.dosage) {
  if (counted_.size() < samples_.size()) founders_.emplace(mask_.samples(), counted_);
  if (params.missing == Missing::error) source_.name_sites();  // for refuse_missing()
  if (!params.written || params.counts_alleles() || params.max_site_missing < 1) find_haploid();
}

void SiteFilter::find_haploid() {
  haploid_ = may_be_haploid(source_, params_);
  if (haploid_) source_.name_sites();
}

bool SiteFilter::name_haploid() {
  find_haploid();
  if (haploid_) name_sites();
  return haploid_;
}

void SiteFilter::leave_out_haploid(bool left_out) {
  haploid_left_out_ = left_out;
  if (left_out) find_haploid();
}

void SiteFilter::rewind() {
  source_.rewind();
  piece_.sites = 0;
  passed_.clear();
  next_ = position_ = piece_index_ = sites_kept_ = calls_missing_ = dosage_sites_ = 0;
  haploid_kept_ = 0;
  dropped_.clear();
}

void SiteFilter::name_sites() {
  source_.name_sites();
  named_ = true;
}

bool SiteFilter::is_chosen(std::int64_t position) const {
  return position < std::ssize(*chosen_) && (*chosen_)[static_cast<std::size_t>(position)];
}

void SiteFilter::fill(FilteredSites& sites, std::int64_t capacity, const std::atomic<bool>& stop) {
  if (sites.codes.capacity != capacity || sites.codes.samples != mask_.samples()) {
    sites.codes = SiteBlock(mask_.samples(), capacity, params_.dosage);
  }
  sites.codes.sites = 0;
  sites.codes.names.clear();
  sites.missing.clear();
  sites.end = false;
  while (sites.codes.sites < capacity && !stop.load(std::memory_order_relaxed)) {
    if (next_ < std::ssize(passed_)) {
      append(sites);
    } else if (!read_piece()) {
      sites.end = true;
      break;
    }
  }
  sites.position = position_;
}

bool SiteFilter::read_piece() {
  next_ = 0;
  passed_.clear();
  // Pieces are dealt to the parts in turn.
  if (piece_index_++ % params_.parts != params_.part) {
    if (!source_.skip(piece_)) return false;
    position_ += piece_.sites;
    return true;
  }
  piece_.names.clear();
  if (!source_.read(piece_)) return false;
  if (named_) name_numbered_sites(piece_, position_, source_.sites());
  counts_.resize(static_cast<std::size_t>(piece_.sites));
  site_counts(backend_, piece_, mask_, counts_);
  if (founders_) {
    founder_counts_.resize(counts_.size());
    site_counts(backend_, piece_, *founders_, founder_counts_);
  }
  if (haploid_) count_haploid();
  if (left_) {
    left_counts_.resize(counts_.size());
    site_counts(backend_, piece_, *left_, left_counts_);
  }
  for (std::int64_t site = 0; site < piece_.sites; ++site) {
    const SiteCounts& counts = counts_[site];
    if (!passes(site, counts)) continue;
    if (named_) piece_.names[site].number = position_ + site;
    passed_.push_back(site);
    haploid_kept_ += is_haploid_in_some(chromosome(site)) ? 1 : 0;
    calls_missing_ += params_.dosage ? missing_dosages(site) : missing(site);
    if (counts.missing > 0) impute(site, counts);
  }
  position_ += piece_.sites;
  dosage_sites_ += params_.dosage ? piece_.dosage_sites : 0;
  sites_kept_ += std::ssize(passed_);
  return true;
}

/// The chromosomes of the piece's sites, and what their filters need to know of the sexes.
void SiteFilter::count_haploid() {
  chromosomes_.clear();
  const std::string* last = nullptr;
  for (std::int64_t site = 0; site < piece_.sites; ++site) {
    const std::string& name = piece_.names[site].chromosome;
    const bool same = last != nullptr && *last == name;
    chromosomes_.push_back(same ? chromosomes_.back() : chromosome_of(name, params_.autosomes));
    last = &name;
  }
  const bool on_y =
      std::find(chromosomes_.begin(), chromosomes_.end(), Chromosome::y) != chromosomes_.end();
  if (params_.max_site_missing < 1 && on_y) {
    all_male_counts_.resize(counts_.size());
    site_counts(backend_, piece_, all_males_, all_male_counts_);
  }
  const auto first = std::find_if(chromosomes_.begin(), chromosomes_.end(), is_haploid_in_some);
  if (!params_.counts_alleles() || first == chromosomes_.end()) return;
  male_counts_.resize(counts_.size());
  female_counts_.resize(counts_.size());
  site_counts(backend_, piece_, males_, male_counts_);
  site_counts(backend_, piece_, females_, female_counts_);
}

Chromosome SiteFilter::chromosome(std::int64_t site) const {
  return haploid_ ? chromosomes_[site] : Chromosome::autosome;
}

bool SiteFilter::passes(std::int64_t site, const SiteCounts& counts) {
  if (params_.thin < 1 &&
      Random(params_.seed, thin_stream).uniform(position_ + site) >= params_.thin) {
    ++dropped_["thinned out (--thin)"];
    return false;
  }
  if (!is_called(site, counts)) {
    ++dropped_["missing rate above --geno"];
    return false;
  }
  if (haploid_left_out_ && is_haploid_in_some(chromosome(site))) {
    ++dropped_["of X, Y or MT (--king-cutoff counts the other chromosomes)"];
    return false;
  }
  if (const char* reason = params_.counts_alleles() ? reason_of_frequency(site) : nullptr) {
    ++dropped_[reason];
    return false;
  }
  if (chosen_ && !is_chosen(position_ + site)) {
    ++dropped_["correlated (--indep-pairwise)"];
    return false;
  }
  if (params_.missing == Missing::mode && counts.called() == 0) {
    ++dropped_["no call to impute from (--missing mode)"];
    return false;
  }
  return true;
}

/// By --geno; as in PLINK 2, those of unknown sex are no males.
bool SiteFilter::is_called(std::int64_t site, const SiteCounts& counts) const {
  if (params_.max_site_missing < 1 && chromosome(site) == Chromosome::y) {
    return all_male_counts_[site].missing <= most_missing_of_males_;
  }
  return counts.missing <= most_missing_;
}

/// Why a site of these alleles is dropped; null where it stays. As in PLINK, the frequency of a
/// site without a call is one half, and its count of alleles 0.
const char* SiteFilter::reason_of_frequency(std::int64_t site) const {
  const SiteCounts& counts = founders_ ? founder_counts_[site] : counts_[site];
  const Chromosome where = chromosome(site);
  const bool is_diploid = !is_haploid_in_some(where);
  if (params_.min_hwe > 0 && (is_diploid || where == Chromosome::x)) {
    const SiteCounts& tested = is_diploid ? counts : female_counts_[site];
    if (hardy_weinberg_p(tested, params_.hwe_mid_p) < params_.min_hwe) {
      return "far from Hardy-Weinberg equilibrium (--hwe)";
    }
  }
  const Copies copies = copies_of(where);
  Alleles halves;
  const auto add = [&](const SiteCounts& calls, std::span<const std::int64_t> of, std::int64_t n) {
    if (!params_.dosage) return halves.add(calls, n);
    halves.add(dosage_sums(piece_, site, of), n);
  };
  add(counts, counted_, copies.others);
  if (copies.males != copies.others) {
    const std::vector<std::int64_t> males = of_sex(source_, counted_, Sex::male);
    add(male_counts_[site], males, copies.males - copies.others);
  }
  const auto minor = static_cast<double>(halves.minor());
  const auto alleles = static_cast<double>(halves.all);
  if (minor < params_.min_maf * (1 - tolerance) * alleles) {
    return "minor-allele frequency below --maf";
  }
  const bool is_common = alleles > 0 ? minor > params_.max_maf * (1 + tolerance) * alleles
                                     : params_.max_maf * (1 + tolerance) < 0.5;
  if (is_common) return "minor-allele frequency above --max-maf";
  if (minor < 2 * static_cast<double>(params_.min_mac) * static_cast<double>(halves.unit)) {
    return "minor-allele count below --mac";
  }
  return nullptr;
}

void SiteFilter::impute(std::int64_t site, const SiteCounts& counts) {
  if (params_.missing == Missing::error) refuse_missing(site);
  if (params_.missing == Missing::mode) {
    fill_missing(piece_.row(site), piece_.stride, counts.mode());
    counts_[site].missing = 0;
    if (left_) left_counts_[site].missing = 0;
  }
}

void SiteFilter::refuse_missing(std::int64_t site) const {
  const auto sample = std::find_if(samples_.begin(), samples_.end(), [&](std::int64_t i) {
    return piece_.at(site, i) == missing_call;
  });
  std::string place;
  if (!piece_.names.empty()) {
    const SiteName& name = piece_.names[site];
    const bool is_named = !name.name.empty() && name.name != ".";
    place = fmt::format("{}:{}{}, ",
                        name.chromosome,
                        name.position,
                        is_named ? fmt::format(" ({})", name.name) : "");
  }
  throw bad_file(
      params_.name,
      "sample '{}' has no call at site {}number {} of those read; --missing pairwise or mode "
      "accepts it",
      source_.samples()[*sample],
      place,
      position_ + site + 1);
}

std::int64_t SiteFilter::missing(std::int64_t site) const {
  return left_ ? left_counts_[site].missing : counts_[site].missing;
}

std::int64_t SiteFilter::missing_dosages(std::int64_t site) const {
  const std::vector<std::int64_t>& samples = left_ ? left_samples_ : samples_;
  return std::ssize(samples) - dosage_sums(piece_, site, samples).calls;
}

void SiteFilter::append(FilteredSites& sites) {
  const std::int64_t stride = piece_.stride;
  const std::int64_t count =
      std::min(std::ssize(passed_) - next_, sites.codes.capacity - sites.codes.sites);
  const std::int64_t first = passed_[next_];
  const std::int64_t last = passed_[next_ + count - 1];
  std::uint8_t* to = sites.codes.row(sites.codes.sites);
  if (last - first == count - 1) {
    std::memcpy(to, piece_.row(first), count * stride);
  } else {
    for (std::int64_t i = 0; i < count; ++i) {
      std::memcpy(to + i * stride, piece_.row(passed_[next_ + i]), stride);
    }
  }
  for (std::int64_t i = 0; i < count; ++i) {
    if (params_.dosage) {
      std::copy_n(piece_.dosage_row(passed_[next_ + i]),
                  piece_.samples,
                  sites.codes.dosage_row(sites.codes.sites + i));
    }
    sites.missing.push_back(missing(passed_[next_ + i]));
    if (named_) sites.codes.names.push_back(std::move(piece_.names[passed_[next_ + i]]));
  }
  sites.codes.sites += count;
  next_ += count;
}

}  // namespace yupana::genotype
