#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <span>
#include <string>

#include "yupana/io/spliced_files.hpp"
#include "yupana/io/spliced_parts.hpp"

namespace yupana::io {
namespace {

std::string target_places(const SplicedHit& hit, std::int64_t begin, std::int64_t end) {
  if (begin >= end) return {};
  return fmt::format(
      ";Target={} {} {}{}", escaped_name(hit.target), begin + 1, end, hit.antisense ? " -" : "");
}

/// A cDNA's frame that the alignment cuts off, as NCBI marks it at the ends along the sequence.
std::string partial_ends(const SplicedHit& hit, const std::vector<ExonRow>& rows) {
  if (hit.protein || hit.coding.empty() || (hit.coding.starts && hit.coding.stops)) return {};
  const bool forward = hit.strand == '+';
  std::int64_t first = 0, last = 0;
  for (const ExonRow& row : rows) {
    if (row.coding_first == 0) continue;
    first = first == 0 ? row.coding_first : std::min(first, row.coding_first);
    last = std::max(last, row.coding_last);
  }
  std::string text = ";partial=true";
  if (!(forward ? hit.coding.starts : hit.coding.stops)) {
    text += fmt::format(";start_range=.,{}", first);
  }
  if (!(forward ? hit.coding.stops : hit.coding.starts))
    text += fmt::format(";end_range={},.", last);
  return text;
}

/// Shifts and stop codons of a protein's frame, as miniprot names them.
std::string broken_frame(const SplicedHit& hit) {
  if (!hit.frameshifts) return {};
  const std::int64_t shifts = count_shifts(hit), stops = count_stops(hit);
  return (shifts == 0 ? "" : fmt::format(";frameshift={}", shifts)) +
         (stops == 0 ? "" : fmt::format(";stop_codon={}", stops));
}

/// A transcript's number: that of its gene, and of isoforms their own.
std::string transcript_number(const SplicedHit& hit, std::int64_t gene) {
  return hit.isoform == 1 ? fmt::format("{}", gene) : fmt::format("{}.{}", gene, hit.isoform);
}

/// An exon and what of it is coding.
void write_exon(AtomicFile& file,
                const SplicedHit& hit,
                const ExonRow& row,
                const std::string& number,
                std::size_t rank,
                const std::string& partial) {
  const std::string sequence = escaped_name(hit.sequence);
  file.write(
      fmt::format("{}\tyupana\texon\t{}\t{}\t{}\t{}\t.\tID=mrna{}.exon{};Parent=mrna{};rank={};"
                  "identity={:.4f}{}\n",
                  sequence,
                  row.first,
                  row.last,
                  score_text(hit, row.score),
                  hit.strand,
                  number,
                  rank,
                  number,
                  rank,
                  row.columns.identity(),
                  target_places(hit, row.target_begin, row.target_end)));
  if (row.coding_first == 0) return;
  file.write(fmt::format("{}\tyupana\tCDS\t{}\t{}\t.\t{}\t{}\tID=mrna{}.cds;Parent=mrna{}{}\n",
                         sequence,
                         row.coding_first,
                         row.coding_last,
                         hit.strand,
                         row.phase,
                         number,
                         number,
                         partial));
}

void write_transcript(AtomicFile& file, const SplicedHit& hit, std::int64_t gene) {
  const auto [first, last] = span_of(hit);
  const std::string number = transcript_number(hit, gene);
  const auto [begin, end] = target_span(hit);
  file.write(
      fmt::format("{}\tyupana\tmRNA\t{}\t{}\t{}\t{}\t.\tID=mrna{};Parent=gene{};identity={:.4f}{}{}"
                  "{}{}\n",
                  escaped_name(hit.sequence),
                  first,
                  last,
                  score_text(hit, hit.alignment.score),
                  hit.strand,
                  number,
                  gene,
                  count_columns(hit).identity(),
                  broken_frame(hit),
                  hit.rank == 1 ? "" : fmt::format(";rank={}", hit.rank),
                  hit.isoform == 1 ? "" : fmt::format(";isoform={}", hit.isoform),
                  target_places(hit, begin, end)));
  const std::vector<ExonRow> rows = exon_rows(hit);
  const std::string partial = partial_ends(hit, rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t k = hit.strand == '+' ? i : rows.size() - 1 - i;
    write_exon(file, hit, rows[k], number, k + 1, partial);
  }
}

/// A gene and its transcripts, the best one first.
void write_gene(AtomicFile& file, std::span<const SplicedHit> isoforms, std::int64_t number) {
  const SplicedHit& best = isoforms.front();
  auto [first, last] = span_of(best);
  for (const SplicedHit& hit : isoforms) {
    first = std::min(first, span_of(hit).first);
    last = std::max(last, span_of(hit).second);
  }
  file.write(fmt::format("{}\tyupana\tgene\t{}\t{}\t{}\t{}\t.\tID=gene{};Name={}\n",
                         escaped_name(best.sequence),
                         first,
                         last,
                         score_text(best, best.alignment.score),
                         best.strand,
                         number,
                         escaped_name(best.target)));
  for (const SplicedHit& hit : isoforms) write_transcript(file, hit, number);
}

/// A text between quotes in GTF, which knows no escapes: what would end it is as in GFF3.
std::string gtf_text(const std::string& name) {
  std::string text;
  for (const char c : name) {
    c == '"' || c == ';' ? text += escaped_name({c}) : text += c;
  }
  return text;
}

/// The lines of one transcript in GTF.
class Transcript {
 public:
  Transcript(AtomicFile& file, const SplicedHit& hit, std::int64_t number)
      : file_(file), hit_(hit), number_(number) {}

