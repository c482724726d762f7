// The commands fft and polymul.
#include "yupana/job/spectral.hpp"

#include "cli/command.hpp"
#include "yupana/core/messages.hpp"

namespace yupana::cli {
namespace {

constexpr const char* out_file = "FILE, out.npy or out.txt";

Answer fft(Context& context, const Call& call, job::FftFileParams& params) {
  params.out = call.out;
  const job::SpectralFileResult result = job::fft_file(context, params);
  const std::string numbers = result.matrix
                                  ? fmt::format("{} x {} numbers", result.rows, result.cols)
                                  : counted(result.cols, "number");
  return {fmt::format("{} ({}) in {}\n", numbers, result.type, params.out),
          {{"command", "fft"},
           {"out", params.out},
           {"rows", result.rows},
           {"cols", result.cols},
           {"type", result.type},
           {"stages", stages_json(context)}}};
}

Answer polymul(Context& context, const Call& call, job::PolymulFileParams& params) {
  params.out = call.out;
  const job::SpectralFileResult result = job::polymul_file(context, params);
  const bool real = result.type == "f8";
  Answer answer;
  answer.text =
      fmt::format("{} ({}) in {}\n",
                  counted(result.cols, params.digits.empty() ? "coefficient" : "digit"),
                  real ? fmt::format("f8, each within {:.3g}", result.error_bound) : result.type,
                  params.out);
  answer.json = {
      {"command", "polymul"}, {"out", params.out}, {"count", result.cols}, {"type", result.type}};
  if (real) answer.json["error_bound"] = result.error_bound;
  answer.json["stages"] = stages_json(context);
  return answer;
}

void add_fft(Command& program) {
  auto params = std::make_shared<job::FftFileParams>();
  Command command = add_command(
      program,
      {.name = "fft",
       .purpose =
           "Discrete Fourier transform of real or complex numbers (.npy or text), of any length. A "
           "NaN leaves no number of its signal usable. What exceeds --memory is refused before the "
           "work.",
       .example = "yupana fft x.npy -o y.npy",
       .out = out_file},
      [params](Context& context, const Call& call) { return fft(context, call, *params); });
  command
      .input("input",
             params->in,
             "numbers: .npy of one or two dimensions, or text, one a line (two: complex)")
      .required();
  command.flag("--inverse", params->inverse, "e^(+2 pi i j k / n), scaled by 1/n");
  command.flag(
      "--real", params->real, "real numbers and the first n/2 + 1 values of their spectrum");
  command.flag("--odd", params->odd, "with --real --inverse: an odd number of values comes out");
  command.flag("--2d", params->two_d, "along both axes of a matrix");
  command.choice("--library",
                 params->library,
                 {{"automatic", spectral::FftLibrary::automatic},
                  {"own", spectral::FftLibrary::own},
                  {"cufft", spectral::FftLibrary::cufft}},
                 "whose kernels transform on a GPU; for files automatic is own, since copies take "
                 "longer");
  command.number("--axis", params->axis, "of a matrix: 0 along columns, 1 along rows; default: 1");
}

void add_polymul(Command& program) {
  auto params = std::make_shared<job::PolymulFileParams>();
  Command command = add_command(
      program,
      {.name = "polymul",
       .purpose =
           "Product of two polynomials (coefficients in .npy or text, lowest degree first), exact "
           "for integers; or of two integers of any size (--digits). What exceeds --memory is "
           "refused before the work.",
       .example = "yupana polymul a.npy b.npy --exact -o c.npy",
       .out = out_file},
      [params](Context& context, const Call& call) { return polymul(context, call, *params); });
  command.input("a", params->a, "first factor").required();
  command.input("b", params->b, "second factor").required();
  command.flag(
      "--exact",
      [params] { params->kind = job::PolymulKind::exact; },
      "integer coefficients, a 64-bit result or an error; default where both files hold integers");
  command.flag(
      "--real",
      [params] { params->kind = job::PolymulKind::real; },
      "by the FFT in double, with a bound on the error");
  command.choice("--digits",
                 params->digits,
                 {"decimal", "hex", "binary"},
                 "each file is one integer, its digits decimal, hex or binary");
  command.only_one({"--exact", "--real"});
}

}  // namespace

void add_spectral(Command& program) {
  add_fft(program);
  add_polymul(program);
}

}  // namespace yupana::cli
