#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "yupana/core/messages.hpp"
#include "yupana/io/genotype_sources.hpp"
#include "yupana/io/sample_lists.hpp"
#include "yupana/io/zarr_array.hpp"

namespace yupana::io {
namespace {

constexpr const char* calls_name = "call_genotype";

/// What an allele of a call is to its row.
enum CalledAllele : std::uint8_t {
  other_allele,
  counted_allele,
  missing_allele,
  absent_allele,
  unknown_allele,
  allele_kinds
};

CalledAllele allele_of(std::int64_t value, const SiteRow& row) {
  if (value == -1) return missing_allele;
  if (value == -2) return absent_allele;  // a call of one allele
  if (value < 0 || value > row.alts) return unknown_allele;
  return (row.counted == 0 ? value > 0 : value == row.counted) ? counted_allele : other_allele;
}

constexpr std::uint8_t refused_call = 4;  ///< no genotype::Code

/// The code of a call of two alleles, in either order; refused_call where the rule is an error.
std::uint8_t call_code(CalledAllele a, CalledAllele b, HalfCall half_call) {
  constexpr std::uint8_t codes[] = {
      genotype::homozygous_a2, genotype::heterozygous, genotype::homozygous_a1};
  if (a > b) std::swap(a, b);
  if (b == unknown_allele) return refused_call;
  if (b == absent_allele) b = a;
  if (a >= missing_allele) return genotype::missing_call;
  if (b != missing_allele) return codes[a + b];
  switch (half_call) {
    case HalfCall::missing:
      return genotype::missing_call;
    case HalfCall::haploid:
      return codes[2 * a];
    case HalfCall::reference:
      return codes[a];
    case HalfCall::error:
      break;
  }
  return refused_call;
}

/// Rows of a chunk that are in memory together: all, or what 256 MiB hold.
std::int64_t most_rows(std::int64_t samples) {
  return std::max<std::int64_t>(64, (std::int64_t{1} << 28) / divide_up(samples, 4));
}

/// Sites chunk by chunk: the rows of a chunk are decoded together, then handed on.
class ZarrSource : public ListedSource {
 public:
  ZarrSource(Context& context, const std::string& path, HalfCall half_call, const SiteRules& rules)
      : ListedSource(rules),
        context_(context),
        path_(path),
        half_call_(half_call),
        calls_(path, calls_name),
        positions_(path, "variant_position", false, calls_.shape()[0]),
        contig_numbers_(path, "variant_contig", false, calls_.shape()[0]),
        alleles_(path, "variant_allele", true, calls_.shape()[0]) {
    check_calls();
    if (ZarrArray::exists(path, "variant_id"))
      ids_.emplace(path, "variant_id", true, positions_.rows());
    read_names();
    find_sites(rules);
    rewind();
  }

  bool read(genotype::SiteBlock& block) override {
    clear(block);
    for (; wants_row(block); cursor_->next(), ++next_) {
      if (next_ < begin_ || next_ >= begin_ + std::ssize(rows_)) load_rows();
      if (named_) block.names.push_back(name_of(cursor_->row()));
      std::uint8_t* const row = block.row(block.sites++);
      std::memcpy(
          row, codes_.data() + (next_ - begin_) * stride_, static_cast<std::size_t>(stride_));
      std::memset(row + stride_, 0, static_cast<std::size_t>(block.stride - stride_));
    }
    return block.sites > 0;
  }

  bool skip(genotype::SiteBlock& block) override {
    ListedSource::skip(block);
    next_ += block.sites;
    return block.sites > 0;
  }
  void rewind() override {
    ListedSource::rewind();
    next_ = 0;
  }
  void name_sites() override { named_ = true; }

 private:
  void check_calls() const {
    const bool is_cube = calls_.shape().size() == 3 && calls_.kind() == ZarrKind::integer;
    if (!is_cube)
      throw bad_file(calls_.path(), "expected integers of variants, samples and ploidy");
    const std::int64_t ploidy = calls_.shape()[2];
    if (ploidy != 1 && ploidy != 2) {
      throw bad_file(calls_.path(), "expected calls of one or two alleles, got {}", ploidy);
    }
    if (calls_.chunk()[2] != ploidy) {
      throw bad_file(calls_.path(), "expected both alleles of a call in one chunk");
    }
  }

