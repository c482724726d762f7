// report_sample FILE.html|FILE.svg|FILE.png [individuals [classes]]: writes a sample report.

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "tests/report/sample.hpp"

int main(int count, char** words) {
  using namespace yupana;
  if (count < 2) return 2;
  try {
    const std::string path = words[1];
    const auto report = report::sample_report(count > 2 ? std::atoll(words[2]) : 300,
                                              count > 3 ? std::atoll(words[3]) : 4);
    AtomicFile file(path);
    if (path.ends_with(".svg")) {
      report::write_svg(file, report);
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
