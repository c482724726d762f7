#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/arrays_options.hpp"
#include "yupana/job/spectral.hpp"

namespace yupana::cli {

void add_fft(CLI::App& program) {
  auto params = std::make_shared<job::FftFileParams>();
  CLI::App& app = add_command(
      program,
      "fft",
      "Discrete Fourier transform of real or complex numbers (.npy or text), of any length. A NaN "
      "makes its whole signal NaN. What exceeds --memory is refused before the work.",
      "yupana fft x.npy -o y.npy",
      [params](Context& context, const CommonOptions& common) {
        params->out = output_of(common);
        const job::SpectralFileResult result = job::fft_file(context, *params);
        const std::string shape = result.matrix ? fmt::format("{} x {}", result.rows, result.cols)
                                                : fmt::format("{}", result.cols);
        Answer answer;
        answer.text = fmt::format("{} numbers ({}) in {}\n", shape, result.type, params->out);
        answer.json = {{"command", "fft"},
                       {"out", params->out},
                       {"rows", result.rows},
                       {"cols", result.cols},
                       {"type", result.type},
                       {"stages", stages_json(context)}};
        return answer;
      });
  app.add_option("in",
                 params->in,
                 "numbers: .npy of one or two dimensions, or text, one a line (two: complex)")
      ->required();
  app.add_flag("--inverse", params->inverse, "e^(+2 pi i j k / n), scaled by 1/n");
  app.add_flag(
      "--real", params->real, "real numbers and the first n/2 + 1 values of their spectrum");
  app.add_flag("--odd", params->odd, "with --real --inverse: an odd number of values comes out");
  app.add_flag("--2d", params->two_d, "along both axes of a matrix");
  const std::map<std::string, spectral::FftLibrary> libraries = {
      {"automatic", spectral::FftLibrary::automatic},
      {"own", spectral::FftLibrary::own},
      {"cufft", spectral::FftLibrary::cufft}};
  const auto standard = std::find_if(libraries.begin(), libraries.end(), [&](const auto& library) {
    return library.second == params->library;
  });
  app.add_option(
         "--library",
         params->library,
         "whose kernels transform on a GPU: automatic, own or cufft; for files automatic is "
         "own, since copies take longer")
      ->default_str(standard->first)
      ->transform(CLI::CheckedTransformer(libraries).description(""));
  app.add_option("--axis", params->axis, "of a matrix: 0 along columns, 1 along rows; default: 1");
}

}  // namespace yupana::cli
