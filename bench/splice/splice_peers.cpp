#include "bench/splice/splice_peers.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "yupana/core/machine.hpp"
#include "yupana/io/exons.hpp"
#include "yupana/io/fasta.hpp"
#include "yupana/splice/candidates.hpp"

namespace yupana::bench {
namespace {

using Ends = std::set<std::pair<std::int64_t, std::int64_t>>;

struct Gene {
  std::string genomic, cdna;  ///< paths
  Ends exons;
};

std::vector<Gene> genes() {
  const std::filesystem::path folder = "../shared/data/splice/vertebrate_cds";
  std::vector<Gene> result;
  if (!std::filesystem::exists(folder)) return result;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::filesystem::path path = std::filesystem::absolute(entry.path());
    Gene gene{path / "genomic.fa", path / "target_cdna.fa", {}};
    for (const io::ExonRecord& x : io::read_exons(path / "exons.tsv")) {
      gene.exons.emplace(x.first, x.last);
    }
    result.push_back(std::move(gene));
  }
  return result;
}

Ends ours(Context& context, const Gene& gene) {
  const std::string bases = io::read_fasta(gene.genomic, io::dna_letters).front().letters;
  const std::string target = io::read_fasta(gene.cdna, io::dna_letters).front().letters;
  const std::vector<splice::Exon> exons = splice::candidate_exons(bases);
  const auto done =
      splice::align(context, {bases, exons, target}, splice::scaled_for_candidates({}, {}));
  Ends ends;
  for (const splice::ExonAlignment& part : done.chain) {
    ends.emplace(exons[part.exon].first, exons[part.exon].last);
  }
  return ends;
}

std::string protein_of(const Gene& gene) {
  std::string protein =
      splice::translation(io::read_fasta(gene.cdna, io::dna_letters).front().letters, {});
  if (!protein.ends_with('*')) protein += '*';
  return protein;
}

Ends ours_with_protein(Context& context, const Gene& gene) {
  const std::string bases = io::read_fasta(gene.genomic, io::dna_letters).front().letters;
  const splice::CandidateParams candidates = splice::candidates_for_proteins();
  const std::vector<splice::Exon> exons = splice::candidate_exons(bases, candidates);
  const auto done = splice::align_protein(
      context, {bases, exons, protein_of(gene)}, splice::protein_for_candidates({}, candidates));
  Ends ends;
  for (const splice::ExonAlignment& part : done.chain) {
    ends.emplace(exons[part.exon].first, exons[part.exon].last);
  }
  return ends;
}

// The exon lines of what a program writes as GFF.
Ends exon_lines(const std::string& command, const std::string& wanted = "exon") {
  std::istringstream lines(output_of(command));
  Ends ends;
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string sequence, source, kind;
    std::int64_t first, last;
    if (words >> sequence >> source >> kind >> first >> last && kind == wanted) {
      ends.emplace(first, last);
    }
  }
  return ends;
}

Ends exonerate(const Gene& gene) {
  return exon_lines(
      fmt::format("exonerate --model coding2genome --bestn 1 --showalignment no --showvulgar no "
                  "--showtargetgff yes {} {} 2>/dev/null",
                  gene.cdna,
                  gene.genomic));
}

Ends spaln(const Gene& gene) {
  return exon_lines(fmt::format("spaln -Q0 -O0 {} {} 2>/dev/null", gene.genomic, gene.cdna));
}

// With the gene's protein; a last exon without the stop codon is right too.
Ends with_protein(const Gene& gene, const std::string& command) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("yupana_bench_{}.fa", getpid());
  std::string protein = protein_of(gene);
  protein.pop_back();
  std::ofstream(file) << ">protein\n" << protein << "\n";
  const bool is_exonerate = command.starts_with("exonerate");
  const std::string files = is_exonerate ? fmt::format("{} {}", file.string(), gene.genomic)
                                         : fmt::format("{} {}", gene.genomic, file.string());
  const Ends found =
      exon_lines(fmt::format("{} {} 2>/dev/null", command, files), is_exonerate ? "exon" : "cds");
  std::filesystem::remove(file);
  Ends ends;
  for (const auto& [first, last] : found) {
    ends.emplace(first, gene.exons.count({first, last + 3}) > 0 ? last + 3 : last);
  }
  return ends;
}

// First hit; its CIGAR cut at N.
Ends minimap2(const Gene& gene) {
  const std::string line = output_of(
      fmt::format("minimap2 -x splice -c {} {} 2>/dev/null | head -1", gene.genomic, gene.cdna));
  std::istringstream words(line);
  std::vector<std::string> fields;
  for (std::string word; words >> word;) fields.push_back(word);
  Ends ends;
  if (fields.size() < 12) return ends;
  std::int64_t at = std::stoll(fields[7]), first = at + 1, length = 0;
  for (const std::string& field : fields) {
    if (field.rfind("cg:Z:", 0) != 0) continue;
    for (const char c : field.substr(5)) {
      if (c >= '0' && c <= '9') {
        length = 10 * length + (c - '0');
        continue;
      }
      if (c == 'N') ends.emplace(first, at);
      if (c != 'I') at += length;
      if (c == 'N') first = at + 1;
      length = 0;
    }
  }
  ends.emplace(first, at);
  return ends;
}

}  // namespace

void measure_genes(Context& context, const BenchParams& params) {
  const std::vector<Gene> all = genes();
  if (all.empty()) return;
  std::string what = "10 vertebrate genes, 88 exons";
  const auto measure = [&](const std::string& impl, const std::function<Ends(const Gene&)>& find) {
    double found = 0, predicted = 0, seconds = 0;
    for (const Gene& gene : all) {
      const auto begin = std::chrono::steady_clock::now();
      const Ends ends = find(gene);
      seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      predicted += static_cast<double>(ends.size());
      for (const auto& exon : ends) found += static_cast<double>(gene.exons.count(exon));
    }
    params.emit({"splice", what, impl, found, "exons exactly right", found / 88, true});
    params.emit({"splice", what, impl, predicted, "exons reported", std::nullopt, true});
    params.emit({"splice", what, impl, seconds, "s", std::nullopt, true});
  };
  measure(fmt::format("yupana cpu {}, --exons auto", simd_target()),
          [&](const Gene& gene) { return ours(context, gene); });
  const std::string cdnas = what, proteins = what + ", by proteins";
  what = proteins;
  measure(fmt::format("yupana cpu {}, --exons auto", simd_target()),
          [&](const Gene& gene) { return ours_with_protein(context, gene); });
  if (!params.peers) return;
  const auto measure_command = [&](const std::string& command) {
    measure(command, [&](const Gene& gene) { return with_protein(gene, command); });
  };
  if (installed("exonerate")) {
    measure_command(
        "exonerate --model protein2genome --bestn 1 --showalignment no --showvulgar no "
        "--showtargetgff yes");
  }
  if (installed("spaln")) {
    measure_command("spaln -Q0 -O0");
    measure_command("spaln -Q0 -O0 -TTetrapod");
  }
  what = cdnas;
  if (installed("exonerate")) measure("exonerate coding2genome", exonerate);
  if (installed("spaln")) measure("spaln -Q0", spaln);
  if (installed("minimap2")) measure("minimap2 -x splice", minimap2);
}

}  // namespace yupana::bench