  void write() const {
    const std::string score = score_text(hit_, hit_.alignment.score);
    const auto [first, last] = span_of(hit_);
    const std::string name = fmt::format(" gene_name \"{}\"; identity \"{:.4f}\";",
                                         gtf_text(hit_.target),
                                         count_columns(hit_).identity());
    line("transcript", first, last, score, ".", name);
    const std::vector<ExonRow> rows = exon_rows(hit_);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      line("exon",
           rows[k].first,
           rows[k].last,
           score_text(hit_, rows[k].score),
           ".",
           fmt::format(" exon_number \"{}\";", k + 1));
    }
    const splice::CodingPart& coding = hit_.coding;
    const std::int64_t amino_end = coding.end - (coding.stops ? 3 : 0);
    parts("CDS", coding.begin, amino_end);
    if (coding.starts) parts("start_codon", coding.begin, coding.begin + 3);
    if (coding.stops) parts("stop_codon", amino_end, coding.end);
  }

 private:
  void line(const char* feature,
            std::int64_t first,
            std::int64_t last,
            const std::string& score,
            const std::string& phase,
            const std::string& more) const {
    file_.write(
        fmt::format("{}\tyupana\t{}\t{}\t{}\t{}\t{}\t{}\tgene_id \"gene{}\"; transcript_id "
                    "\"mrna{}\";{}\n",
                    hit_.sequence,
                    feature,
                    first,
                    last,
                    score,
                    hit_.strand,
                    phase,
                    number_,
                    transcript_number(hit_, number_),
                    more));
  }
  void parts(const char* feature, std::int64_t begin, std::int64_t end) const {
    for (const TextPart& part : text_parts(hit_, begin, end)) {
      line(feature,
           part.first,
           part.last,
           ".",
           std::to_string(part.phase()),
           fmt::format(" exon_number \"{}\";", part.exon + 1));
    }
  }

  AtomicFile& file_;
  const SplicedHit& hit_;
  std::int64_t number_;
};

}  // namespace

void write_spliced_gff3(AtomicFile& file, const std::vector<SplicedHit>& hits) {
  file.write("##gff-version 3\n");
  std::set<std::string> introduced;
  for (const SplicedHit& hit : hits) {
    if (hit.alignment.chain.empty() || !introduced.insert(hit.sequence).second) continue;
    file.write(
        fmt::format("##sequence-region {} 1 {}\n", escaped_name(hit.sequence), hit.bases->size()));
  }
  std::int64_t number = 0;
  for (std::size_t h = 0, end = 0; h < hits.size(); h = end) {
    for (end = h + 1; end < hits.size() && hits[end].isoform > 1;) ++end;
    if (hits[h].alignment.chain.empty()) continue;
    write_gene(file, std::span(hits).subspan(h, end - h), ++number);
  }
}

void write_spliced_gtf(AtomicFile& file, const std::vector<SplicedHit>& hits) {
  std::int64_t number = 0;
  for (const SplicedHit& hit : hits) {
    if (hit.alignment.chain.empty()) continue;
    if (hit.isoform == 1) ++number;
    Transcript(file, hit, number).write();
  }
}

void write_spliced_proteins(AtomicFile& file, const std::vector<SplicedHit>& hits) {
  constexpr std::size_t width = 60;
  std::int64_t number = 0;
  for (const SplicedHit& hit : hits) {
    if (hit.alignment.chain.empty()) continue;
    if (hit.isoform == 1) ++number;
    if (hit.coding.empty()) continue;
    const splice::Case problem{*hit.bases, *hit.exons, *hit.letters};
    const std::string text = splice::spliced_bases(problem, hit.alignment.chain);
    const std::int64_t stop = hit.coding.stops ? 3 : 0;
    const std::string amino = splice::translation(
        std::string_view(text).substr(hit.coding.begin, hit.coding.end - stop - hit.coding.begin),
        hit.code);
    if (amino.empty()) continue;
    const auto [first, last] = span_of(hit);
    file.write(fmt::format(">mrna{} {} {}:{}-{}({}){}\n",
                           transcript_number(hit, number),
                           hit.target,
                           hit.sequence,
                           first,
                           last,
                           hit.strand,
                           hit.coding.starts && hit.coding.stops ? "" : " partial"));
    for (std::size_t at = 0; at < amino.size(); at += width) {
      file.write(amino.substr(at, width) + "\n");
    }
  }
}

}  // namespace yupana::io
