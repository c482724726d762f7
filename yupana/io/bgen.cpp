#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/bgen_file.hpp"
#include "yupana/io/genotype_sources.hpp"
#include "yupana/io/variant_sites.hpp"

namespace yupana::io {
namespace {

/// A variant to decode, and the rows of the block it gives.
struct BgenTrack {
  std::int64_t variant = 0;
  std::int64_t alleles = 0;
  std::int64_t offset = 0;  ///< of its probabilities in the file
  std::int64_t bytes = 0;
  std::int64_t unpacked = 0;
  std::int64_t at = 0;  ///< place in the batch
  BgenRows rows = {};
  const char* fault = nullptr;
};

std::int64_t bgen_batch_bytes(int threads) { return std::int64_t{std::min(threads, 64)} << 20; }

/// The most bytes that probabilities take: 32 bits for every genotype of two alleles.
std::uint64_t most_probability_bytes(std::int64_t samples, std::int64_t alleles) {
  return 10 + static_cast<std::uint64_t>(samples) *
                  (1 + 4 * static_cast<std::uint64_t>(alleles * (alleles + 1) / 2));
}

/// Batches of variants: planned in file order, read, then unpacked and decoded in parallel.
class BgenSource : public ListedSource {
 public:
  BgenSource(Context& context,
             const BgenParams& params,
             const SampleNames& names,
             const SiteRules& rules)
      : ListedSource(rules),
        context_(context),
        file_(params.path),
        header_(read_bgen_header(file_)),
        ref_last_(params.ref_last),
        rule_(params.hard_call_threshold),
        variants_(file_, header_),
        batch_bytes_(bgen_batch_bytes(context.threads())) {
    if (!(params.hard_call_threshold >= 0 && params.hard_call_threshold < 0.5)) {
      throw usage_error("--hard-call-threshold: expected a number from 0 to below 0.5, got {}",
                        params.hard_call_threshold);
    }
    name_samples(params, names);
    find_sites(rules);
    rewind();
  }

  bool read(genotype::SiteBlock& block) override {
    clear(block);
    while (wants_row(block)) {
      context_.check_cancelled();
      plan(block);
      read_tracks(file_, tracks_, bytes_);
      decode();
      check_faults();
    }
    return block.sites > 0;
  }

  void name_sites() override { named_ = true; }
  bool has_dosages() const override { return true; }

 private:
  void name_samples(const BgenParams& params, const SampleNames& names) {
    if (names.ids.empty() && header_.names.empty()) {
      throw file_.fault(
          "holds no names of samples, and no .sample is beside it; name one with --sample");
    }
    people_ = names;
    if (names.ids.empty()) {
      people_.ids = std::move(header_.names);
      check_sample_names(file_.path(), people_.ids);
    }
    people_.families = people_.individuals = {};
    if (std::ssize(people_.ids) == header_.samples) return;
    throw file_.fault("has {}, {} has {}; is it of another data set?",
                      counted(header_.samples, "sample"),
                      params.sample,
                      people_.ids.size());
  }

  /// Reads what the file says of every variant.
  void find_sites(const SiteRules& rules) {
    SiteCollector sites(file_.path(), rules);
    std::int64_t place = header_.first;
    std::string alts;
    for (std::int64_t i = 0; i < header_.variants; ++i) {
      if (i % 4096 == 0) context_.check_cancelled();
      const BgenVariant& variant = variants_.read(place, i);
      alts.clear();
      for (const std::string& allele : variant.alleles) {
        if (&allele != &ref_of(variant)) alts += (alts.empty() ? "" : ",") + allele;
      }
      const Verdict verdict = verdict_of(rules.records, {ref_of(variant), alts}, true);
      sites.add(
          variant.contig, variant.position, variant.name, verdict, std::ssize(variant.alleles) - 1);
      if (std::ssize(sites.sites().kept) > std::ssize(places_)) places_.push_back(place);
      place = variant.end();
    }
    if (place != file_.size()) {
      throw file_.fault("has {} after its {}; is its header damaged?",
                        counted(file_.size() - place, "byte"),
                        counted(header_.variants, "variant"));
    }
    sites_ = sites.finish();
  }

  /// The variant of the cursor's row: from the one read before, or from its stretch's beginning.
  const BgenVariant& variant_at(const SiteRow& site) {
    if (last_ != nullptr && number_ == site.variant + 1) return *last_;
    const auto stretch = static_cast<std::size_t>(cursor_->stretch());
    const std::int64_t begin = sites_.kept[stretch].begin;
    if (last_ == nullptr || number_ < begin || number_ > site.variant) {
      number_ = begin;
      place_ = places_[stretch];
    }
    for (; number_ <= site.variant; ++number_) {
      last_ = &variants_.read(place_, number_);
      place_ = last_->end();
    }
    return *last_;
  }

  genotype::SiteName name_of(const BgenVariant& variant, const SiteRow& site) const {
    genotype::SiteName name{.chromosome = variant.contig,
                            .position = variant.position,
                            .name = variant.name.empty() ? "." : variant.name,
                            .a1 = {},
                            .a2 = ref_of(variant)};
    for (std::size_t k = 0; k + 1 < variant.alleles.size(); ++k) {
      if (split_ && static_cast<std::int64_t>(k) + 1 != site.counted) continue;
      name.a1 += (name.a1.empty() ? "" : ",") + variant.alleles[ref_last_ ? k : k + 1];
    }
    return name;
  }

  /// Rows until the block or the batch is full.
  void plan(genotype::SiteBlock& block) {
    tracks_.clear();
    planned_ = 0;
    for (; wants_row(block) && planned_ < batch_bytes_; cursor_->next()) {
      plan_row(cursor_->row(), block);
    }
  }

