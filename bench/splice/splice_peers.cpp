#include <fmt/core.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "bench/support/bench.hpp"
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

/// Folders of one gene each: genomic.fa, target_cdna.fa and exons.tsv, its exons as annotated.
std::vector<Gene> genes(const std::string& folder) {
  std::vector<Gene> result;
  for (const std::string& name : files_of(folder, {""})) {
    const std::filesystem::path path = std::filesystem::absolute(name);
    if (!std::filesystem::exists(path / "exons.tsv")) continue;
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
  const std::vector<splice::Exon> exons = splice::candidate_exons(bases, {}, target);
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

namespace {

/// What is measured of one set of targets: cDNAs or proteins.
class GeneCase {
 public:
  GeneCase(const BenchParams& params, const std::vector<Gene>& genes, const std::string& targets)
      : params_(params), genes_(genes) {
    for (const Gene& gene : genes_) exons_ += gene.exons.size();
    what_ = fmt::format("{} genes, {} exons{}", genes_.size(), exons_, targets);
  }

  void measure(const std::string& impl,
               const std::string& version,
               const std::function<Ends(const Gene&)>& find) const {
    std::vector<Ends> ends(genes_.size());
    const Timing timing = time_runs(params_.quick ? 1 : 3, [&] {
      for (std::size_t g = 0; g < genes_.size(); ++g) ends[g] = find(genes_[g]);
    });
    double found = 0, reported = 0;
    for (std::size_t g = 0; g < genes_.size(); ++g) {
      reported += static_cast<double>(ends[g].size());
      for (const auto& exon : ends[g]) found += static_cast<double>(genes_[g].exons.count(exon));
    }
    // Every exon is compared with the annotation: the count of those found is the verdict.
    const auto line = [&](double value, const char* unit, std::optional<double> share) {
      params_.emit({"splice", what_, impl, value, unit, share, true, {}, version, timing});
    };
    line(found, "exons exactly right", found / static_cast<double>(exons_));
    line(reported, "exons reported", std::nullopt);
    line(timing.median, "s", std::nullopt);
  }
  /// A program of its own, if it is installed.
  void measure_program(const std::string& impl,
                       const std::string& version_command,
                       const std::function<Ends(const Gene&)>& find) const {
    if (!params_.peers) return;
    const std::string program = impl.substr(0, impl.find(' '));
    if (installed(program)) return measure(impl, first_line_of(version_command), find);
    params_.emit(left_out("splice",
                          what_,
                          impl,
                          "exons exactly right",
                          fmt::format("not installed (Debian: {})", program)));
  }

 private:
  const BenchParams& params_;
  const std::vector<Gene>& genes_;
  std::size_t exons_ = 0;
  std::string what_;
};

}  // namespace

void measure_genes(Context& context, const BenchParams& params) {
  const std::string impl = impl_name(context) + ", --exons auto";
  std::vector<Gene> all;
  if (!params.data.empty()) all = genes(params.data);
  if (all.empty()) {
    return params.emit(
        left_out("splice",
                 "annotated genes",
                 impl,
                 "exons exactly right",
                 params.data.empty()
                     ? "no genes: --data FOLDER names a folder with a folder a gene"
                     : "no folder with genomic.fa, target_cdna.fa, exons.tsv in " + params.data));
  }
  const std::string exonerate_version = "exonerate --version; true";
  const std::string spaln_version = "spaln 2>&1 | grep -m1 -i version; true";
  const GeneCase proteins(params, all, ", by proteins");
  proteins.measure(impl, {}, [&](const Gene& gene) { return ours_with_protein(context, gene); });
  const auto command = [&](const std::string& text, const std::string& version) {
    proteins.measure_program(
        text, version, [&](const Gene& gene) { return with_protein(gene, text); });
  };
  command(
      "exonerate --model protein2genome --bestn 1 --showalignment no --showvulgar no "
      "--showtargetgff yes",
      exonerate_version);
  command("spaln -Q0 -O0", spaln_version);
  command("spaln -Q0 -O0 -TTetrapod", spaln_version);
  const GeneCase cdnas(params, all, "");
  cdnas.measure(impl, {}, [&](const Gene& gene) { return ours(context, gene); });
  cdnas.measure_program("exonerate coding2genome", exonerate_version, exonerate);
  cdnas.measure_program("spaln -Q0", spaln_version, spaln);
  cdnas.measure_program("minimap2 -x splice", "minimap2 --version", minimap2);
}

}  // namespace yupana::bench