  void read_names() {
    ZarrColumn names(path_, "sample_id", true, calls_.shape()[1]);
    ZarrColumn contigs(path_, "contig_id", true, -1);
    if (names.rows() == 0) throw bad_file(names.array().path(), "holds no samples");
    for (std::int64_t i = 0; i < names.rows(); ++i) {
      people_.ids.push_back(names.text(i));
      if (people_.ids.back().empty())
        throw bad_file(names.array().path(), "sample {} has no name", i + 1);
    }
    check_sample_names(names.array().path(), people_.ids);
    for (std::int64_t i = 0; i < contigs.rows(); ++i) {
      contigs_.push_back(contigs.text(i));
      if (contigs_.back().empty())
        throw bad_file(contigs.array().path(), "contig {} has no name", i + 1);
    }
    stride_ = divide_up(sample_count(), 4);
  }

  void find_sites(const SiteRules& rules) {
    SiteCollector sites(path_, rules);
    for (std::int64_t i = 0; i < positions_.rows(); ++i) {
      if (i % 4096 == 0) context_.check_cancelled();
      const std::string alts = alts_of_variant(i);
      const std::string& ref = alleles_.texts(i)[0];
      if (ref.empty()) throw bad_file(alleles_.array().path(), "variant {} has no REF", i + 1);
      const std::string_view name = ids_ ? std::string_view(ids_->text(i)) : ".";
      sites.add(contig_of(i),
                positions_.number(i),
                name,
                verdict_of(rules.records, {ref, alts}, true),
                alts_of(alts));
    }
    sites_ = sites.finish();
  }

  const std::string& contig_of(std::int64_t variant) {
    const std::int64_t number = contig_numbers_.number(variant);
    if (number >= 0 && number < std::ssize(contigs_)) return contigs_[number];
    throw bad_file(contig_numbers_.array().path(),
                   "variant {} is on contig {}, and contig_id names {}",
                   variant + 1,
                   number,
                   contigs_.size());
  }

  /// Separated by commas; '.' where there is none.
  std::string alts_of_variant(std::int64_t variant) {
    std::string alts;
    bool ended = false;
    for (const std::string& allele : alleles_.texts(variant).subspan(1)) {
      const bool is_none = allele.empty() || allele == ".";
      if (ended && !is_none) {
        throw bad_file(alleles_.array().path(), "variant {} has an empty allele", variant + 1);
      }
      ended = ended || is_none;
      if (!is_none) alts += (alts.empty() ? "" : ",") + allele;
    }
    return alts.empty() ? "." : alts;
  }

  genotype::SiteName name_of(const SiteRow& row) {
    genotype::SiteName name{.chromosome = contig_of(row.variant),
                            .position = positions_.number(row.variant),
                            .name = ids_ ? ids_->text(row.variant) : ".",
                            .a1 = alts_of_variant(row.variant),
                            .a2 = alleles_.texts(row.variant)[0]};
    if (name.name.empty()) name.name = ".";
    if (split_) name.a1 = allele_at(name.a1, row.counted);
    return name;
  }

  /// The rows from the cursor on that are in its chunk of variants.
  void load_rows() {
    begin_ = next_;
    rows_.clear();
    SiteCursor ahead = *cursor_;
    chunk_ = ahead.row().variant / calls_.chunk()[0];
    for (; !ahead.at_end() && ahead.row().variant / calls_.chunk()[0] == chunk_; ahead.next()) {
      if (std::ssize(rows_) == most_rows(sample_count())) break;
      rows_.push_back(ahead.row());
      if (!split_) rows_.back().counted = 0;
    }
    codes_.assign(static_cast<std::size_t>(std::ssize(rows_) * stride_), 0);
    const std::int64_t pieces = divide_up(sample_count(), calls_.chunk()[1]);
    // Pieces that share a byte of a row are decoded by one thread.
    const std::int64_t grain = calls_.chunk()[1] % 4 == 0 ? 1 : pieces;
    context_.parallel_for(pieces, grain, [&](std::int64_t begin, std::int64_t end) {
      std::vector<std::uint8_t> bytes;
      for (std::int64_t piece = begin; piece < end; ++piece) decode_piece(piece, bytes);
    });
    if (!without_file_ || noted_) return;
    noted_ = true;
    sites_.account.notes.push_back(
        fmt::format("{}: chunks without a file count as calls of {}, the array's fill value, as "
                    "Zarr has it; a store of which a part was copied looks the same",
                    calls_.path(),
                    calls_.fill()));
  }

