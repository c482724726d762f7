#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/genotype/chromosome.hpp"
#include "yupana/genotype/source.hpp"
#include "yupana/io/input_file.hpp"
#include "yupana/io/line_reader.hpp"
#include "yupana/io/sample_lists.hpp"
#include "yupana/io/variant_lists.hpp"

namespace yupana::io {

/// Which sites of a .bim or .pvar are wanted.
struct SiteRules {
  genotype::ChromosomeFilter chromosomes = {};
  std::optional<genotype::Region> region = {};
  RecordRules records = {};  ///< of a .bim, --snps-only alone has an effect
  VariantLists variants = {};
};

/// A kept site of several ALT alleles.
struct MultiallelicSite {
  std::int64_t site = 0;
  std::int64_t alts = 0;
};

/// The sites of a .bim or .pvar file: how many there are, and which are wanted.
struct VariantSites {
  std::int64_t sites = 0;
  std::vector<Range> kept;  ///< stretches of consecutive kept sites
  std::vector<MultiallelicSite> multiallelic;
  std::vector<std::string> chromosomes;  ///< that kept sites may be on, each once
  genotype::SiteAccount account;         ///< where several ALT alleles are split, each is a site
};

/// Reads a .bim (six columns: chromosome, name, centimorgans, position, A1, A2), plain, gzip or
/// Zstandard; blank lines are ignored as PLINK does.
///   errors: bad_input with the line for fewer columns or a position that is no number; for a
///   region on a contig that the file does not have
VariantSites read_bim(const std::string& path, const SiteRules& rules);

/// Reads a .pvar of PLINK 2, plain, gzip or Zstandard: a VCF without its samples, or with them; a
/// .bim is one too. Lines of ## are passed over, the line of #CHROM names the columns: POS, ID, REF
/// and ALT in any order, perhaps QUAL and FILTER, others are ignored. Without such a line the
/// columns are those of a .bim or, where there are five, the same without centimorgans.
///   errors: as read_bim; a column that is not there
VariantSites read_pvar(const std::string& path, const SiteRules& rules);

/// The names of a file's sites, read again line by line.
class VariantNames {
 public:
  /// `path`: what read_bim or read_pvar takes.
  explicit VariantNames(const std::string& path);
  ~VariantNames();

  /// Of site `site`, a number not below that of the call before; ALT alleles separated by commas.
  const genotype::SiteName& at(std::int64_t site);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Applies the rules to one site after the other, in file order, and gathers what their account
/// says of contigs, lists and alleles.
class SiteJudge {
 public:
  /// `rules` must outlive it.
  explicit SiteJudge(const SiteRules& rules) : rules_(&rules) {}

  /// The contig of the next sites: consecutive ones mostly share it. True for one not met before.
  bool take_contig(std::string_view name);
  /// Of the contig: whether its sites may be kept.
  bool keeps_contig() const { return keeps_; }
  bool is_in_region() const { return in_region_; }
  /// Why a site of the contig is skipped; empty for one that is kept.
  std::string_view reason_to_skip(std::int64_t position,
                                  std::string_view name,
                                  Verdict verdict) const;
  /// Whether a contig was the region's, or there is no region.
  bool found_region() const { return !rules_->region || region_found_; }
  std::size_t contigs() const { return listed_.size(); }
  /// Adds the notes on what was met. `all_contigs`: no index led past some of them.
  void add_notes(genotype::SiteAccount& account, bool all_contigs) const;

 private:
  const SiteRules* rules_;
  std::string contig_;
  bool valid_ = false, keeps_ = false, in_region_ = true, region_found_ = false;
  std::vector<std::string> unknown_;  ///< contigs kept under the default rule, each once
  std::unordered_set<std::string> listed_;
};

/// Gathers VariantSites in file order, of lines or of records without lines.
class SiteCollector {
 public:
  SiteCollector(const LineReader& reader, const SiteRules& rules)
      : path_(reader.path()), reader_(&reader), rules_(rules), judge_(rules) {}
  SiteCollector(std::string path, const SiteRules& rules)
      : path_(std::move(path)), rules_(rules), judge_(rules) {}

  /// The next site: its name; what its other columns say; its ALT alleles.
  void add(std::string_view contig,
           std::int64_t position,
           std::string_view name,
           Verdict verdict,
           std::int64_t alts);
  /// The same of a line: the text of its position, which is column `column`.
  void add(std::string_view contig,
           std::string_view position,
           int column,
           std::string_view name,
           Verdict verdict,
           std::int64_t alts);
  /// The sites; bad_input where no line was on the region's contig.
  VariantSites finish();
  /// What there is so far.
  const VariantSites& sites() const { return result_; }

