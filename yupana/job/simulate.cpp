#include "yupana/job/simulate.hpp"

#include "yupana/core/atomic_file.hpp"
#include "yupana/io/genotype_writer.hpp"

namespace yupana::job {

std::vector<std::string> run_simulate(Context& context, const SimulateJobParams& params) {
  genotype::SimulatedSource source(params.cohort, context.backend());
  OutputFiles files;
  if (params.format == "bed") {
    io::write_bed(context, source, params.out, {}, files);
  } else {
    io::write_vcf(context, source, params.out + "." + params.format, files);
  }
  AtomicFile& labels = files.add(params.out + ".labels.tsv");
  labels.write("sample\tpopulation\n");
  const std::vector<std::string> populations = source.labels();
  for (std::size_t i = 0; i < populations.size(); ++i) {
    labels.write(source.samples()[i] + "\t" + populations[i] + "\n");
  }
  context.check_cancelled();
  files.commit();
  std::vector<std::string> paths;
  for (const AtomicFile& file : files.files()) paths.push_back(file.path());
  return paths;
}

}  // namespace yupana::job
