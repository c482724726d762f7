#include "yupana/job/distances.hpp"

namespace yupana::job {
namespace {

using genotype::Metric;
using genotype::MetricParams;
using genotype::PairCounts;

io::RowProducer metric_rows(const PairCounts& counts, const MetricParams& metric) {
  return [&counts, metric](std::int64_t i, double* row) {
    genotype::metric_row(counts, metric, i, row);
  };
}

/// Rows of one of PLINK's matrices; with `weights` incomplete pairs are scaled by them.
io::RowProducer plink_rows(const PairCounts& counts,
                           io::PlinkContent content,
                           const genotype::MissingWeights* weights) {
  if (weights == nullptr) return metric_rows(counts, {.metric = plink_metric(content)});
  return [&counts, content, weights](std::int64_t i, double* row) {
    genotype::metric_row(counts, {.metric = Metric::manhattan, .rescale = false}, i, row);
    const double alleles = 2 * static_cast<double>(counts.sites);
    for (std::int64_t j = 0; j < counts.samples; ++j) {
      if (j != i) row[j] *= weights->factor(i, j);
      if (content != io::PlinkContent::allele_count) row[j] /= alleles;
      if (content == io::PlinkContent::ibs) row[j] = 1 - row[j];
    }
  };
}

}  // namespace

void add_whole_files(Context& context,
                     const Input& input,
                     const DistanceJobParams& params,
                     const PairCounts& counts,
                     const genotype::MissingWeights* weights,
                     OutputFiles& files) {
  const DistanceOutputs& outputs = params.outputs;
  const std::vector<std::string>& names = input.cohort.samples();
  const io::RowProducer rows = metric_rows(counts, params.metric);
  if (outputs.tsv) io::write_tsv(context, files.add(params.out + ".dist.tsv"), names, rows);
  if (outputs.phylip) io::write_phylip(context, files.add(params.out + ".dist.phy"), names, rows);
  for (const io::PlinkContent content : outputs.plink_contents) {
    io::write_plink(context,
                    files,
                    params.out,
                    content,
                    *outputs.plink,
                    io::id_pairs(input.names),
                    plink_rows(counts, content, weights));
  }
}

}  // namespace yupana::job
