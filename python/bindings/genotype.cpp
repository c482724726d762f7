#include "python/bindings/genotype.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>

#include "python/bindings/choices.hpp"
#include "python/bindings/graph.hpp"
#include "python/bindings/views.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/genotype/metric.hpp"
#include "yupana/job/count.hpp"
#include "yupana/job/distances.hpp"
#include "yupana/job/filter.hpp"

namespace yupana::python {
namespace {

using genotype::PairCounts;

const Choices<genotype::Missing> missing_policies{{"pairwise", genotype::Missing::pairwise},
                                                  {"mode", genotype::Missing::mode},
                                                  {"error", genotype::Missing::error}};

Counted count(Context& context, const GenotypeInput& input, bool hethet) {
  if (input.is_plain()) {
    job::refuse_idle_options(input.file, job::InputKind::array);
    const genotype::DosageSource names(input.array, input.names);
    Counted counted{genotype::pair_counts(context, input.array, {.hethet = hethet, .rows = {}}),
                    names.samples(),
                    {}};
    summarize(counted);
    return counted;
  }
  job::Input opened = open_genotypes(context, input);
  job::PlanParams sizes;
  sizes.samples = std::ssize(opened.cohort.samples());
  sizes.sites = opened.cohort.sites();
  sizes.missing = input.file.cohort.missing == genotype::Missing::pairwise;
  sizes.hethet = hethet;
  sizes.one_band = true;
  const job::Plan plan = job::make_plan(context, sizes);
  PairCounts counts = job::count_pairs(context, opened, plan, {0, sizes.samples});
  return {std::move(counts), opened.cohort.samples(), opened.cohort.summary()};
}

/// The genotypes after the filters, samples x sites, -1 where a call is missing.
Matrix<std::int8_t> dosages_of(Context& context, const GenotypeInput& input) {
  static constexpr std::int8_t dosage[] = {2, -1, 1, 0};  // by Code
  job::Input opened = open_genotypes(context, input);
  std::vector<std::vector<std::int8_t>> rows(opened.cohort.samples().size());
  Stage stage(context, "read");
  genotype::CallBlock block;
  while (opened.cohort.read(block, 4096)) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::int64_t k = 0; k < block.codes.sites; ++k) {
        rows[i].push_back(dosage[block.codes.at(k, block.samples[i])]);
      }
    }
    stage.advance(static_cast<double>(block.codes.sites));
  }
  Matrix<std::int8_t> result(std::ssize(rows), rows.empty() ? 0 : std::ssize(rows[0]));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy(rows[i].begin(), rows[i].end(), result.row(static_cast<std::int64_t>(i)));
    std::vector<std::int8_t>().swap(rows[i]);
  }
  return result;
}

nb::dict summary_dict(const genotype::CohortSummary& summary) {
  const auto counts = [](const std::map<std::string, std::int64_t>& reasons) {
    nb::dict result;
    for (const auto& [reason, number] : reasons) result[reason.c_str()] = number;
    return result;
  };
  nb::dict result;
  result["samples_read"] = summary.samples_read;
  result["samples_kept"] = summary.samples_kept;
  result["samples_dropped"] = counts(summary.samples_dropped);
  result["sites_read"] = summary.sites.read;
  result["sites_kept"] = summary.sites.kept;
  result["sites_skipped"] = counts(summary.sites.skipped);
  result["calls_missing"] = summary.calls_missing;
  return result;
}

/// One of the counts as a symmetric matrix; with its diagonal.
Matrix<std::int64_t> count_matrix(Context& context, const PairCounts& counts, char which) {
  Matrix<std::int64_t> result(counts.samples, counts.samples);
  context.parallel_for(counts.samples, 16, [&](std::int64_t i) {
    for (std::int64_t j = 0; j < counts.samples; ++j) {
      const std::int64_t a = std::max(i, j), b = std::min(i, j);
      std::uint64_t value = 0;
      if (which == '1') value = counts.ibs1.at(a, b);
      if (which == '0') value = counts.ibs0.at(a, b);
      if (which == 's') {
        value = a == b ? counts.called[static_cast<std::size_t>(a)] : counts.shared_at(a, b);
      }
      result(i, j) = static_cast<std::int64_t>(value);
    }
  });
  return result;
}

/// A method that opens the input, with --indep-pairwise or without.
auto of_opened(bool prunes, auto get) {
  return [=](GenotypeInput self, const Options& options) {
    if (!prunes) self.file.indep_pairwise = {};
    return call(options, [&](Context& context) { return get(open_genotypes(context, self)); });
  };
}

