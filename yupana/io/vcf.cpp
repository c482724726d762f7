#include "yupana/io/vcf.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <future>
#include <utility>

#include "yupana/core/messages.hpp"
#include "yupana/genotype/site_dosages.hpp"
#include "yupana/io/input_file.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/io/variant_sites.hpp"
#include "yupana/io/vcf_file.hpp"
#include "yupana/io/vcf_record.hpp"

namespace yupana::io {
namespace {

/// Bytes of records a batch: half a MB a thread, so that what one thread reads is still in the L2
/// cache of 1 MB when it is decoded (10 % faster than 4 MB with one thread of a Zen 4, the same
/// with two), and at most 64 MB.
std::int64_t batch_bytes_for(int threads) { return std::int64_t{std::min(threads, 128)} << 19; }

/// What is wrong with the call of a sample, at a site of `alts` ALT alleles.
std::string explain(const GenotypeFault& fault, const std::string& sample, std::int64_t alts) {
  const std::string call = fmt::format("sample {}: '{}'", sample, printable(fault.text));
  switch (fault.fault) {
    case CallFault::allele:
      return call + (alts > 1 ? fmt::format(" names an allele that the site does not have: it has "
                                            "REF (0) and ALT (1 to {})",
                                            alts)
                              : std::string(" names an allele that the site does not have: it has "
                                            "REF (0) and one ALT (1)"));
    case CallFault::half:
      return call + " is a half call; take them with --half-call missing, haploid or reference";
    case CallFault::polyploid:
      return call +
             " has more than two alleles; yupana reads haploid and diploid calls: leave the "
             "site out, or take such calls as missing with --polyploid missing";
    case CallFault::none:
    case CallFault::columns:
    case CallFault::syntax:
      break;
  }
  return call + " is no genotype";
}

/// Batches of records from a file, filters, and the decoding of the records that stay: lines are
/// looked at in parallel, judged in file order, decoded in parallel into their rows.
class VcfSource : public genotype::Source {
 public:
  VcfSource(Context& context, const VcfParams& params)
      : context_(context),
        params_(params),
        rules_{params.chromosomes, params.region, params, params.variants},
        judge_(rules_),
        file_(params.path, params.region, params.chromosomes.autosomes(), context.threads()),
        batch_bytes_(batch_bytes_for(context.threads())),
        reference_(context.backend() == Backend::reference) {
    const CallRules calls{params.half_call, params.polyploid};
    const std::int64_t samples = std::ssize(file_.header().samples);
    format_ = file_.binary()
                  ? make_binary_format(samples, calls, rules_.records, file_.binary_names())
                  : make_text_format(samples, calls, rules_.records);
    rewind();
  }

  const std::vector<std::string>& samples() const override { return file_.header().samples; }
  std::int64_t sites() const override { return -1; }
  bool read(genotype::SiteBlock& block) override { return advance(block, true); }
  bool skip(genotype::SiteBlock& block) override { return advance(block, false); }

  void rewind() override {
    if (read_ahead_.valid()) read_ahead_.wait();
    read_ahead_ = {};
    if (next_line_ != 0) file_.rewind();
    next_line_ = file_.binary() ? 1 : file_.header().lines + 1;
    account_ = {};
    judge_ = SiteJudge(rules_);
    any_genotypes_ = finished_ = false;
    next_alt_ = 1;
    tail_.clear();
    batch_.records.clear();
    cursor_ = 0;
  }

  const genotype::SiteAccount& account() const override { return account_; }
  void name_sites() override { named_ = true; }
  bool has_dosages() const override { return true; }

  std::vector<std::string> chromosomes() const override {
    std::vector<std::string> kept = file_.header().contigs;
    std::erase_if(kept, [&](const std::string& contig) {
      if (params_.region && !params_.region->is_on(contig, params_.chromosomes.autosomes())) {
        return true;
      }
      return !params_.chromosomes.keeps(contig);
    });
    return kept;
  }

