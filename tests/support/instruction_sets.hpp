#pragma once

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <cstdint>

namespace yupana {

/// Runs body() with each instruction set of this processor alone, the oldest included; sources that
/// were not compiled for one take their baseline.
template <class Body>
void on_each_instruction_set(const Body& body) {
  for (std::int64_t left = hwy::SupportedTargets(); left != 0; left &= left - 1) {
    hwy::SetSupportedTargetsForTest(left & -left);
    SCOPED_TRACE(hwy::TargetName(left & -left));
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace yupana
