#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/genotype/site_dosages.hpp"
#include "yupana/io/genotype_sources.hpp"
#include "yupana/io/pgen_record.hpp"
#include "yupana/io/variant_sites.hpp"

namespace yupana::io {
namespace {

/// A record to decode: of a kept site, or of one that another is stored as differences from.
struct Track {
  std::int64_t variant = 0;
  PgenRecord record;
  std::int64_t offset = 0;           ///< of the record
  std::int64_t bytes = 0;            ///< of the record that are read at first
  std::int64_t alts = 0;             ///< 0: not known, and only the main track is wanted
  std::int64_t at = 0;               ///< place of these in the batch
  std::int64_t base = -1;            ///< the track it is compared with
  std::uint8_t* row = nullptr;       ///< null until it gets a row of the batch
  bool patched = false;              ///< its ALT alleles are distinguished
  std::uint16_t* dosages = nullptr;  ///< null: not wanted
  PgenPatches patches = {};
  const char* fault = nullptr;
};

/// A row whose x counts one of several ALT alleles.
struct SplitRow {
  std::int64_t track;
  std::int64_t counted;
  std::uint8_t* row;
};

std::int64_t batch_bytes_for(int threads) { return std::int64_t{std::min(threads, 64)} << 20; }

/// Of a record's main track, as a rule: no writer stores one in more than the plain form takes.
std::int64_t main_track_bytes(std::int64_t samples) {
  constexpr std::int64_t spare = 64;
  return divide_up(samples, 4) + spare;
}

bool is_list_of_differences(std::uint8_t type) { return (type & 6) == 2; }

/// Batches of records: planned in file order, read, then decoded in parallel, first those that
/// depend on no other.
class PgenSource : public ListedSource {
 public:
  PgenSource(Context& context, const PgenFiles& files, const SiteRules& rules)
      : ListedSource(rules, files.pvar),
        context_(context),
        file_(files.pgen),
        batch_bytes_(batch_bytes_for(context.threads())) {
    people_ = read_psam(files.psam);
    sites_ = read_pvar(files.pvar, rules);
    index_.emplace(file_, sample_count(), files.psam, sites_.sites, files.pvar);
    rewind();
  }

  bool read(genotype::SiteBlock& block) override {
    clear(block);
    while (wants_row(block)) {
      context_.check_cancelled();
      plan(block);
      read_tracks(file_, tracks_, bytes_);
      place_rows(block.stride);
      decode(block.stride);
      check_faults();
    }
    return block.sites > 0;
  }

  bool has_dosages() const override { return true; }

 private:
  /// Rows until the block or the batch is full: what to decode for them, and where to.
  void plan(genotype::SiteBlock& block) {
    tracks_.clear();
    splits_.clear();
    planned_ = 0;
    last_base_ = -1;
    while (wants_row(block) && planned_ < batch_bytes_) {
      if (names_) block.names.push_back(name_of(cursor_->row()));
      const bool dosage = !block.dosages.empty();
      std::uint16_t* const dosages = dosage ? block.dosage_row(block.sites) : nullptr;
      plan_row(cursor_->row(), block.row(block.sites++), dosages);
      cursor_->next();
      block.dosage_sites += dosage && (tracks_.back().record.type & pgen_dosage) != 0;
    }
  }

  void plan_row(const SiteRow& site, std::uint8_t* row, std::uint16_t* dosages) {
    if (!split_ || site.alts <= 1) return add_track(site.variant, site.alts, false, row, dosages);
    if (tracks_.empty() || tracks_.back().variant != site.variant) {
      add_track(site.variant, site.alts, true, nullptr);
    }
    splits_.push_back({std::ssize(tracks_) - 1, site.counted, row});
  }

  genotype::SiteName name_of(const SiteRow& site) {
    genotype::SiteName name = names_->at(site.variant);
    if (split_) name.a1 = allele_at(name.a1, site.counted);
    return name;
  }

  void add_track(std::int64_t variant,
                 std::int64_t alts,
                 bool patched,
                 std::uint8_t* row,
                 std::uint16_t* dosages = nullptr) {
    Track track{.variant = variant, .record = index_->record(variant), .alts = alts, .row = row};
    track.offset = track.record.offset;
    if (is_list_of_differences(track.record.type)) {
      const std::int64_t base = index_->base_of(variant);
      if (last_base_ < 0 || tracks_[last_base_].variant != base) add_track(base, 0, false, nullptr);
      track.base = last_base_;
    } else {
      last_base_ = std::ssize(tracks_);
    }
    track.patched = patched && (track.record.type & pgen_multiallelic) != 0;
    track.dosages = dosages;
    const bool has_dosages = (track.record.type & pgen_dosage) != 0;
    const bool whole = track.patched || (dosages != nullptr && has_dosages);
    track.bytes = wanted_of(track.record, whole);
    planned_ += track.bytes;
    tracks_.push_back(std::move(track));
  }

  /// Bytes of a record that hold its main track. Where dosages follow, they are most of the file.
  std::int64_t wanted_of(const PgenRecord& record, bool whole) const {
    if (whole) return record.bytes;
    return std::min(record.bytes, main_track_bytes(sample_count()));
  }

  void place_rows(std::int64_t stride) {
    const auto own =
        std::count_if(tracks_.begin(), tracks_.end(), [](const Track& t) { return !t.row; });
    if (rows_.size() < own * stride) rows_ = Array<std::uint8_t>(own * stride);
    std::uint8_t* next = rows_.data();
    for (Track& track : tracks_) {
      if (track.row != nullptr) continue;
      track.row = next;
      next += stride;
    }
  }

