#include "cli/checkpoint_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "yupana/core/messages.hpp"

namespace yupana::cli {

CheckpointFolder::CheckpointFolder(const job::CheckpointParams& checkpoint, const Comm* comm)
    : saved_(checkpoint.saved), folder_("--checkpoint " + checkpoint.folder, checkpoint.folder) {
  if (checkpoint.folder.empty() || (comm != nullptr && comm->rank() > 0)) return;
  lock_ = open(checkpoint.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // The system releases it when the run ends, killed too. File systems without locks have none.
  if (lock_ < 0 || flock(lock_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  close(lock_);
  throw input_error(
      "--checkpoint {}: another run saves its counts there; wait for its end, or choose another "
      "folder",
      checkpoint.folder);
}

Error CheckpointFolder::with_saved(const Error& error) const {
  if (error.code() != ErrorCode::interrupted || saved_->empty()) return error;
  return Error(error.code(),
               fmt::format("{}; {} holds the counts so far: the same command continues from there",
                           error.what(),
                           *saved_));
}

CheckpointFolder::~CheckpointFolder() {
  if (lock_ >= 0) close(lock_);
}

}  // namespace yupana::cli
