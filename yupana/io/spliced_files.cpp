#include "yupana/io/spliced_files.hpp"

#include <fmt/core.h>
#include <htslib/sam.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <tuple>

#include "yupana/core/atomic_file.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/unfinished_files.hpp"
#include "yupana/core/version.hpp"
#include "yupana/io/fasta.hpp"
#include "yupana/io/spliced_parts.hpp"

namespace yupana::io {
namespace {

/// A run of S where letters of the target are left out.
std::string clipped(std::int64_t letters) {
  return letters == 0 ? "" : fmt::format("{}S", letters);
}

std::string aligned_line(const SplicedHit& hit) {
  const auto [begin, end] = target_span(hit);
  const std::int64_t letters = std::ssize(*hit.letters);
  const bool reversed = is_reversed(hit);
  const std::string text = hit.strand == '+' ? *hit.letters : reverse_complement(*hit.letters);
  const ColumnCounts counts = count_columns(hit);
  const ForwardRuns runs = forward_runs(hit);
  std::string tags = fmt::format(
      "NM:i:{}\tAS:i:{}",
      counts.unequal + counts.inserted + counts.deleted,
      std::lround(static_cast<double>(hit.alignment.score) / static_cast<double>(hit.score_scale)));
  if (hit.score_scale != 1) tags += fmt::format("\tts:A:{}", hit.antisense ? '-' : '+');
  if (counts.introns > 0) tags += fmt::format("\tXS:A:{}", hit.strand);
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}{}{}\t*\t0\t0\t{}\t*\t{}\tcs:Z:{}",
                     hit.target,
                     (reversed ? 16 : 0) + (hit.is_secondary() ? 256 : 0),
                     hit.sequence,
                     span_of(hit).first,
                     hit.quality,
                     clipped(reversed ? letters - end : begin),
                     runs.cigar,
                     clipped(reversed ? begin : letters - end),
                     as_dna(text),
                     tags,
                     runs.differences);
}

std::string header_text(const std::vector<SequenceLength>& sequences, std::string_view order) {
  std::string text = fmt::format("@HD\tVN:1.6\tSO:{}\n", order);
  for (const SequenceLength& sequence : sequences) {
    text += fmt::format("@SQ\tSN:{}\tLN:{}\n", sequence.name, sequence.bases);
  }
  return text + fmt::format("@PG\tID:yupana\tPN:yupana\tVN:{}\n", version);
}

/// A line of SAM, without its end.
std::string sam_line(const SplicedHit& hit) {
  if (!hit.alignment.chain.empty()) return aligned_line(hit);
  const std::string given = hit.antisense ? reverse_complement(*hit.letters) : *hit.letters;
  return fmt::format("{}\t4\t*\t0\t0\t*\t*\t0\t0\t{}\t*", hit.target, as_dna(given));
}

template <auto close>
struct Closer {
  template <class T>
  void operator()(T* one) const {
    close(one);
  }
};
using File = std::unique_ptr<htsFile, Closer<hts_close>>;
using SamHeader = std::unique_ptr<sam_hdr_t, Closer<sam_hdr_destroy>>;
using Record = std::unique_ptr<bam1_t, Closer<bam_destroy1>>;

/// What htslib refused: for want of memory, or by its rules.
void refuse(const Error& by_rules) {
  if (errno == ENOMEM) throw std::bad_alloc();
  throw by_rules;
}

Record record_of(const SplicedHit& hit, sam_hdr_t& header) {
  std::string line = sam_line(hit);
  Record record(bam_init1());
  if (!record) throw std::bad_alloc();
  kstring_t text{line.size(), line.size() + 1, line.data()};
  errno = 0;
  if (sam_parse1(&text, &header, record.get()) < 0) {
    refuse(input_error(
        "splice: the alignment of '{}' cannot be written as BAM; leave bam out of --also",
        hit.target));
  }
  return record;
}