 private:
  /// A site whose turn has come: its row, or null where it is not decoded, and the allele x counts.
  struct Job {
    const VcfRecord* record;
    std::uint8_t* row;
    std::int64_t counted = 1;
    std::uint16_t* dosages = nullptr;
  };

  bool advance(genotype::SiteBlock& block, bool wanted) {
    if (block.samples != std::ssize(samples())) {
      throw usage_error(
          "read: expected a block of {} samples, got one of {}", samples().size(), block.samples);
    }
    block.sites = 0;
    block.names.clear();
    dosage_sites_ = 0;
    std::vector<Job> jobs;
    while (block.sites < block.capacity) {
      context_.check_cancelled();
      if (cursor_ == batch_.records.size() && !next_batch()) break;
      jobs.clear();
      take(block, wanted, jobs);
      run_all(jobs, block.stride);
    }
    block.dosage_sites = dosage_sites_;
    return block.sites > 0;
  }

  bool next_batch() {
    if (finished_) return false;
    if (read_ahead_.valid()) {
      read_ahead_.get();
    } else {
      fill(spare_);
    }
    std::swap(batch_, spare_);
    cursor_ = 0;
    if (batch_.size == 0) {
      finish();
      return false;
    }
    batch_.first_line = file_.indexed() ? 0 : next_line_;
    // Reading continues in another thread while this batch is decoded; one thread means one.
    if (context_.threads() > 1) {
      read_ahead_ = std::async(std::launch::async, [this] { fill(spare_); });
    }
    format_->scan(context_, batch_);
    next_line_ += batch_.lines;
    return true;
  }

  /// Whole records, at least one, unless the file is at its end.
  void fill(VcfBatch& batch) {
    batch.size = 0;
    batch.records.clear();
    if (file_.indexed()) {
      std::string record;
      while (batch.size < batch_bytes_ && file_.read_record(record)) {
        const std::int64_t size = batch.size + std::ssize(record);
        if (size + VcfBatch::padding > batch.bytes.size()) batch.reserve(batch_bytes_ + 2 * size);
        std::memcpy(batch.bytes.data() + batch.size, record.data(), record.size());
        batch.size += std::ssize(record);
      }
      return;
    }
    batch.reserve(std::max(batch_bytes_, 2 * std::ssize(tail_)));
    std::memcpy(batch.bytes.data(), tail_.data(), tail_.size());
    batch.size = std::ssize(tail_);
    while (true) {
      const std::int64_t room = batch.bytes.size() - VcfBatch::padding - batch.size;
      const std::int64_t got = file_.read(batch.bytes.data() + batch.size, room);
      batch.size += got;
      const bool at_end = got < room;
      if (at_end && batch.size > 0 && !file_.binary() && batch.bytes[batch.size - 1] != '\n') {
        batch.bytes[batch.size++] = '\n';  // there is room: `got` was less
      }
      const std::int64_t whole =
          format_->whole_records({batch.bytes.data(), static_cast<std::size_t>(batch.size)});
      if (at_end && whole < batch.size) {
        throw bad_file(params_.path, "cut short: the last record has no end");
      }
      if (whole > 0 || at_end) {
        tail_.assign(batch.bytes.data() + whole, batch.size - whole);
        batch.size = whole;
        return;
      }
      if (batch.size > most_line_bytes(params_.path)) {
        throw bad_file(params_.path, "has more than {} bytes in a record", batch.size);
      }
      batch.reserve(2 * batch.size);  // one record is longer than the buffer
    }
  }

