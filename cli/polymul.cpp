#include <fmt/format.h>

#include "cli/arrays_options.hpp"
#include "yupana/job/spectral.hpp"

namespace yupana::cli {

void add_polymul(CLI::App& program) {
  auto params = std::make_shared<job::PolymulFileParams>();
  CLI::App& app = add_command(
      program,
      "polymul",
      "Product of two polynomials (coefficients in .npy or text, lowest degree first), exact for "
      "integers; or of two integers of any size (--digits). What exceeds --memory is refused "
      "before "
      "the work.",
      "yupana polymul a.npy b.npy --exact -o c.npy",
      [params](Context& context, const CommonOptions& common) {
        params->out = output_of(common);
        const job::SpectralFileResult result = job::polymul_file(context, *params);
        const bool real = result.type == "f8";
        Answer answer;
        answer.text = fmt::format(
            "{} {} ({}) in {}\n",
            result.cols,
            params->digits.empty() ? "coefficients" : "digits",
            real ? fmt::format("f8, each within {:.3g}", result.error_bound) : result.type,
            params->out);
        answer.json = {{"command", "polymul"},
                       {"out", params->out},
                       {"count", result.cols},
                       {"type", result.type}};
        if (real) answer.json["error_bound"] = result.error_bound;
        answer.json["stages"] = stages_json(context);
        return answer;
      });
  app.add_option("a", params->a, "first factor")->required();
  app.add_option("b", params->b, "second factor")->required();
  auto* const exact = app.add_flag_callback(
      "--exact",
      [params] { params->kind = job::PolymulKind::exact; },
      "integer coefficients, a 64-bit result or an error; default where both files hold integers");
  app.add_flag_callback(
         "--real",
         [params] { params->kind = job::PolymulKind::real; },
         "by the FFT in double, with a bound on the error")
      ->excludes(exact);
  app.add_option(
         "--digits", params->digits, "each file is one integer, its digits decimal, hex or binary")
      ->check(CLI::IsMember({"decimal", "hex", "binary"}));
}

}  // namespace yupana::cli
