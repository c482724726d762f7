#include "yupana/job/splice_save.hpp"

#include "yupana/io/fasta.hpp"
#include "yupana/io/seed_index_file.hpp"
#include "yupana/job/run_files.hpp"

namespace yupana::job {

std::vector<std::string> save_splice(Context& context, const SpliceSaveParams& params) {
  note_pipe(context, params.genome);
  const std::vector<io::FastaRecord> genome =
      io::read_fasta(params.genome, io::dna_letters, {}, context.memory());
  std::vector<std::string_view> sequences;
  for (const io::FastaRecord& record : genome) sequences.push_back(record.letters);
  std::vector<std::string> paths;
  if (context.rank() > 0) return paths;
  OutputFiles files;
  check_memory(context,
               "splice: the genome and its index",
               io::held_bytes(genome) + splice::SeedIndex::bytes_for(sequences));
  io::write_seed_index(context, files.add(params.out), splice::SeedIndex(sequences), sequences);
  commit_files(context, files, paths);
  return paths;
}

}  // namespace yupana::job
