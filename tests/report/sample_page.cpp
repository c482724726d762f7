// report_sample FILE.html|FILE.svg|FILE.pdf|FILE.png [individuals [classes]]
// report_sample FILE hostile
// report_sample FILE bare [individuals [dimensions]]
// Writes a sample report.

#include <cstdio>
#include <exception>
#include <string>

#include "tests/report/sample.hpp"

namespace {

yupana::report::Report chosen(int count, char** words) {
  using namespace yupana::report;
  const std::string kind = count > 2 ? words[2] : "300";
  if (kind == "hostile") return hostile_report();
  if (kind == "bare") {
    return bare_report(count > 3 ? std::atoll(words[3]) : 1, count > 4 ? std::atoll(words[4]) : 1);
  }
  return sample_report(std::atoll(kind.c_str()), count > 3 ? std::atoll(words[3]) : 4);
}

}  // namespace

int main(int count, char** words) {
  using namespace yupana;
  if (count < 2) return 2;
  try {
    const std::string path = words[1];
    const report::Report report = chosen(count, words);
    AtomicFile file(path);
    if (path.ends_with(".svg")) {
      report::write_svg(file, report);
    } else if (path.ends_with(".pdf")) {
      report::write_pdf(file, report);
    } else if (path.ends_with(".png")) {
      report::write_png(file, report);
    } else {
      report::write_html(file, report);
    }
    file.commit();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
