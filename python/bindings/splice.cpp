#include <fmt/core.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/call.hpp"
#include "yupana/core/error.hpp"
#include "yupana/splice/candidates.hpp"
#include "yupana/splice/isoforms.hpp"
#include "yupana/splice/protein.hpp"

namespace yupana::python {
namespace {

using splice::Exon;
/// One problem as Python says it: bases, exons, target. The text is Python's own.
using Given = std::tuple<std::string_view, std::vector<Exon>, std::string_view>;

splice::Substitution substitution_of(
    const std::string& letters, std::vector<int> scores, int match, int mismatch, bool protein) {
  if (!letters.empty()) return splice::Substitution::matrix(letters, std::move(scores));
  return protein ? splice::Substitution::blosum62() : splice::Substitution::dna(match, mismatch);
}

nb::dict alignment_dict(const splice::SplicedAlignment& alignment) {
  nb::list chain;
  for (const splice::ExonAlignment& exon : alignment.chain) {
    std::string cigar;
    for (const splice::Run& run : exon.runs) cigar += std::to_string(run.length) + run.operation;
    chain.append(nb::make_tuple(exon.exon, exon.target_begin, exon.target_end, cigar));
  }
  nb::dict result;
  result["score"] = alignment.score;
  result["chain"] = chain;
  result["cells"] = alignment.executed_cells;
  return result;
}

/// The best chain of each problem and the next ones, problem after problem.
std::vector<std::vector<splice::SplicedAlignment>> align_isoforms(
    std::span<const splice::Case> cases,
    const splice::IsoformParams& isoforms,
    const splice::AlignAll& align) {
  std::vector<std::vector<splice::SplicedAlignment>> found;
  for (splice::SplicedAlignment& best : align(cases)) {
    std::vector<splice::SplicedAlignment> next;
    if (isoforms.most > 1) next = next_isoforms(cases[found.size()], best, isoforms, align);
    next.insert(next.begin(), std::move(best));
    found.push_back(std::move(next));
  }
  return found;
}

/// As Python writes it, with the scores that are not 0: two of the same bases differ in these.
std::string text_of(const Exon& exon) {
  std::string text = fmt::format("Exon({}, {}", exon.first, exon.last);
  const std::pair<const char*, std::int32_t> scores[] = {
      {"begin", exon.begin}, {"entry", exon.entry}, {"exit", exon.exit}, {"end", exon.end}};
  for (const auto& [name, score] : scores) {
    if (score != 0) text += fmt::format(", {}={}", name, score);
  }
  return text + ")";
}

void bind_exon(nb::module_& m) {
  nb::class_<Exon>(m, "Exon", "A candidate exon: bases first..last, counted from 1.")
      .def(
          "__init__",
          [](Exon* self,
             std::int64_t first,
             std::int64_t last,
             std::int32_t begin,
             std::int32_t entry,
             std::int32_t exit,
             std::int32_t end) {
            new (self) Exon{first, last, begin, entry, exit, end};
          },
          nb::arg("first"),
          nb::arg("last"),
          nb::arg("begin") = 0,
          nb::arg("entry") = 0,
          nb::arg("exit") = 0,
          nb::arg("end") = 0)
      .def_rw("first", &Exon::first, "First base, from 1.")
      .def_rw("last", &Exon::last, "Last base, included.")
      .def_rw("begin", &Exon::begin, "Added where the exon is the first of its chain.")
      .def_rw("entry", &Exon::entry, "Added where another exon stands before it.")
      .def_rw("exit", &Exon::exit, "Added where another exon follows.")
      .def_rw("end", &Exon::end, "Added where the exon is the last of its chain.")
      .def("__eq__", [](const Exon& a, const Exon& b) { return a == b; })
      .def("__getstate__",
           [](const Exon& e) {
             return std::tuple(e.first, e.last, e.begin, e.entry, e.exit, e.end);
           })
      .def("__setstate__",
           [](Exon& self,
              const std::tuple<std::int64_t,
                               std::int64_t,
                               std::int32_t,
                               std::int32_t,
                               std::int32_t,
                               std::int32_t>& s) {
             new (&self) Exon{std::get<0>(s),
                              std::get<1>(s),
                              std::get<2>(s),
                              std::get<3>(s),
                              std::get<4>(s),
                              std::get<5>(s)};
           })
      .def("__repr__", &text_of);
}

}  // namespace

void bind_splice(nb::module_& module) {
  nb::module_ m = module.def_submodule("splice", "Exact spliced alignment.");
  bind_exon(m);
  def<"_ _ protein letters scores match mismatch gap_open gap_extend min_intron alignment "
      "genetic_code most least_share">(
      m,
      "align",
      [](const Options& options,
         const std::vector<Given>& given,
         bool protein,
         const std::string& letters,
         std::vector<int> scores,
         int match,
         int mismatch,
         int gap_open,
         int gap_extend,
         std::int64_t min_intron,
         bool alignment,
         int genetic_code,
         int most,
         double least_share) {
        std::vector<splice::Case> cases;
        for (const auto& [bases, exons, target] : given) cases.push_back({bases, exons, target});
        splice::ProteinParams for_proteins;
        splice::AlignParams& params = for_proteins.align;
        params.substitution = substitution_of(letters, std::move(scores), match, mismatch, protein);
        params.gap_open = gap_open;
        params.gap_extend = gap_extend;
        params.min_intron = min_intron;
        params.alignment = alignment;
        if (protein) for_proteins.code = splice::GeneticCode(genetic_code);
        const auto found =
            call(options, protein ? Runs::on_the_processor : Runs::anywhere, [&](Context& context) {
              const auto align = [&](std::span<const splice::Case> some) {
                return protein ? splice::align_protein(context, some, for_proteins)
                               : splice::align(context, some, params);
              };
              return align_isoforms(cases, {most, least_share}, align);
            });
        nb::list results;
        for (const auto& chains : found) {
          nb::list isoforms;
          for (const splice::SplicedAlignment& one : chains) isoforms.append(alignment_dict(one));
          results.append(isoforms);
        }
        return results;
      });
  def<"_ bases protein genetic_code">(
      m,
      "candidate_exons",
      [](const Options& options, std::string_view bases, bool protein, int genetic_code) {
        auto params = protein ? splice::candidates_for_proteins() : splice::CandidateParams{};
        return call(options, Runs::on_the_processor, [&](Context& context) {
          params.code = splice::GeneticCode(genetic_code);
          return splice::candidate_exons(context, bases, params);
        });
      });
  m.attr("candidate_scale") = splice::candidate_scale;
}

}  // namespace yupana::python
