// Preloaded into the program by soak.py: limits Highway to the instruction sets of YUPANA_TARGETS,
// a mask, so that the code of older processors runs on newer ones.
#include <hwy/targets.h>

#include <cstdlib>

namespace {

struct Limit {
  Limit() {
    const char* const mask = std::getenv("YUPANA_TARGETS");
    if (mask == nullptr) return;
    const long long targets = std::atoll(mask);
    hwy::SetSupportedTargetsForTest(hwy::SupportedTargets() & targets);
  }
} limit;

}  // namespace