void bind_input(nb::module_& m) {
  nb::class_<GenotypeInput>(m, "GenotypeInput", "A genotype file or array with its filters.")
      .def(nb::init<>())
      .def("set_array",
           [](GenotypeInput& self,
              nb::ndarray<const std::int8_t, nb::ndim<2>> array,
              std::vector<std::string> names) {
             self.place = place_of(array);
             self.array = {array.data(),
                           static_cast<std::int64_t>(array.shape(0)),
                           static_cast<std::int64_t>(array.shape(1)),
                           array.stride(0),
                           array.stride(1)};
             self.names = std::move(names);
           })
      .def("set_missing",
           [](GenotypeInput& self, const std::string& name) {
             self.file.cohort.missing = chosen("missing", name, missing_policies);
           })
      .def("set_indep_pairwise",
           [](GenotypeInput& self, const std::vector<std::string>& words) {
             self.file.indep_pairwise = genotype::ld_prune_params(words);
           })
      .def_prop_rw(
          "path",
          [](const GenotypeInput& self) { return self.file.path; },
          [](GenotypeInput& self, const std::string& path) { self.file.path = path; })
#define YUPANA_FIELD(name, member, type)                          \
  def_prop_rw(                                                    \
      name,                                                       \
      [](const GenotypeInput& self) { return self.file.member; }, \
      [](GenotypeInput& self, type value) { self.file.member = value; })
      .YUPANA_FIELD("bim", bim, std::string)
      .YUPANA_FIELD("fam", fam, std::string)
      .YUPANA_FIELD("pvar", pvar, std::string)
      .YUPANA_FIELD("psam", psam, std::string)
      .YUPANA_FIELD("sample_file", sample, std::string)
      .YUPANA_FIELD("ref_last", ref_last, bool)
      .YUPANA_FIELD("hard_call_threshold", hard_call_threshold, double)
      .YUPANA_FIELD("chromosomes", chromosomes, std::string)
      .YUPANA_FIELD("all_chromosomes", all_chromosomes, bool)
      .YUPANA_FIELD("region", region, std::string)
      .YUPANA_FIELD("half_call", half_call, std::string)
      .YUPANA_FIELD("multiallelic", multiallelic, std::string)
      .YUPANA_FIELD("snps_only", snps_only, bool)
      .YUPANA_FIELD("just_acgt", just_acgt, bool)
      .YUPANA_FIELD("filtered", filtered, bool)
      .YUPANA_FIELD("ignored_filters", ignored_filters, std::vector<std::string>)
      .YUPANA_FIELD("min_qual", min_qual, std::optional<double>)
      .YUPANA_FIELD("autosomes", autosomes, std::int64_t)
      .YUPANA_FIELD("nonfounders", cohort.nonfounders, bool)
      .YUPANA_FIELD("polyploid", polyploid, std::string)
      .YUPANA_FIELD("round", round, bool)
      .YUPANA_FIELD("keep", cohort.keep, std::vector<std::string>)
      .YUPANA_FIELD("remove", cohort.remove, std::vector<std::string>)
      .YUPANA_FIELD("max_sample_missing", cohort.max_sample_missing, double)
      .YUPANA_FIELD("max_site_missing", cohort.max_site_missing, double)
      .YUPANA_FIELD("min_maf", cohort.min_maf, double)
      .YUPANA_FIELD("max_maf", cohort.max_maf, double)
      .YUPANA_FIELD("min_mac", cohort.min_mac, std::int64_t)
      .YUPANA_FIELD("min_hwe", cohort.min_hwe, double)
      .YUPANA_FIELD("hwe_mid_p", cohort.hwe_mid_p, bool)
      .YUPANA_FIELD("from_bp", from_bp, std::optional<std::int64_t>)
      .YUPANA_FIELD("to_bp", to_bp, std::optional<std::int64_t>)
      .YUPANA_FIELD("king_cutoff", king_cutoff, std::optional<double>)
      .YUPANA_FIELD("king_largest", king_largest, bool)
      .YUPANA_FIELD("extract", extract.path, std::string)
      .YUPANA_FIELD("exclude", exclude.path, std::string)
      .YUPANA_FIELD("keep_fam", keep_fam_file, std::string)
      .YUPANA_FIELD("remove_fam", remove_fam_file, std::string)
      .YUPANA_FIELD("thin", cohort.thin, double)
      .YUPANA_FIELD("seed", cohort.seed, std::uint64_t)
#undef YUPANA_FIELD
      .def("samples", of_opened(false, [](const auto& input) { return input.cohort.samples(); }))
      .def("pruned", of_opened(true, [](const auto& input) { return input.pruned_in; }))
      .def("write",
           [](const GenotypeInput& self, const Options& options, const std::string& out) {
             const job::FilterJobResult result = call(options, [&](Context& context) {
               if (!self.is_array()) return job::run_filter(context, {self.file, out});
               job::Input opened = open_genotypes(context, self);
               return job::write_cohort(context, opened, out);
             });
             return nb::make_tuple(summary_dict(result.cohort), result.files);
           })
      .def("dosages", [](const GenotypeInput& self, const Options& options) {
        return to_numpy(call(options, [&](Context& context) { return dosages_of(context, self); }));
      });
}

