#pragma once

#include <string>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/io/table.hpp"

namespace yupana::io {

/// The columns of the table that a model was trained on.
struct ModelColumns {
  std::vector<std::string> features;     ///< in the model's order; "1", "2", ... without a header
  std::vector<std::string> categorical;  ///< features of text
  std::string label;                     ///< empty: none
  bool takes_label = false;              ///< the label's column is read where the table has one
  /// Values of a libsvm file at indices beyond the features are refused; else left out with a
  /// note: a tree, for which they were zero in every row of the training, cannot use them.
  bool refuses_more = false;
  bool zero_based = false;  ///< the training's table was a libsvm file whose indices begin at 0
};

/// How to read another table for the model, with columns, categorical and, if it is taken, label
/// filled in; `given` has the user's choice, which is kept.
///   a table with names: by name; all features must be there
///   a table without: all columns that are not the label or ignored, in order, if they are as many
///   as the model's features; else, if the model's columns had no names either and the table has as
///   many columns as the table of the training must have had, by number, with a note
///   a model without names and a table with: in order, if as many, with a note
///   libsvm: by number, from 0 where the training's file was so; columns that no row has are zeros
///   errors: bad_input for other columns, with the numbers of both
TableParams reading_for_model(Context& context,
                              const std::string& path,
                              const TableParams& given,
                              const ModelColumns& model);

}  // namespace yupana::io
