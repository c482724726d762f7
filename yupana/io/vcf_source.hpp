#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/error.hpp"
#include "yupana/genotype/source.hpp"
#include "yupana/io/vcf.hpp"
#include "yupana/io/vcf_file.hpp"
#include "yupana/io/vcf_record.hpp"

namespace yupana::io {

/// Batches of records from a file, filters, and the decoding of the records that stay: lines are
/// looked at in parallel, judged in file order, decoded in parallel into their rows.
class VcfSource : public genotype::Source {
 public:
  VcfSource(Context& context, const VcfParams& params);

  const std::vector<std::string>& samples() const override { return file_.header().samples; }
  std::int64_t sites() const override { return -1; }
  bool read(genotype::SiteBlock& block) override { return advance(block, true); }
  bool skip(genotype::SiteBlock& block) override { return advance(block, false); }
  void rewind() override;
  const genotype::SiteAccount& account() const override { return account_; }

 private:
  /// A site whose turn has come: its row, or null where it is not decoded, and the allele x counts.
  struct Job {
    const VcfRecord* record;
    std::uint8_t* row;
    std::int64_t counted = 1;
  };

  bool advance(genotype::SiteBlock& block, bool wanted);
  bool next_batch();
  void fill(VcfBatch& batch);
  void take(genotype::SiteBlock& block, bool wanted, std::vector<Job>& jobs);
  void take_kept(const VcfRecord& record,
                 genotype::SiteBlock& block,
                 bool wanted,
                 std::vector<Job>& jobs);
  void look_up(std::string_view contig);
  std::string_view reason_to_skip(const VcfRecord& record);
  void finish();
  bool run(const Job& job, std::int64_t stride) const;
  void run_all(const std::vector<Job>& jobs, std::int64_t stride);
  Error error_of(const Job& job, std::int64_t stride) const;

  Context& context_;
  VcfParams params_;
  VcfFile file_;
  std::unique_ptr<VcfFormat> format_;
  std::int64_t batch_bytes_;
  bool reference_;
  genotype::SiteAccount account_;
  bool any_genotypes_ = false;
  bool finished_ = false;
  std::string contig_;  // the last one looked up, and the rules' verdict on it
  bool contig_known_ = false;
  bool contig_kept_ = true;
  bool contig_in_region_ = true;
  bool region_found_ = false;
  std::int64_t next_alt_ = 1;  // --multiallelic split: of the record at cursor_
  std::vector<std::string> unknown_contigs_;
  std::string tail_;  // the beginning of a record whose end is not read yet
  std::int64_t next_line_ = 0;
  VcfBatch batch_, spare_;
  std::size_t cursor_ = 0;        // the next record of batch_
  std::future<void> read_ahead_;  // fills spare_; last, so that it ends before the rest goes
};

}  // namespace yupana::io