  void decode(std::int64_t stride) {
    constexpr std::int64_t piece_bytes = 64 << 10;
    const std::int64_t grain = std::max<std::int64_t>(1, piece_bytes / stride);
    for (const bool depends : {false, true}) {
      context_.parallel_for(std::ssize(tracks_), grain, [&](std::int64_t i) {
        if ((tracks_[i].base >= 0) == depends) decode_track(tracks_[i], stride);
      });
    }
    context_.parallel_for(std::ssize(splits_), grain, [&](std::int64_t i) {
      const SplitRow& split = splits_[i];
      const Track& track = tracks_[split.track];
      count_allele(split.counted, track.patches, sample_count(), track.row, split.row, stride);
    });
  }

  void decode_track(Track& track, std::int64_t stride) const {
    const PgenBytes bytes(bytes_.data() + track.at, static_cast<std::size_t>(track.bytes));
    track.fault = decode_bytes(track, bytes, stride);
    if (track.fault == nullptr || track.bytes == track.record.bytes) return;
    std::vector<std::uint8_t> whole(static_cast<std::size_t>(track.record.bytes));
    file_.read_at(track.offset, whole.data(), whole.size());
    track.bytes = track.record.bytes;
    track.fault = decode_bytes(track, whole, stride);
  }

  const char* decode_bytes(Track& track, PgenBytes bytes, std::int64_t stride) const {
    const std::uint8_t type = track.record.type;
    if ((type & pgen_phased_dosage) != 0 && (type & pgen_dosage) == 0) {
      return "has phased dosages without dosages";
    }
    if ((type & pgen_multiallelic) != 0 && track.alts == 1) {
      return "has calls of several ALT alleles, of which the .pvar has one; is it the right one?";
    }
    if (index_->is_bed()) {
      const char* const fault = copy_bed_row(bytes, sample_count(), track.row, stride);
      if (track.dosages != nullptr) {
        genotype::dosages_of_calls(track.row, sample_count(), track.dosages);
      }
      return fault;
    }
    const std::uint8_t* base = track.base < 0 ? nullptr : tracks_[track.base].row;
    const auto form = static_cast<PgenForm>(type & pgen_main);
    const char* fault = decode_main(form, bytes, base, sample_count(), track.row, stride);
    if (fault == nullptr && track.patched) {
      fault = decode_patches(bytes, track.alts, sample_count(), track.row, track.patches);
    }
    if (fault != nullptr) return fault;
    if (track.dosages != nullptr) {
      if ((type & pgen_multiallelic) != 0) return "has dosages of several ALT alleles";
      const int dosage_form = (type & pgen_dosage) >> 5;
      const bool phased = (type & pgen_phase) != 0;
      if (dosage_form != 0) {
        return decode_dosages(dosage_form, phased, bytes, sample_count(), track.row, track.dosages);
      }
      genotype::dosages_of_calls(track.row, sample_count(), track.dosages);
    }
    const bool is_all = (type & ~(track.patched ? 0x0f : 0x07)) == 0;
    return is_all && !bytes.empty() ? "is longer than its calls" : nullptr;
  }

  /// Throws for the first record, in file order, that has a fault.
  void check_faults() const {
    for (const Track& track : tracks_) {
      if (track.fault == nullptr) continue;
      throw file_.fault(
          "the record of variant {} (byte {}) {}", track.variant + 1, track.offset, track.fault);
    }
  }

  Context& context_;
  InputFile file_;
  std::optional<PgenIndex> index_;
  std::int64_t batch_bytes_;

  // The batch.
  std::vector<Track> tracks_;  ///< in file order
  std::vector<SplitRow> splits_;
  std::int64_t planned_ = 0;     ///< bytes of its records
  std::int64_t last_base_ = -1;  ///< its last track that is no list of differences
  Array<std::uint8_t> bytes_;
  Array<std::uint8_t> rows_;  ///< of tracks that are delivered in another form or not at all
};

/// The first of a file's possible names that is there; the first of all where none is.
std::string first_there(const std::string& prefix, std::initializer_list<const char*> endings) {
  namespace fs = std::filesystem;
  std::error_code none;
  for (const char* ending : endings) {
    for (const char* packed : {"", ".zst", ".gz"}) {
      if (fs::exists(prefix + ending + packed, none)) return prefix + ending + packed;
    }
  }
  return prefix + *endings.begin();
}

}  // namespace

std::uint64_t pgen_reader_bytes(std::int64_t samples, std::int64_t sites, int threads) {
  constexpr std::int64_t indexed = 13;  // type, offset and base of a variant
  return static_cast<std::uint64_t>(
      std::min(batch_bytes_for(threads), sites * main_track_bytes(samples)) +
      std::min(pgen_block_variants, sites) * indexed);
}

PgenFiles pgen_files(const std::string& path, bool whole) {
  std::error_code none;
  const std::string prefix = path.ends_with(".pgen") ? path.substr(0, path.size() - 5) : path;
  return {whole && std::filesystem::exists(path, none) ? path : prefix + ".pgen",
          first_there(prefix, {".pvar", ".bim"}),
          first_there(prefix, {".psam", ".fam"})};
}

std::unique_ptr<genotype::Source> open_pgen(Context& context,
                                            const PgenFiles& files,
                                            const SiteRules& rules) {
  return std::make_unique<PgenSource>(context, files, rules);
}

}  // namespace yupana::io