constexpr const char* triangle_names[] = {"ibs1", "ibs0", "shared", "hethet", "het"};

/// The lower triangle, diagonal included, row after row, of rows [begin, end).
Array<std::uint64_t> triangle(const PairCounts& counts,
                              const std::string& which,
                              std::int64_t begin,
                              std::int64_t end) {
  if (begin < 0 || begin > end || end > counts.samples) {
    throw usage_error("triangle: expected rows of the counts");
  }
  Array<std::uint64_t> cells(triangle_cells(end) - triangle_cells(begin));
  std::uint64_t* cell = cells.data();
  for (std::int64_t i = begin; i < end; ++i) {
    for (std::int64_t j = 0; j <= i; ++j) {
      if (which == "ibs1") *cell++ = counts.ibs1.at(i, j);
      if (which == "ibs0") *cell++ = counts.ibs0.at(i, j);
      if (which == "shared") *cell++ = counts.shared_at(i, j);
      if (which == "hethet") *cell++ = counts.hethet_at(i, j);
      if (which == "het") *cell++ = counts.het_at(i, j);
    }
  }
  return cells;
}

/// Counts that were added up elsewhere, triangle by triangle.
void set_triangle(PairCounts& counts,
                  const std::string& which,
                  std::int64_t begin,
                  const Vector<std::uint64_t>& cells) {
  genotype::CountTriangle* const all[] = {
      &counts.ibs1, &counts.ibs0, &counts.shared, &counts.hethet, &counts.het};
  const auto at = std::find(std::begin(triangle_names), std::end(triangle_names), which);
  const std::int64_t first = triangle_cells(begin), size = triangle_cells(counts.samples);
  if (at == std::end(triangle_names) || begin < 0 || first + size_of(cells) > size) {
    throw usage_error("set_triangle: expected cells of the triangle");
  }
  genotype::CountTriangle& to = *all[at - std::begin(triangle_names)];
  if (to.empty()) to = genotype::CountTriangle(counts.rows);
  for (std::int64_t k = 0; k < size_of(cells); ++k) {
    const std::uint64_t value = cells.data()[k];
    if (value >> 32 != 0 && to.high() == nullptr) to.widen();
    to.low()[first + k] = static_cast<std::uint32_t>(value);
    if (to.high() != nullptr) to.high()[first + k] = static_cast<std::uint32_t>(value >> 32);
  }
}

/// Three numbers of each sample: calls, x = 1, x = 2.
Matrix<std::uint64_t> sample_totals(const PairCounts& counts) {
  Matrix<std::uint64_t> totals(3, counts.samples);
  std::copy(counts.called.begin(), counts.called.end(), totals.row(0));
  std::copy(counts.heterozygous.begin(), counts.heterozygous.end(), totals.row(1));
  std::copy(counts.homozygous.begin(), counts.homozygous.end(), totals.row(2));
  return totals;
}

/// No triangle yet; names are 1, 2, ... where there are none.
Counted added_up(std::vector<std::string> names,
                 std::int64_t samples,
                 std::int64_t sites,
                 const Rows<std::uint64_t>& totals) {
  if (totals.shape(0) != 3 || static_cast<std::int64_t>(totals.shape(1)) != samples) {
    throw usage_error("added_up: expected three totals for each sample");
  }
  const genotype::DosageSource named({.samples = samples}, std::move(names));
  Counted result{{}, named.samples(), {}};
  PairCounts& counts = result.counts;
  counts.samples = samples;
  counts.sites = sites;
  counts.rows = {0, samples};
  const auto row = [&](std::int64_t r) {
    const std::uint64_t* const values = totals.data() + r * totals.stride(0);
    return std::vector<std::uint64_t>(values, values + samples);
  };
  counts.called = row(0), counts.heterozygous = row(1), counts.homozygous = row(2);
  summarize(result);
  return result;
}

