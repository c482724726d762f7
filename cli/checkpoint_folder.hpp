#pragma once

#include <memory>
#include <string>

#include "cli/out_folder.hpp"
#include "yupana/core/comm.hpp"
#include "yupana/core/error.hpp"
#include "yupana/job/count.hpp"

namespace yupana::cli {

/// The folder of --checkpoint while a run lasts: made where it does not exist, kept where counts
/// are saved in it, and of one run alone, since the first of two to end would remove what the other
/// saves.
///   errors (bad_input): another run uses it, or it cannot be made or written in
class CheckpointFolder {
 public:
  /// `comm`: the ranks of the run, of which the first locks the folder; null for one process.
  CheckpointFolder(const job::CheckpointParams& checkpoint, const Comm* comm);
  ~CheckpointFolder();
  CheckpointFolder(const CheckpointFolder&) = delete;
  CheckpointFolder& operator=(const CheckpointFolder&) = delete;

  /// body(); an interrupted run says where the next one continues.
  template <class Body>
  auto run(const Body& body) const {
    try {
      return body();
    } catch (const Error& error) {
      throw with_saved(error);
    }
  }

 private:
  Error with_saved(const Error& error) const;

  std::shared_ptr<std::string> saved_;
  OutFolder folder_;
  int lock_ = -1;
};

}  // namespace yupana::cli