  /// Records until the block is full or the batch at its end, in file order: judged and counted.
  void take(genotype::SiteBlock& block, bool wanted, std::vector<Job>& jobs) {
    while (cursor_ < batch_.records.size() && block.sites < block.capacity) {
      const VcfRecord& record = batch_.records[cursor_];
      any_genotypes_ = any_genotypes_ || record.has_genotypes;
      judge_.take_contig(record.contig);
      if (record.verdict == Verdict::malformed) {
        ++account_.read;
        jobs.push_back({&record, nullptr});  // the jobs before it may find an earlier fault
      } else if (const std::string_view reason =
                     judge_.reason_to_skip(record.position, record.name, record.verdict);
                 !reason.empty()) {
        ++account_.read;
        ++account_.skipped[std::string(reason)];
        jobs.push_back({&record, nullptr});
      } else {
        take_kept(record, block, wanted, jobs);
        if (next_alt_ > 1) return;  // the block is full between two of its sites
      }
      ++cursor_;
    }
  }

  /// The site of a record, or where several ALT alleles are split the sites that fit the block;
  /// next_alt_ is 1 again after the last.
  void take_kept(const VcfRecord& record,
                 genotype::SiteBlock& block,
                 bool wanted,
                 std::vector<Job>& jobs) {
    const bool split = params_.multiallelic == Multiallelic::split;
    const bool collapse = params_.multiallelic == Multiallelic::collapse && record.alts > 1;
    const std::int64_t last = split ? std::max<std::int64_t>(record.alts, 1) : 1;
    while (block.sites < block.capacity) {
      jobs.push_back({&record,
                      wanted ? block.row(block.sites) : nullptr,
                      collapse ? CallRules::any_alt : next_alt_,
                      wanted && !block.dosages.empty() ? block.dosage_row(block.sites) : nullptr});
      if (named_ && wanted) block.names.push_back(name_of(record, jobs.back().counted));
      ++block.sites;
      ++account_.read;
      ++account_.kept;
      if (next_alt_++ == last) {
        next_alt_ = 1;
        return;
      }
    }
  }

  genotype::SiteName name_of(const VcfRecord& record, std::int64_t counted) const {
    VcfFormat::Alleles alleles = format_->alleles(record);
    if (counted != CallRules::any_alt) alleles.alt = allele_at(alleles.alt, counted);
    return {.chromosome = std::string(record.contig),
            .position = record.position,
            .name = record.name.empty() ? "." : std::string(record.name),
            .a1 = std::move(alleles.alt),
            .a2 = std::move(alleles.ref)};
  }

  void finish() {
    finished_ = true;
    if (account_.read > 0 && !any_genotypes_) {
      throw bad_file(params_.path,
                     "expected genotypes, got no GT in FORMAT of any of {} records",
                     account_.read);
    }
    if (!judge_.found_region() && !file_.declares_region()) {
      throw bad_file(params_.path, "--region: no record on contig '{}'", params_.region->contig);
    }
    account_.notes = file_.notes();
    // An index leads to a region past the other contigs.
    judge_.add_notes(account_, !params_.region);
  }

  bool run(const Job& job, std::int64_t stride) {
    if (job.record->verdict == Verdict::malformed) return false;
    if (job.row == nullptr) return format_->complete(*job.record);
    const bool decoded = reference_
                             ? !format_->reference_decode(*job.record, job.counted, job.row, stride)
                             : format_->decode(*job.record, job.counted, job.row, stride);
    if (!decoded || job.dosages == nullptr) return decoded;
    const DosagesRead read = read_dosages(job);
    if (read.found) dosage_sites_.fetch_add(1, std::memory_order_relaxed);
    return read.faulty < 0;
  }

  DosagesRead read_dosages(const Job& job) const {
    genotype::dosages_of_calls(job.row, std::ssize(samples()), job.dosages);
    return format_->read_dosages(*job.record, job.dosages);
  }

  /// Throws for the first record, in file order, that has a fault.
  void run_all(const std::vector<Job>& jobs, std::int64_t stride) {
    constexpr std::int64_t piece_bytes = 64 << 10;
    const auto count = static_cast<std::int64_t>(jobs.size());
    if (count == 0) return;
    const std::int64_t bytes = jobs.back().record->end - jobs.front().record->begin;
    const std::int64_t grain = std::max<std::int64_t>(1, count * piece_bytes / (bytes + 1));
    std::atomic<std::int64_t> first_fault{count};
    context_.parallel_for(count, grain, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        if (run(jobs[i], stride)) continue;
        std::int64_t known = first_fault.load();
        while (i < known && !first_fault.compare_exchange_weak(known, i)) {
        }
        return;
      }
    });
    if (first_fault < count) throw error_of(jobs[first_fault.load()], stride);
  }

