#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "yupana/core/comm.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/text.hpp"
#include "yupana/core/version.hpp"
#include "yupana/io/seed_index_file.hpp"
#include "yupana/io/site_scores.hpp"
#include "yupana/job/run_files.hpp"
#include "yupana/job/splice_inputs.hpp"
#include "yupana/report/genes_page.hpp"
#include "yupana/splice/frameshifts.hpp"
#include "yupana/splice/shares.hpp"

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

/// Bases around a chain, into which it may extend.
constexpr std::int64_t bases_around = 20'000;

void mend_case(Context& context,
               Group& group,
               const SpliceJobParams& params,
               std::size_t c,
               splice::SplicedAlignment& done) {
  const Trial& trial = *group.places[c].second;
  const auto exon = [&](const splice::ExonAlignment& part) { return (*group.exons[c])[part.exon]; };
  const std::int64_t first = std::max(trial.first, exon(done.chain.front()).first - bases_around);
  const std::int64_t last = std::min(trial.last, exon(done.chain.back()).last + bases_around);
  const splice::SitesAlong sites = sites_along(trial, first);
  const auto find = [&](std::string_view bases, const std::vector<std::int64_t>& places) {
    return splice::candidate_exons(context,
                                   bases,
                                   splice::site_models(params.species),
                                   params.protein_candidates,
                                   {},
                                   nullptr,
                                   sites.through(places),
                                   *group.places[c].first->letters);
  };
  auto mended = splice::mend_frame(context,
                                   group.cases[c].bases.substr(first - 1, last - first + 1),
                                   group.cases[c].target,
                                   *group.protein,
                                   done.score,
                                   params.frameshift * group.score_scale,
                                   group.score_scale,
                                   find);
  if (!mended) return;
  for (splice::Exon& one : mended->exons) {
    one.first += first - 1;
    one.last += first - 1;
  }
  group.exons[c] = std::make_shared<const Exons>(std::move(mended->exons));
  done = std::move(mended->alignment);
}

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

using splice::SplicedAlignment;

using Numbers = std::vector<std::int64_t>;

/// An alignment as numbers of a message.
void put(const SplicedAlignment& alignment, Numbers& to) {
  to.insert(to.end(),
            {alignment.score,
             alignment.executed_cells,
             alignment.traced_cells,
             alignment.wide,
             std::ssize(alignment.chain)});
  for (const splice::ExonAlignment& exon : alignment.chain) {
    to.insert(to.end(), {exon.exon, exon.target_begin, exon.target_end, std::ssize(exon.runs)});
    for (const splice::Run& run : exon.runs) to.insert(to.end(), {run.operation, run.length});
  }
}

SplicedAlignment take(const std::int64_t*& from) {
  SplicedAlignment alignment;
  alignment.score = *from++;
  alignment.executed_cells = *from++;
  alignment.traced_cells = *from++;
  alignment.wide = *from++ != 0;
  alignment.chain.resize(static_cast<std::size_t>(*from++));
  for (splice::ExonAlignment& exon : alignment.chain) {
    exon.exon = *from++;
    exon.target_begin = *from++;
    exon.target_end = *from++;
    exon.runs.resize(static_cast<std::size_t>(*from++));
    for (splice::Run& run : exon.runs) {
      run.operation = static_cast<char>(*from++);
      run.length = *from++;
    }
  }
  return alignment;
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

void mend_frames(Context& context,
                 Group& group,
                 const SpliceJobParams& params,
                 std::vector<splice::SplicedAlignment>& done) {
  for (std::size_t c = 0, end = 0; c < done.size(); c = end) {
    const Task* task = group.places[c].first;
    std::int64_t best = 1;
    for (end = c; end < done.size() && group.places[end].first == task; ++end) {
      best = std::max(best, done[end].score);
    }
    for (std::size_t i = c; i < end && task->from_signals; ++i) {
      // Where others are rivals the candidates have to be those of the search.
      if (2 * done[i].score < best || done[i].chain.empty()) continue;
      if (group.places[i].second->without.empty()) mend_case(context, group, params, i, done[i]);
    }
  }
}

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

std::vector<SplicedAlignment> align_cases(
    Context& context,
    std::span<const splice::Case> cases,
    const std::vector<double>& cells,
    const std::function<std::vector<SplicedAlignment>(std::span<const splice::Case>)>& align) {
  if (context.ranks() == 1) return align(cases);
  const auto dealt =
      splice::deal(splice::by_work(cells), cells, static_cast<std::size_t>(context.ranks()));
  const std::vector<std::size_t>& own = dealt[static_cast<std::size_t>(context.rank())];
  std::vector<splice::Case> mine;
  for (const std::size_t c : own) mine.push_back(cases[c]);
  Numbers numbers;
  for (const SplicedAlignment& alignment : align(mine)) put(alignment, numbers);

  std::vector<std::vector<std::byte>> messages(dealt.size());
  messages.front().resize(numbers.size() * sizeof(std::int64_t));
  if (!numbers.empty()) {
    std::memcpy(messages.front().data(), numbers.data(), messages.front().size());
  }
  const auto received = context.comm()->exchange(messages);
  if (context.rank() > 0) return {};
  std::vector<SplicedAlignment> all(cases.size());
  for (std::size_t r = 0; r < dealt.size(); ++r) {
    Numbers theirs(received[r].size() / sizeof(std::int64_t));
    if (!theirs.empty()) std::memcpy(theirs.data(), received[r].data(), received[r].size());
    const std::int64_t* next = theirs.data();
    for (const std::size_t c : dealt[r]) all[c] = take(next);
  }
  return all;
}

}  // namespace yupana::job
