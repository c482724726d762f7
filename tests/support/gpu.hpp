#pragma once

#include <gtest/gtest.h>

#include "yupana/core/cuda/device.hpp"

/// First line of every test that needs a GPU: skips, saying why, where there is none.
#define YUPANA_NEEDS_GPU() \
  if (yupana::cuda::device_count() == 0) GTEST_SKIP() << "no GPU: " << yupana::cuda::why_no_device()
