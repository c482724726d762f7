#include "yupana/job/paths.hpp"

namespace yupana::job {

std::vector<double> alphas_of(Context& context,
                              const FermatJobParams& params,
                              const FermatInput& input) {
  if (!params.automatic_alpha) return params.alphas;
  Stage stage(context, "choose alpha");
  return {graph::automatic_alpha(context, input.distances, input.squared)};
}

graph::FermatResult shortest_paths(Context& context,
                                   const FermatJobParams& params,
                                   const FermatInput& input,
                                   double alpha) {
  graph::FermatParams fermat = params.fermat;
  fermat.alpha = alpha;
  fermat.prune = fermat.prune && !params.matrix_only;
  fermat.comm = params.input.comm;
  graph::AnyMatrix copy = std::visit(
      [](const auto& source) -> graph::AnyMatrix {
        std::remove_cvref_t<decltype(source)> matrix(source.size());
        std::copy_n(source.data(), source.size() * source.size(), matrix.data());
        return matrix;
      },
      input.distances);
  return graph::fermat(context, std::move(copy), input.squared, fermat, input.on_device);
}

}  // namespace yupana::job