  Error error_of(const Job& job, std::int64_t stride) const {
    const VcfRecord& record = *job.record;
    std::string what = format_->column_fault(record);
    if (what.empty() && record.verdict == Verdict::malformed) {
      what = record.fault;
      if (!record.faulty.empty()) what += fmt::format(", got '{}'", printable(record.faulty));
    }
    if (what.empty()) {
      std::vector<std::uint8_t> row(stride);
      const GenotypeFault fault =
          format_->reference_decode(record, job.counted, row.data(), stride);
      if (fault) {
        what = explain(fault, printable(samples()[fault.sample]), record.alts);
      } else {
        const DosagesRead read = read_dosages(job);
        what = fmt::format(
            "sample {}: DS '{}' is no dosage; expected '.', or a number from 0 to 2, "
            "of a haploid call to 1",
            printable(samples()[read.faulty]),
            printable(read.text));
      }
    }
    if (record.line > 0 && !file_.binary()) return bad_line(params_.path, record.line, what);
    const std::string place = fmt::format("{}:{}", printable(record.contig), record.position);
    if (record.line > 0) what = fmt::format("record {}: {}", record.line, what);
    return bad_file(params_.path, record.contig.empty() ? what : place + ": " + what);
  }

  Context& context_;
  VcfParams params_;
  SiteRules rules_;
  SiteJudge judge_;
  VcfFile file_;
  std::unique_ptr<VcfFormat> format_;
  std::int64_t batch_bytes_;
  bool reference_;
  bool named_ = false;
  genotype::SiteAccount account_;
  std::atomic<std::int64_t> dosage_sites_{0};  // of the block being read
  bool any_genotypes_ = false;
  bool finished_ = false;
  std::int64_t next_alt_ = 1;  // --multiallelic split: of the record at cursor_
  std::string tail_;           // the beginning of a record whose end is not read yet
  std::int64_t next_line_ = 0;
  VcfBatch batch_, spare_;
  std::size_t cursor_ = 0;        // the next record of batch_
  std::future<void> read_ahead_;  // fills spare_; last, so that it ends before the rest goes
};

}  // namespace

std::uint64_t vcf_reader_bytes(int threads, bool compressed) {
  constexpr std::int64_t block = 170'000;  // packed, unpacked, and what libdeflate takes
  const std::int64_t ahead = compressed ? block * blocks_ahead(threads) : 0;
  return static_cast<std::uint64_t>(2 * batch_bytes_for(threads) + ahead);
}

HalfCall half_call_from_name(std::string_view name) {
  if (name == "missing" || name == "m") return HalfCall::missing;
  if (name == "haploid" || name == "h") return HalfCall::haploid;
  if (name == "reference" || name == "r") return HalfCall::reference;
  if (name == "error" || name == "e") return HalfCall::error;
  throw usage_error("--half-call: expected missing, haploid, reference or error, got '{}'", name);
}

Polyploid polyploid_from_name(std::string_view name) {
  if (name == "error" || name == "e") return Polyploid::error;
  if (name == "missing" || name == "m") return Polyploid::missing;
  throw usage_error("--polyploid: expected error or missing, got '{}'", name);
}

Multiallelic multiallelic_from_name(std::string_view name) {
  if (name == "skip") return Multiallelic::skip;
  if (name == "split") return Multiallelic::split;
  if (name == "collapse") return Multiallelic::collapse;
  throw usage_error("--multiallelic: expected skip, split or collapse, got '{}'", name);
}

std::unique_ptr<genotype::Source> open_vcf(Context& context, const VcfParams& params) {
  return std::make_unique<VcfSource>(context, params);
}

}  // namespace yupana::io
