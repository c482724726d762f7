#include <fmt/format.h>

#include "yupana/job/load.hpp"

namespace yupana::job {

std::vector<double> alphas_of(Context& context,
                              const FermatJobParams& params,
                              const FermatInput& input) {
  if (!params.automatic_alpha) return params.alphas;
  constexpr std::int64_t sample = automatic_alpha_sample;
  const std::int64_t n = input.size();
  if (n > sample) {
    context.note(fmt::format(
        "--alpha auto: chosen by the paths among {} of the {} individuals, drawn at random; among "
        "all of them a smaller alpha may replace half of the edges",
        sample,
        n));
  }
  Stage stage(context, "choose alpha");
  return {graph::automatic_alpha(context, input.distances, input.entries, sample)};
}

graph::FermatResult shortest_paths(Context& context,
                                   const FermatJobParams& params,
                                   const FermatInput& input,
                                   double alpha) {
  graph::FermatParams fermat = params.fermat;
  fermat.alpha = alpha;
  fermat.prune = fermat.prune && !params.matrix_only;
  graph::AnyMatrix copy = std::visit(
      [](const auto& source) -> graph::AnyMatrix {
        std::remove_cvref_t<decltype(source)> matrix(source.size());
        std::copy_n(source.data(), source.size() * source.size(), matrix.data());
        return matrix;
      },
      input.distances);
  return graph::fermat(context, std::move(copy), input.entries, fermat, input.on_device);
}

AlphaFindings findings_of(const graph::FermatFacts& facts) {
  const auto name = [](graph::Precision precision) {
    return precision == graph::Precision::integer   ? "int32"
           : precision == graph::Precision::float32 ? "float32"
                                                    : "float64";
  };
  AlphaFindings findings{facts};
  findings.unit = {facts.alpha, facts.weight_scale, facts.rooted};
  // Roots of integers are doubles.
  const bool widened = facts.rooted && facts.precision == graph::Precision::integer;
  findings.lengths_precision = widened ? "float64" : name(facts.precision);
  findings.weights_precision = name(facts.precision);
  return findings;
}

}  // namespace yupana::job
