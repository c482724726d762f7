#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "yupana/core/counted.hpp"
#include "yupana/core/text.hpp"
#include "yupana/core/version.hpp"
#include "yupana/job/run_files.hpp"
#include "yupana/job/splice_hits.hpp"
#include "yupana/report/genes_page.hpp"

namespace yupana::job {
namespace {

using Hits = std::vector<io::SplicedHit>;

// More pictures make a page that no browser scrolls well.
constexpr std::size_t max_pictures = 200;

report::GenePicture picture_of(const io::SplicedHit& hit) {
  report::GenePicture gene;
  gene.name = hit.target;
  gene.sequence = hit.sequence;
  gene.strand = hit.strand;
  gene.facts = fmt::format("{}, score {}, identity {:.1f} %",
                           counted(std::ssize(hit.alignment.chain), "exon"),
                           io::score_text(hit, hit.alignment.score),
                           100 * io::count_columns(hit).identity());
  if (hit.antisense) gene.facts += ", reverse complement of the target";
  gene.facts += io::isoform_text(hit);
  if (hit.e_value >= 0) gene.facts += ", E-value " + io::e_value_text(hit);
  if (hit.quality != io::SplicedHit::no_quality) {
    gene.facts += fmt::format(", mapping quality {}", hit.quality);
  }
  for (const io::ExonRow& row : io::exon_rows(hit)) {
    gene.exons.push_back({row.first,
                          row.last,
                          row.coding_first,
                          row.coding_last,
                          row.target_begin + 1,
                          row.target_end,
                          row.columns.identity(),
                          io::score_text(hit, row.score),
                          row.acceptor,
                          row.donor});
  }
  return gene;
}

/// Bases of a shift of the frame are none, nor are exons that touch.
bool is_intron(const io::SplicedHit& hit, const report::GeneExon& a, const report::GeneExon& b) {
  const std::int64_t bases = std::max(a.first, b.first) - std::min(a.last, b.last) - 1;
  return bases > (hit.frameshifts ? 2 : 0);
}

void write_page(AtomicFile& file, const SpliceJobParams& params, const Hits& hits) {
  report::GenesReport page;
  page.title = "Spliced alignments";
  std::int64_t targets = 0, aligned = 0, drawn = 0, exons = 0, introns = 0, odd = 0;
  std::vector<std::string> unaligned;
  for (const io::SplicedHit& hit : hits) {
    if (!hit.is_secondary()) ++targets;
    if (hit.alignment.chain.empty()) {
      unaligned.push_back(hit.target);
      continue;
    }
    if (!hit.is_secondary()) ++aligned;
    ++drawn;
    report::GenePicture gene = picture_of(hit);
    exons += std::ssize(gene.exons);
    for (std::size_t k = 0; k + 1 < gene.exons.size(); ++k) {
      if (!is_intron(hit, gene.exons[k], gene.exons[k + 1])) continue;
      ++introns;
      odd += gene.exons[k].donor != "GT" || gene.exons[k + 1].acceptor != "AG";
    }
    if (page.genes.size() < max_pictures) page.genes.push_back(std::move(gene));
  }
  page.findings.push_back(
      fmt::format("{} of {} aligned, {}with {}{}.",
                  aligned,
                  counted(targets, "target"),
                  drawn > aligned ? fmt::format("in {} alignments ", drawn) : "",
                  counted(exons, "exon"),
                  drawn > aligned ? " in all" : ""));
  if (!unaligned.empty()) {
    const std::size_t more = unaligned.size() - std::min(unaligned.size(), max_pictures);
    unaligned.resize(unaligned.size() - more);
    page.findings.push_back(fmt::format("Unaligned: {}{}.",
                                        joined(unaligned, ", "),
                                        more > 0 ? fmt::format(" and {} more", more) : ""));
  }
  if (introns > 0) {
    page.findings.push_back(
        fmt::format("{} of {} not GT..AG.", odd, counted(introns, "intron is", "introns are")));
  }
  if (drawn > static_cast<std::int64_t>(max_pictures)) {
    page.findings.push_back(
        fmt::format("The first {} are drawn; the other files have all.", max_pictures));
  }
  if (!params.command.empty()) page.summary.emplace_back("command", params.command);
  page.summary.insert(page.summary.end(),
                      {{"targets", std::to_string(targets)}, {"yupana", version}});
  report::write_genes_html(file, page);
}

}  // namespace

void write_splice_files(Context& context,
                        const SpliceJobParams& params,
                        const std::vector<io::SequenceLength>& sequences,
                        SpliceResult& result) {
  OutputFiles files;
  const Hits& hits = result.hits;
  const auto add = [&](const char* ending) -> AtomicFile& {
    return files.add(params.out + ending);
  };
  io::write_spliced_tsv(add(".tsv"), hits, params.isoforms.most > 1);
  io::write_spliced_gff3(add(".gff3"), hits);
  io::write_spliced_paf(add(".paf"), hits);
  io::write_spliced_text(add(".txt"), hits);
  if (params.also.gtf) io::write_spliced_gtf(add(".gtf"), hits);
  if (params.also.proteins) io::write_spliced_proteins(add(".faa"), hits);
  if (params.also.page) write_page(add(".html"), params, hits);
  Hits cdnas;
  if (params.also.sam || params.also.bam) {
    std::copy_if(hits.begin(), hits.end(), std::back_inserter(cdnas), [](const auto& hit) {
      return !hit.protein;
    });
    if (cdnas.size() < hits.size()) {
      context.note(fmt::format("{} no proteins; the other files have them",
                               !params.also.bam   ? ".sam has"
                               : !params.also.sam ? ".bam has"
                                                  : ".sam and .bam have"));
    }
  }
  if (params.also.sam) io::write_spliced_sam(add(".sam"), cdnas, sequences);
  if (params.also.bam) {
    AtomicFile& bam = add(".bam");
    io::write_spliced_bam(bam, add(io::bam_index_ending(sequences)), cdnas, sequences);
  }
  commit_files(context, files, result.files, params.out, splice_endings);
}

}  // namespace yupana::job
