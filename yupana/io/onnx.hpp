#pragma once

#include <string>

#include "yupana/forest/forest.hpp"

namespace yupana::io {

/// A model in the Open Neural Network Exchange format (ai.onnx.ml opset 3, TreeEnsembleClassifier
/// or TreeEnsembleRegressor), as bytes of a .onnx file.
///   input "x": float32 [rows, features], NaN where missing
///   output "label": string [rows], and "probabilities": float32 [rows, classes] (soft voting: mean
///   of the trees' shares; hard: share of their votes); of numbers "value": float32 [rows, 1]
///   metadata "yupana": JSON with the names of features and classes and, of columns of text, which
///   number of x is which category (encodings: values, or one_hot: a feature a category)
///   thresholds: rounded down to float32, so that every float32 goes where it goes here; a double
///   that is cast to float32 on its way in may cross a threshold that lies between the two
///   sums: of float32, within 1e-6 of the double's here; votes are counted exactly
///   errors: out_of_resources beyond the 2 GiB that the format can hold
///   source: onnx.proto3 and the operators' pages, github.com/onnx/onnx
std::string onnx_model(const forest::Model& model);

}  // namespace yupana::io