  /// A chunk of calls. `bytes`: memory for them.
  void decode_piece(std::int64_t piece, std::vector<std::uint8_t>& bytes) {
    context_.check_cancelled();
    const std::int64_t place[] = {chunk_, piece, 0};
    const bool has_file = calls_.read(place, bytes);
    if (!has_file) without_file_ = true;
    const std::int64_t row_bytes = calls_.chunk()[1] * calls_.chunk()[2] * calls_.element();
    for (std::int64_t row = 0; row < std::ssize(rows_); ++row) {
      const std::int64_t within = rows_[row].variant - chunk_ * calls_.chunk()[0];
      decode_row(row, piece, has_file ? bytes.data() + within * row_bytes : nullptr);
    }
  }

  /// The calls of a row's samples in a piece; null: all are the fill value.
  void decode_row(std::int64_t row, std::int64_t piece, const std::uint8_t* calls) {
    const std::int64_t ploidy = calls_.shape()[2], size = calls_.element();
    std::array<std::uint8_t, allele_kinds * allele_kinds> codes;
    for (int a = 0; a < allele_kinds; ++a) {
      for (int b = 0; b < allele_kinds; ++b) {
        codes[a * allele_kinds + b] =
            call_code(static_cast<CalledAllele>(a), static_cast<CalledAllele>(b), half_call_);
      }
    }
    const auto value = [&](std::int64_t at) {
      if (calls == nullptr) return calls_.fill();
      if (size == 1) return std::int64_t{static_cast<std::int8_t>(calls[at])};
      std::uint64_t bits = 0;
      std::memcpy(&bits, calls + at * size, static_cast<std::size_t>(size));
      const auto shift = static_cast<unsigned>(64 - 8 * size);
      return static_cast<std::int64_t>(bits << shift) >> shift;
    };
    const std::int64_t first = piece * calls_.chunk()[1];
    const std::int64_t last = std::min(first + calls_.chunk()[1], sample_count());
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t at = (i - first) * ploidy;
      const CalledAllele a = allele_of(value(at), rows_[row]);
      const CalledAllele b = ploidy == 2 ? allele_of(value(at + 1), rows_[row]) : absent_allele;
      const std::uint8_t code = codes[a * allele_kinds + b];
      if (code == refused_call) {
        throw bad_file(calls_.path(),
                       "variant {}, sample {}: {}",
                       rows_[row].variant + 1,
                       people_.ids[i],
                       a == unknown_allele || b == unknown_allele
                           ? "an allele that the site does not have"
                           : "half of a call is missing (--half-call)");
      }
      codes_[row * stride_ + i / 4] |= static_cast<std::uint8_t>(code << (2 * (i % 4)));
    }
  }

  Context& context_;
  std::string path_;
  HalfCall half_call_;
  ZarrArray calls_;
  std::vector<std::string> contigs_;
  ZarrColumn positions_, contig_numbers_, alleles_;
  std::optional<ZarrColumn> ids_;
  bool named_ = false;
  std::int64_t next_ = 0;  ///< row of the cursor, from the first of all

  // The rows of a chunk of variants.
  std::int64_t chunk_ = -1;
  std::int64_t begin_ = 0;  ///< row, from the first of all
  std::vector<SiteRow> rows_;
  std::int64_t stride_ = 0;
  std::vector<std::uint8_t> codes_;
  std::atomic<bool> without_file_{false};  ///< some chunk of calls
  bool noted_ = false;
};

}  // namespace

bool is_zarr_store(const std::string& path) { return ZarrArray::exists(path, calls_name); }

std::uint64_t zarr_reader_bytes(const std::string& path, std::int64_t samples, int threads) {
  const ZarrArray calls(path, calls_name);
  const std::int64_t rows = std::min(calls.chunk()[0], most_rows(samples));
  return static_cast<std::uint64_t>(rows * divide_up(samples, 4) +
                                    threads * calls.chunk_elements() * calls.element());
}

std::unique_ptr<genotype::Source> open_zarr(Context& context,
                                            const std::string& path,
                                            HalfCall half_call,
                                            const SiteRules& rules) {
  return std::make_unique<ZarrSource>(context, path, half_call, rules);
}

}  // namespace yupana::io
