// Any bytes as a .npy of records: refused in one line, or as many records as it says, each of whose
// fields lies within it, and a header that reads back the same.
#include "tests/fuzz/fuzz_file.hpp"
#include "yupana/io/npy_records.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = yupana::fuzz::put("records", data, size);
  yupana::fuzz::expect_one_line([&] {
    if (!yupana::io::has_records(path)) return;
    yupana::io::NpyRecords records(path);
    for (const yupana::io::RecordField& field : records.fields()) {
      if (field.offset < 0 || field.width < 0) std::abort();
      if (field.offset + field.width > records.width()) std::abort();
    }
    std::string text = records.preamble(records.count());
    std::int64_t count = 0;
    for (std::string_view record; records.next(record); ++count) text += record;
    if (count != records.count()) std::abort();
    yupana::io::NpyRecords again(yupana::fuzz::put("records_again", text));
    if (again.count() != count || again.width() != records.width()) std::abort();
    if (again.fields().size() != records.fields().size()) std::abort();
  });
  return 0;
}
