#include "yupana/io/text_kind.hpp"

#include "yupana/core/error.hpp"

namespace yupana::io {

void check_is_text(const std::string& path, std::string_view beginning) {
  if (beginning.starts_with("\x93NUMPY")) {
    throw bad_file(path, "holds a NumPy array where text was wanted; unpack it if it is a .npy.gz");
  }
  if (beginning.starts_with("PK\x03\x04")) {
    throw bad_file(path, "is a zip archive (.npz, .xlsx) where text was wanted; unpack it first");
  }
  if (beginning.starts_with("PAR1")) {
    throw bad_file(path, "is a Parquet file where text was wanted; write it as CSV or .npy");
  }
  const bool marked = beginning.starts_with("\xff\xfe") || beginning.starts_with("\xfe\xff");
  // UTF-16 without a mark: of a letter or digit, one of two bytes is zero.
  const bool zeros = beginning.size() >= 2 && (beginning[0] == '\0') != (beginning[1] == '\0');
  if (marked || zeros) {
    throw bad_file(path,
                   "is UTF-16 where UTF-8 was wanted; convert it first (iconv -f UTF-16 -t UTF-8)");
  }
  if (beginning.empty() || beginning.find('\n') != beginning.npos) return;
  // The last one may be half of a line's end.
  if (beginning.substr(0, beginning.size() - 1).find('\r') != beginning.npos) {
    throw bad_file(path, "ends its lines with \\r alone; convert it first (tr '\\r' '\\n')");
  }
}

}  // namespace yupana::io
