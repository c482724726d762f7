#include "yupana/io/kinship_table.hpp"

#include <cmath>
#include <cstring>
#include <mutex>

#include "yupana/genotype/metric.hpp"
#include "yupana/io/number_text.hpp"
#include "yupana/io/text_rows.hpp"

namespace yupana::io {
namespace {

char* put(std::string_view text, char* out) {
  std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

char* put_pair(const std::string& one,
               const std::string& other,
               const genotype::Kinship& pair,
               genotype::Relationship relationship,
               const genotype::ExpectedIbs* expected,
               char* out) {
  out = put(one, out);
  *out++ = '\t';
  out = put(other, out);
  for (const double number : {static_cast<double>(pair.sites),
                              pair.share(pair.hethet),
                              pair.share(pair.ibs0),
                              pair.kinship}) {
    *out++ = '\t';
    out = write_shortest(number, out);
  }
  *out++ = '\t';
  out = put(genotype::relationship_names[static_cast<std::size_t>(relationship)], out);
  if (expected != nullptr) {
    const genotype::IbdShares shares = expected->shares(pair.sites, pair.ibs0, pair.ibs1);
    for (const double number : {shares.none, shares.one, shares.both, shares.alleles()}) {
      *out++ = '\t';
      out = write_shortest(number, out);
    }
  }
  *out++ = '\n';
  return out;
}

}  // namespace

void begin_kinship_table(AtomicFile& file, bool families, bool ibd) {
  file.write(families ? "#FID1\tIID1\tFID2\tIID2" : "#IID1\tIID2");
  file.write("\tNSNP\tHETHET\tIBS0\tKINSHIP\tRELATIONSHIP");
  file.write(ibd ? "\tZ0\tZ1\tZ2\tPI_HAT\n" : "\n");
}

genotype::RelationshipCounts write_kinships(Context& context,
                                            AtomicFile& file,
                                            const std::vector<std::string>& samples,
                                            const genotype::PairCounts& counts,
                                            double least,
                                            const genotype::ExpectedIbs* expected) {
  std::size_t longest = 0;
  for (const std::string& name : samples) longest = std::max(longest, name.size());
  genotype::RelationshipCounts all;
  std::mutex adding;
  TextRows rows;
  rows.size = counts.samples;
  rows.rows = counts.rows;
  rows.producer = [&](std::int64_t i, double* row) {
    genotype::metric_lower_row(counts, {.metric = genotype::Metric::king}, i, row);
  };
  rows.bytes = [&](std::int64_t i) {
    return static_cast<std::size_t>(i) * (2 * longest + 8 * number_text_bytes + 16);
  };
  rows.text = [&](std::int64_t i, const double* row, char* out) {
    genotype::RelationshipCounts found;
    for (std::int64_t j = 0; j < i; ++j) {
      if (!(row[j] >= least) && !(std::isnan(row[j]) && std::isinf(least))) continue;
      const genotype::Kinship pair = genotype::kinship_of(counts, i, j, row[j]);
      const genotype::Relationship relationship = genotype::relationship_of(pair);
      found.add(relationship, i, j);
      out = put_pair(samples[static_cast<std::size_t>(i)],
                     samples[static_cast<std::size_t>(j)],
                     pair,
                     relationship,
                     expected,
                     out);
    }
    const std::lock_guard lock(adding);
    all += found;
    return out;
  };
  write_text_rows(context, file, rows);
  return all;
}

}  // namespace yupana::io
