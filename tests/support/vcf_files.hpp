#pragma once

// Small VCF files for tests, in every form a reader meets, made by htslib itself.

#include <gtest/gtest.h>
#include <htslib/bgzf.h>
#include <htslib/hts.h>
#include <htslib/tbx.h>
#include <htslib/vcf.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/folder.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/error.hpp"
#include "yupana/io/vcf.hpp"

namespace yupana::io::testing {

using test::bytes_of;
using test::Folder;

/// A header of GT and DP, contigs 1 and X, and the samples.
inline std::string header(const std::vector<std::string>& samples) {
  std::string text =
      "##fileformat=VCFv4.2\n##contig=<ID=1,length=1000000>\n##contig=<ID=2,length=1000000>\n"
      "##contig=<ID=X,length=1000000>\n"
      "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n"
      "##FORMAT=<ID=DP,Number=1,Type=Integer,Description=\"Depth\">\n"
      "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT";
  for (const std::string& sample : samples) text.append("\t").append(sample);
  return text += '\n';
}

/// A record on contig 1: "0/1 1|1" becomes its sample columns.
inline std::string record(std::int64_t position,
                          std::string_view ref,
                          std::string_view alt,
                          std::string_view calls,
                          std::string_view format = "GT",
                          std::string_view contig = "1") {
  std::string line(contig);
  line.append("\t").append(std::to_string(position)).append("\t.\t");
  for (const std::string_view field : {ref, alt}) line.append(field) += '\t';
  line.append(".\tPASS\t.\t").append(format) += '\t';
  for (const char letter : calls) line += letter == ' ' ? '\t' : letter;
  return line += '\n';
}

/// Everything a source delivers: one string of codes '0'..'3' a site.
struct Sites {
  std::vector<std::string> rows;
  genotype::SiteAccount account;
};

inline Sites drain(genotype::Source& source, std::int64_t capacity = 16) {
  Sites sites;
  genotype::SiteBlock block(std::ssize(source.samples()), capacity);
  while (source.read(block)) {
    for (std::int64_t site = 0; site < block.sites; ++site) {
      std::string row;
      for (std::int64_t i = 0; i < block.samples; ++i) {
        row += static_cast<char>('0' + block.at(site, i));
      }
      // What readers of whole words rely on: zeros behind the last sample.
      for (std::int64_t i = block.samples; i < 4 * block.stride; ++i) {
        if (block.at(site, i) != 0) ADD_FAILURE() << "bits behind the last sample";
      }
      sites.rows.push_back(row);
    }
  }
  sites.account = source.account();
  return sites;
}

inline VcfParams all_contigs(const std::string& path) {
  VcfParams params;
  params.path = path;
  params.chromosomes = genotype::ChromosomeFilter::all();
  return params;
}

inline Sites read_all(const VcfParams& params, int threads = 2, std::int64_t capacity = 16) {
  Context context({.device = "cpu", .threads = threads});
  return drain(*open_vcf(context, params), capacity);
}

/// The message of the error that reading throws; empty if it does not throw.
inline std::string error_of(const VcfParams& params, ErrorCode code = ErrorCode::bad_input) {
  try {
    read_all(params);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
  return {};
}

/// Converts with htslib: mode "wz" is bgzipped VCF, "wb" BCF, "wbu" BCF without compression.
inline std::string convert(const std::string& from, const std::string& to, const char* mode) {
  htsFile* in = hts_open(from.c_str(), "r");
  htsFile* out = hts_open(to.c_str(), mode);
  bcf_hdr_t* head = bcf_hdr_read(in);
  bcf1_t* line = bcf_init();
  EXPECT_EQ(bcf_hdr_write(out, head), 0);
  int status;
  while ((status = bcf_read(in, head, line)) == 0) EXPECT_EQ(bcf_write(out, head, line), 0);
  EXPECT_EQ(status, -1) << from;
  bcf_destroy(line);
  bcf_hdr_destroy(head);
  hts_close(in);
  EXPECT_EQ(hts_close(out), 0);
  return to;
}

/// The same text, compressed in blocks ("w") or as plain gzip ("wg").
inline std::string compress(std::string_view text, const std::string& to, const char* mode = "w") {
  BGZF* out = bgzf_open(to.c_str(), mode);
  EXPECT_EQ(bgzf_write(out, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  EXPECT_EQ(bgzf_close(out), 0);
  return to;
}

}  // namespace yupana::io::testing