/// Counts the array's sites besides what is counted already.
void add_sites(Context& context, Counted& to, const genotype::Dosages& dosages, bool hethet) {
  genotype::PairCounter counter(context, dosages.samples, {.hethet = hethet, .rows = {}});
  if (to.counts.samples > 0) counter.resume(std::move(to.counts));
  genotype::PlaneBlock planes;
  genotype::planes_of(context, dosages, {0, dosages.sites}, planes);
  counter.add(planes);
  to.counts = counter.take();
}

/// Counts that several machines add up.
void bind_added_up(nb::module_& m, nb::class_<Counted>& counted) {
  m.def("added_up", &added_up);
  counted.def(nb::init<>())
      .def("add_sites",
           [](Counted& self, const Options& options, const Rows<std::int8_t>& sites, bool hethet) {
             const genotype::Dosages dosages{sites.data(),
                                             static_cast<std::int64_t>(sites.shape(1)),
                                             static_cast<std::int64_t>(sites.shape(0)),
                                             1,
                                             sites.stride(0)};
             call(options, Runs::on_the_processor, [&](Context& context) {
               add_sites(context, self, dosages, hethet);
             });
           })
      .def("triangle",
           [](const Counted& self, const std::string& which, std::int64_t begin, std::int64_t end) {
             return to_numpy(triangle(self.counts, which, begin, end));
           })
      .def("set_triangle",
           [](Counted& self,
              const std::string& which,
              std::int64_t begin,
              Vector<std::uint64_t> cells) { set_triangle(self.counts, which, begin, cells); })
      .def("sample_totals",
           [](const Counted& self) { return to_numpy(sample_totals(self.counts)); });
}

void bind_counts(nb::module_& m) {
  nb::class_<Counted> counted(m, "PairCounts", "Exact counts of every pair.");
  bind_added_up(m, counted);
  counted.def_prop_ro("samples", [](const Counted& self) { return self.names; })
      .def_prop_ro("sites", [](const Counted& self) { return self.counts.sites; })
      .def_prop_ro("complete", [](const Counted& self) { return self.counts.shared.empty(); })
      .def_prop_ro("summary", [](const Counted& self) { return summary_dict(self.summary); })
      .def("matrix",
           [](const Counted& self, const Options& options, const std::string& which) {
             return to_numpy(call(options, [&](Context& context) {
               return count_matrix(context, self.counts, which == "shared" ? 's' : which.back());
             }));
           })
      .def(
          "distances",
          [](const Counted& self, const Options& options, const std::string& metric, bool rescale) {
            const genotype::MetricParams params{.metric = genotype::metric_from_name(metric),
                                                .rescale = rescale};
            return to_numpy<double>(call(options, [&](Context& context) {
              genotype::check_metric(self.counts, params, self.names);
              return genotype::distances(context, self.counts, params);
            }));
          },
          nb::arg("call"),
          nb::arg("metric"),
          nb::arg("rescale"))
      .def("squared_distances", [](const Counted& self, const Options& options) {
        // Integers where they are exact: what a Fermat job starts from.
        return to_python(call(options, [&](Context& context) -> graph::AnyMatrix {
          if (job::has_integer_squares(self.counts))
            return genotype::integer_squared_distances(context, self.counts);
          return genotype::distances(
              context, self.counts, {.metric = genotype::Metric::squared_euclidean});
        }));
      });
  m.def("count", [](const GenotypeInput& input, const Options& options, bool hethet) {
    return call_at(
        input.place, options, [&](Context& context) { return count(context, input, hethet); });
  });
  m.def(
      "needs_hethet",
      [](const std::string& metric) {
        return genotype::metric_from_name(metric) == genotype::Metric::king;
      },
      nb::arg("metric"));
  m.def("metric_names", [] {
    std::vector<std::string> names;
    for (const std::string_view name : genotype::metric_names()) names.emplace_back(name);
    return names;
  });
}

}  // namespace

job::Input open_genotypes(Context& context, const GenotypeInput& input) {
  if (!input.is_array()) return job::open_input(context, input.file);
  job::refuse_idle_options(input.file, job::InputKind::array);
  auto source = std::make_unique<genotype::DosageSource>(input.array, input.names);
  job::Input opened{genotype::Cohort(context, std::move(source), input.file.cohort), {}, "array"};
  job::leave_out_alike(context, input.file, opened);
  return opened;
}

void bind_genotype(nb::module_& module) {
  nb::module_ m = module.def_submodule("genotype", "Genotypes and their pair counts.");
  bind_input(m);
  bind_counts(m);
  bind_relationships(m);
}

}  // namespace yupana::python