 private:
  void take_contig(std::string_view name);
  void keep(std::int64_t site, std::int64_t alts);

  std::string path_;
  const LineReader* reader_ = nullptr;
  const SiteRules& rules_;
  SiteJudge judge_;
  VariantSites result_;
  std::vector<std::string> seen_;  ///< the first few contigs
};

/// A row that a reader delivers: a kept site, and of several ALT alleles the one x counts.
struct SiteRow {
  std::int64_t variant;
  std::int64_t alts;
  std::int64_t counted;
};

/// The rows of kept sites in file order; where ALT alleles are split, one for each.
class SiteCursor {
 public:
  /// `sites` must outlive it.
  SiteCursor(const VariantSites& sites, bool split) : sites_(sites), split_(split) {}

  bool at_end() const { return stretch_ == std::ssize(sites_.kept); }
  SiteRow row() const;
  void next();
  /// Of sites.kept, where row() is.
  std::int64_t stretch() const { return stretch_; }
  /// Sites of that stretch from row() on.
  std::int64_t left_in_stretch() const { return sites_.kept[stretch_].size() - next_; }

 private:
  bool is_multiallelic(std::int64_t variant) const;

  const VariantSites& sites_;
  bool split_;
  std::int64_t stretch_ = 0;  ///< of sites_.kept
  std::int64_t next_ = 0;     ///< site of it
  std::size_t several_ = 0;   ///< of sites_.multiallelic, at the next row or after it
  std::int64_t counted_ = 1;
};

/// A source that knows its samples and sites before the first is read.
class ListedSource : public genotype::Source {
 public:
  const std::vector<std::string>& samples() const override { return people_.ids; }
  const std::vector<bool>& nonfounders() const override { return people_.nonfounders; }
  const std::vector<genotype::Sex>& sexes() const override { return people_.sexes; }
  std::int64_t sites() const override { return sites_.account.kept; }
  std::vector<std::string> chromosomes() const override { return sites_.chromosomes; }
  const genotype::SiteAccount& account() const override { return sites_.account; }
  bool skip(genotype::SiteBlock& block) override;
  void rewind() override {
    cursor_.emplace(sites_, split_);
    if (names_) name_sites();
  }
  void name_sites() override { names_.emplace(names_file_); }

 protected:
  /// `names_file`: of a source whose sites have their names in a .bim or .pvar.
  explicit ListedSource(const SiteRules& rules, std::string names_file = {})
      : split_(rules.records.multiallelic == Multiallelic::split),
        names_file_(std::move(names_file)) {}
  /// Empties a block that read() is to fill; throws usage for one of other samples.
  void clear(genotype::SiteBlock& block) const;
  /// True while the block takes another row, and there is one.
  bool wants_row(const genotype::SiteBlock& block) const {
    return block.sites < block.capacity && !cursor_->at_end();
  }
  std::int64_t sample_count() const { return std::ssize(people_.ids); }

  bool split_;  ///< each ALT allele of several is a site
  SampleNames people_;
  VariantSites sites_;
  std::optional<SiteCursor> cursor_;  ///< at the next row
  std::string names_file_;
  std::optional<VariantNames> names_;  ///< where sites have names
};

/// Reads the bytes of tracks, which are in file order, one after the other; small gaps between
/// tracks are read with them. A track has a place in the file (`offset`) and `bytes`; `at` becomes
/// its place in `bytes`.
template <class Track>
void read_tracks(const InputFile& file, std::vector<Track>& tracks, Array<std::uint8_t>& bytes) {
  constexpr std::int64_t small_gap = 4096;
  std::int64_t size = 0;
  std::vector<std::size_t> runs;  // where each begins
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    const std::int64_t end = i == 0 ? 0 : tracks[i - 1].offset + tracks[i - 1].bytes;
    const std::int64_t gap = tracks[i].offset - end;
    if (i == 0 || gap > small_gap) {
      runs.push_back(i);
    } else {
      size += gap;
    }
    tracks[i].at = size;
    size += tracks[i].bytes;
  }
  if (bytes.size() < size) bytes = Array<std::uint8_t>(size);
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const Track& first = tracks[runs[k]];
    const Track& last = tracks[(k + 1 < runs.size() ? runs[k + 1] : tracks.size()) - 1];
    file.read_at(first.offset,
                 bytes.data() + first.at,
                 static_cast<std::size_t>(last.at + last.bytes - first.at));
  }
}

}  // namespace yupana::io
