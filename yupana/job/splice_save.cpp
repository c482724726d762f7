#include "yupana/job/splice_save.hpp"

#include <algorithm>

#include "yupana/io/seed_index_file.hpp"
#include "yupana/io/site_scores.hpp"
#include "yupana/job/run_files.hpp"

namespace yupana::job {
namespace {

/// `code` is null for an index for cDNAs.
void write_index(Context& context,
                 const std::vector<io::FastaRecord>& genome,
                 const splice::GeneticCode* code,
                 AtomicFile& file) {
  std::vector<std::string_view> sequences;
  for (const io::FastaRecord& record : genome) sequences.push_back(record.letters);
  check_memory(context,
               "splice: the genome and its index",
               io::held_bytes(genome) + splice::SeedIndex::bytes_for(sequences, code != nullptr));
  io::write_seed_index(context, file, splice::SeedIndex(sequences, code), sequences);
}

void write_sites(Context& context,
                 const std::vector<io::FastaRecord>& genome,
                 splice::Species species,
                 AtomicFile& file) {
  std::size_t longest = 0;
  for (const io::FastaRecord& record : genome) longest = std::max(longest, record.letters.size());
  check_memory(
      context, "splice: the genome and a reverse complement", io::held_bytes(genome) + longest);
  io::write_site_scores(context, file, genome, splice::site_models(species));
}

}  // namespace

std::vector<std::string> save_splice(Context& context, const SpliceSaveParams& params) {
  check_not_compressed(params.out);
  note_pipe(context, params.genome);
  const std::vector<io::FastaRecord> genome =
      io::read_fasta(params.genome, io::dna_letters, {}, context.memory());
  std::vector<std::string> paths;
  if (context.rank() > 0) return paths;
  OutputFiles files;
  AtomicFile& file = files.add(params.out);
  if (params.what == SpliceSave::sites) {
    write_sites(context, genome, params.species, file);
  } else {
    const bool for_proteins = params.what == SpliceSave::protein_index;
    write_index(context, genome, for_proteins ? &params.code : nullptr, file);
  }
  commit_files(context, files, paths);
  return paths;
}

}  // namespace yupana::job