/// By sequence, place and strand; what is not aligned last.
bool comes_before(const Record& a, const Record& b) {
  const auto key = [](const bam1_t& r) {
    return std::tuple(static_cast<std::uint32_t>(r.core.tid), r.core.pos, bam_is_rev(&r));
  };
  return key(*a) < key(*b);
}

void copy(const NamelessFile& from, AtomicFile& to) {
  std::error_code fault;
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(from.path(), fault));
  if (fault) throw bad_file(from.folder(), fault.message());
  std::string piece;
  for (std::int64_t done = 0; done < bytes; done += std::ssize(piece)) {
    piece.resize(static_cast<std::size_t>(std::min<std::int64_t>(1 << 20, bytes - done)));
    from.read_at(done, piece.data(), piece.size());
    to.write(piece);
  }
}

std::string folder_of(const AtomicFile& file) {
  const std::filesystem::path folder = std::filesystem::path(file.temporary()).parent_path();
  return folder.empty() ? "." : folder.string();
}

}  // namespace

void write_spliced_tsv(AtomicFile& file, const std::vector<SplicedHit>& hits, bool with_isoforms) {
  file.write(
      "target\ttarget_length\tsequence\tsequence_length\tstrand\tscore\texons\tfirst\tlast\t"
      "chain\tidentity\tequal\tunequal\tinserted\tdeleted\texecuted_cells\tdense_cells\t"
      "e_value\tmapq\ttarget_strand\ttarget_first\ttarget_last\trank");
  file.write(with_isoforms ? "\tisoform\n" : "\n");
  for (const SplicedHit& hit : hits) {
    if (!hit.aligned) {
      file.write(fmt::format(
          "{}\t{}\t.\t.\t.\t.\t0\t.\t.\t.\t.\t0\t0\t0\t0\t{}\t{}\t{}\t0\t.\t.\t.\t1{}\n",
          hit.target,
          hit.letters->size(),
          hit.alignment.executed_cells,
          hit.bases->size() * hit.letters->size(),
          e_value_text(hit),
          with_isoforms ? "\t1" : ""));
      continue;
    }
    std::string chain, ends = ".\t.", letters = ".\t.";
    const std::size_t exons = hit.alignment.chain.size();
    for (std::size_t i = 0; i < exons; ++i) {
      const std::size_t k = hit.strand == '+' ? i : exons - 1 - i;
      const splice::Exon& exon = exon_of(hit, hit.alignment.chain[k]);
      const auto [first, last] = forward(hit, exon.first, exon.last);
      chain += fmt::format("{}{}-{}", chain.empty() ? "" : ",", first, last);
    }
    if (!hit.alignment.chain.empty()) {
      ends = fmt::format("{}\t{}", span_of(hit).first, span_of(hit).second);
      letters = fmt::format("{}\t{}", target_span(hit).first + 1, target_span(hit).second);
    }
    const ColumnCounts counts = count_columns(hit);
    file.write(
        fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{:.6f}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}"
                    "\t{}\t{}{}\n",
                    hit.target,
                    hit.letters->size(),
                    hit.sequence,
                    hit.bases->size(),
                    hit.strand,
                    score_text(hit, hit.alignment.score),
                    hit.alignment.chain.size(),
                    ends,
                    chain.empty() ? "." : chain,
                    counts.identity(),
                    counts.equal,
                    counts.unequal,
                    counts.inserted,
                    counts.deleted,
                    hit.alignment.executed_cells,
                    hit.bases->size() * hit.letters->size(),
                    e_value_text(hit),
                    hit.quality == SplicedHit::no_quality ? "." : std::to_string(hit.quality),
                    hit.antisense ? '-' : '+',
                    letters,
                    hit.rank,
                    with_isoforms ? fmt::format("\t{}", hit.isoform) : ""));
  }
}

std::string score_tag(const SplicedHit& hit) {
  return fmt::format(
      "{}:{}", hit.score_scale == 1 ? 'i' : 'f', score_text(hit, hit.alignment.score));
}

