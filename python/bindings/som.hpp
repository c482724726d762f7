#pragma once

#include <nanobind/nanobind.h>

#include "yupana/som/quality.hpp"

namespace yupana::python {

inline nanobind::dict quality_dict(const som::Quality& quality) {
  nanobind::dict result;
  result["quantization_error"] = quality.quantization_error;
  result["topographic_error"] = quality.topographic_error;
  result["empty"] = quality.empty;
  return result;
}

}  // namespace yupana::python