  /// Each thread holds a variant as it grows. What two alleles take is part of every plan.
  void check_fits(const BgenVariant& variant, std::int64_t number) const {
    const std::uint64_t bytes = 2 * static_cast<std::uint64_t>(context_.threads()) *
                                static_cast<std::uint64_t>(variant.unpacked);
    const auto unpacked = static_cast<std::uint64_t>(variant.unpacked);
    const auto most = [&](std::int64_t alleles) {
      return most_probability_bytes(header_.samples, alleles);
    };
    // Of more than its alleles take it is damaged, which decode() says.
    const bool is_usual = unpacked <= most(2) || unpacked > most(std::ssize(variant.alleles));
    if (bytes <= context_.memory() || is_usual) return;
    throw resource_error("{}: variant {} takes {} to unpack, and {} are allowed; give --memory {}",
                         file_.path(),
                         number + 1,
                         needed_bytes(static_cast<double>(bytes)),
                         allowed_bytes(static_cast<double>(context_.memory())),
                         memory_option(static_cast<double>(bytes)));
  }

  void plan_row(const SiteRow& site, genotype::SiteBlock& block) {
    const BgenVariant& variant = variant_at(site);
    check_fits(variant, site.variant);
    if (named_) block.names.push_back(name_of(variant, site));
    std::uint16_t* const dosages = block.dosages.empty() ? nullptr : block.dosage_row(block.sites);
    if (dosages != nullptr) ++block.dosage_sites;
    std::uint8_t* const row = block.row(block.sites++);
    if (!tracks_.empty() && tracks_.back().variant == site.variant) {
      ++tracks_.back().rows.count;
      return;
    }
    tracks_.push_back(
        {.variant = site.variant,
         .alleles = std::ssize(variant.alleles),
         .offset = variant.data,
         .bytes = variant.bytes,
         .unpacked = variant.unpacked,
         .rows = {row, block.stride, 1, split_ ? site.counted : 0, ref_last_, dosages}});
    planned_ += variant.bytes;
  }

  void decode() {
    constexpr std::int64_t decoded_bytes = 256 << 10;
    const std::int64_t grain = std::max<std::int64_t>(1, decoded_bytes / (3 * header_.samples));
    context_.parallel_for(std::ssize(tracks_), grain, [&](std::int64_t begin, std::int64_t end) {
      std::vector<std::uint8_t> data;
      for (std::int64_t i = begin; i < end; ++i) tracks_[i].fault = decode(tracks_[i], data);
    });
  }

  /// Returns what is wrong with the track. `data`: memory for its bytes.
  const char* decode(const BgenTrack& track, std::vector<std::uint8_t>& data) const {
    if (static_cast<std::uint64_t>(track.unpacked) >
        most_probability_bytes(header_.samples, track.alleles)) {
      return "unpacks to more bytes than probabilities take; it is damaged";
    }
    const std::span packed(bytes_.data() + track.at, static_cast<std::size_t>(track.bytes));
    const auto size = static_cast<std::size_t>(track.unpacked);
    if (const char* fault = unpack(header_.packing, packed, size, data)) return fault;
    if (data.size() != size) return "unpacks to less bytes than it says; it is damaged";
    constexpr std::size_t readable = 8;
    data.resize(size + readable);
    return hard_calls(
        rule_, data.data(), track.unpacked, header_.samples, track.alleles, track.rows);
  }

  /// Throws for the first variant, in file order, that has a fault.
  void check_faults() const {
    for (const BgenTrack& track : tracks_) {
      if (track.fault == nullptr) continue;
      throw file_.fault(
          "variant {} (its data are at byte {}) {}", track.variant + 1, track.offset, track.fault);
    }
  }

  const std::string& ref_of(const BgenVariant& variant) const {
    return ref_last_ ? variant.alleles.back() : variant.alleles.front();
  }

  Context& context_;
  InputFile file_;
  BgenHeader header_;
  bool ref_last_;
  HardCalls rule_;
  std::vector<std::int64_t> places_;  ///< in the file, of each stretch of kept sites
  BgenVariants variants_;
  std::int64_t number_ = 0;            ///< of the variant that variants_ reads next
  std::int64_t place_ = 0;             ///< where it is
  const BgenVariant* last_ = nullptr;  ///< the variant before it, read last
  std::int64_t batch_bytes_;
  bool named_ = false;

  // The batch.
  std::vector<BgenTrack> tracks_;  ///< in file order
  std::int64_t planned_ = 0;       ///< its bytes
  Array<std::uint8_t> bytes_;
};

}  // namespace

std::uint64_t bgen_reader_bytes(std::int64_t samples, std::int64_t sites, int threads) {
  // Of 16 bits, not compressed; then once more for the variants being decoded.
  const auto variant = static_cast<std::int64_t>(5 * samples);
  return static_cast<std::uint64_t>(std::min(bgen_batch_bytes(threads) + variant, sites * variant) +
                                    threads * variant);
}

std::string bgen_sample_file(const std::string& path) {
  const std::string prefix = path.ends_with(".bgen") ? path.substr(0, path.size() - 5) : path;
  std::error_code none;
  for (const char* packed : {"", ".zst", ".gz"}) {
    const std::string name = prefix + ".sample" + packed;
    if (std::filesystem::exists(name, none)) return name;
  }
  return {};
}

std::unique_ptr<genotype::Source> open_bgen(Context& context,
                                            const BgenParams& params,
                                            const SampleNames& names,
                                            const SiteRules& rules) {
  return std::make_unique<BgenSource>(context, params, names, rules);
}

}  // namespace yupana::io