void write_spliced_paf(AtomicFile& file, const std::vector<SplicedHit>& hits) {
  for (const SplicedHit& hit : hits) {
    if (!hit.aligned) {
      file.write(
          fmt::format("{}\t{}\t0\t0\t*\t*\t0\t0\t0\t0\t0\t0\n", hit.target, hit.letters->size()));
    }
    if (hit.alignment.chain.empty()) continue;
    if (hit.protein) {
      file.write(protein_paf_line(hit, span_of(hit).first, span_of(hit).second));
      continue;
    }
    const ForwardRuns runs = forward_runs(hit);
    const auto [begin, end] = target_span(hit);
    const auto [first, last] = span_of(hit);
    const ColumnCounts counts = count_columns(hit);
    const std::int64_t columns = counts.equal + counts.unequal + counts.inserted + counts.deleted;
    const std::string other = hit.is_secondary() ? "\ttp:A:S" : "";
    file.write(
        fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\tAS:{}\tNM:i:{}{}\tcg:Z:{}\t"
                    "cs:Z:{}\n",
                    hit.target,
                    hit.letters->size(),
                    begin,
                    end,
                    is_reversed(hit) ? '-' : '+',
                    hit.sequence,
                    hit.bases->size(),
                    first - 1,
                    last,
                    counts.equal,
                    columns,
                    hit.quality,
                    score_tag(hit),
                    columns - counts.equal,
                    other + (hit.score_scale == 1 ? ""
                             : hit.antisense      ? "\tts:A:-"
                                                  : "\tts:A:+"),
                    runs.cigar,
                    runs.differences));
  }
}

void write_spliced_text(AtomicFile& file, const std::vector<SplicedHit>& hits) {
  constexpr std::size_t width = 60;
  for (const SplicedHit& hit : hits) {
    if (!hit.aligned) {
      file.write(fmt::format("{}: unaligned, E-value {}\n\n", hit.target, e_value_text(hit)));
      continue;
    }
    file.write(fmt::format("{}{} on {} ({}){}: score {}, {}, identity {:.1f} %\n\n",
                           hit.target,
                           hit.antisense ? " (reverse complement)" : "",
                           hit.sequence,
                           hit.strand,
                           isoform_text(hit),
                           score_text(hit, hit.alignment.score),
                           counted(std::ssize(hit.alignment.chain), "exon"),
                           100 * count_columns(hit).identity()));
    if (hit.protein) file.write(protein_text(hit));
    for (std::size_t k = 0; !hit.protein && k < hit.alignment.chain.size(); ++k) {
      const splice::ExonAlignment& part = hit.alignment.chain[k];
      const splice::Exon& exon = (*hit.exons)[part.exon];
      std::string bases, bars, letters;
      std::int64_t base = exon.first - 1, letter = part.target_begin;
      for (const splice::Run& run : part.runs) {
        const std::string gap(run.length, '-');
        bases += run.operation == 'I' ? gap : hit.bases->substr(base, run.length);
        letters += run.operation == 'D' ? gap : hit.letters->substr(letter, run.length);
        bars += std::string(run.length, run.operation == '=' ? '|' : ' ');
        if (run.operation != 'I') base += run.length;
        if (run.operation != 'D') letter += run.length;
      }
      const auto [first, last] = forward(hit, exon.first, exon.last);
      const auto given = given_letters(hit, part.target_begin, part.target_end);
      if (k > 0) file.write(intron_line(hit, k));
      file.write(fmt::format(
          "exon {}: {}..{}, target {}..{}\n", k + 1, first, last, given.first + 1, given.second));
      base = exon.first, letter = part.target_begin + 1;
      for (std::size_t at = 0; at < bases.size(); at += width) {
        const std::string above = bases.substr(at, width), below = letters.substr(at, width);
        const std::int64_t shown = hit.strand == '+' ? base : std::ssize(*hit.bases) + 1 - base;
        file.write(fmt::format("{:>12} {}\n{:>12} {}\n{:>12} {}\n\n",
                               shown,
                               above,
                               "",
                               bars.substr(at, width),
                               hit.antisense ? std::ssize(*hit.letters) + 1 - letter : letter,
                               below));
        const auto held = std::count(above.begin(), above.end(), '-');
        base += std::ssize(above) - held;
        letter += std::ssize(below) - std::count(below.begin(), below.end(), '-');
      }
    }
  }
}

void write_spliced_sam(AtomicFile& file,
                       const std::vector<SplicedHit>& hits,
                       const std::vector<SequenceLength>& sequences) {
  file.write(header_text(sequences, "unsorted"));
  for (const SplicedHit& hit : hits) file.write(sam_line(hit) + "\n");
}

const char* bam_index_ending(const std::vector<SequenceLength>& sequences) {
  const bool all_short = std::all_of(sequences.begin(), sequences.end(), [](const auto& sequence) {
    return sequence.bases < std::int64_t{1} << 29;
  });
  return all_short ? ".bam.bai" : ".bam.csi";
}

void check_spliced_sam(const std::vector<std::string>& targets,
                       const std::vector<SequenceLength>& sequences,
                       bool bam) {
  constexpr std::size_t longest_name = 254;
  for (const std::string& name : targets) {
    if (name.starts_with('@')) {
      throw input_error(
          "splice: '{}' begins as a line of the header of SAM and BAM; rename it, or leave both "
          "out "
          "of --also",
          name);
    }
    if (name.size() <= longest_name) continue;
    throw input_error(
        "splice: SAM and BAM have names of {} letters at most, and that of '{}' has {}; shorten "
        "it, or leave both out of --also",
        longest_name,
        name,
        name.size());
  }
  for (const SequenceLength& sequence : sequences) {
    if (sequence.name == "*") {
      throw input_error(
          "splice: a sequence '*' is none in SAM and BAM; rename it, or leave both out of --also");
    }
    if (!bam || sequence.bases < std::int64_t{1} << 31) continue;
    throw input_error(
        "splice: BAM has sequences below 2^31 bases, and '{}' has {}; leave bam out of --also",
        sequence.name,
        sequence.bases);
  }
}

void write_spliced_bam(AtomicFile& file,
                       AtomicFile& index,
                       const std::vector<SplicedHit>& hits,
                       const std::vector<SequenceLength>& sequences) {
  hts_set_log_level(HTS_LOG_OFF);  // errors of htslib are thrown here instead
  const std::string text = header_text(sequences, "coordinate");
  errno = 0;
  const SamHeader header(sam_hdr_init());
  if (!header || sam_hdr_add_lines(header.get(), text.c_str(), text.size()) != 0) {
    refuse(input_error("splice: {}: these sequences have no header of BAM; leave bam out of --also",
                       file.path()));
  }
  std::vector<Record> records;
  records.reserve(hits.size());
  for (const SplicedHit& hit : hits) records.push_back(record_of(hit, *header));
  std::stable_sort(records.begin(), records.end(), comes_before);

  const NamelessFile bam(folder_of(file)), places(folder_of(index));
  const std::string places_path = places.path();
  File to(hts_open(bam.path().c_str(), "wb"));
  const bool is_csi = index.path().ends_with(".csi");
  bool good = to && sam_hdr_write(to.get(), header.get()) == 0 &&
              sam_idx_init(to.get(), header.get(), is_csi ? 14 : 0, places_path.c_str()) == 0;
  for (const Record& record : records) {
    good = good && sam_write1(to.get(), header.get(), record.get()) >= 0;
  }
  good = good && sam_idx_save(to.get()) == 0;
  // What is left is written when the file is closed.
  good = to && hts_close(to.release()) == 0 && good;
  if (!good) {
    if (errno != 0) throw cannot(file.path(), "write");
    throw resource_error("{}: cannot write: htslib refused it", file.path());
  }
  copy(bam, file);
  copy(places, index);
}

}  // namespace yupana::io
