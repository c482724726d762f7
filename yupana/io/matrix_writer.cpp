#include "yupana/io/matrix_writer.hpp"

#include <cstring>
#include <string_view>
#include <unordered_set>

#include "yupana/core/counted.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/number_text.hpp"

namespace yupana::io {
namespace {

using SampleIds = std::vector<std::string>;

char* put(std::string_view text, char* out) {
  std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

std::int64_t count(const SampleIds& names) { return static_cast<std::int64_t>(names.size()); }

/// Rows "name<separator>value<separator>...".
TextRows named_rows(const SampleIds& names, char separator, const RowProducer& producer) {
  const std::int64_t n = count(names);
  TextRows rows;
  rows.size = n;
  rows.producer = producer;
  rows.bytes = [&names, n](std::int64_t i) {
    return names[i].size() + static_cast<std::size_t>(n) * (number_text_bytes + 1) + 1;
  };
  rows.text = [&names, n, separator](std::int64_t i, const double* row, char* out) {
    out = put(names[i], out);
    for (std::int64_t j = 0; j < n; ++j) {
      *out++ = separator;
      out = write_shortest(row[j], out);
    }
    *out++ = '\n';
    return out;
  };
  return rows;
}

SampleIds phylip_names(Context& context, const AtomicFile& file, const SampleIds& names) {
  constexpr std::string_view ending = " \t\r\n()[]:;,'";
  SampleIds relaxed = names;
  std::int64_t changed = 0;
  std::unordered_set<std::string_view> seen;
  for (std::string& name : relaxed) {
    bool touched = name.empty();
    if (touched) name.assign(1, '_');
    for (char& c : name) {
      if (ending.find(c) == std::string_view::npos) continue;
      c = '_';
      touched = true;
    }
    changed += touched;
    if (seen.insert(name).second) continue;
    throw bad_file(file.path(),
                   "two samples are named '{}' once characters that PHYLIP cannot hold are "
                   "replaced by '_'; rename one",
                   name);
  }
  if (changed > 0) {
    context.note(fmt::format(
        "{}: {} changed: PHYLIP holds no blanks, brackets, colons, semicolons, commas or "
        "apostrophes; '_' replaces them",
        file.path(),
        counted(changed, "sample name")));
  }
  return relaxed;
}

}  // namespace

void check_names_of_text(const AtomicFile& file, const SampleIds& names) {
  for (const std::string& name : names) {
    if (name.find_first_of("\t\r\n") == std::string::npos) continue;
    throw bad_file(file.path(),
                   "sample name '{}' holds a tab or a line end; rename the sample",
                   name.substr(0, name.find_first_of("\t\r\n")));
  }
}

void write_ids(AtomicFile& file, const SampleIds& names) {
  check_names_of_text(file, names);
  for (const std::string& name : names) {
    file.write(name);
    file.write("\n");
  }
}

void write_tsv(Context& context,
               AtomicFile& file,
               const SampleIds& names,
               const RowProducer& rows) {
  check_names_of_text(file, names);
  file.write("sample");
  for (const std::string& name : names) {
    file.write("\t");
    file.write(name);
  }
  file.write("\n");
  write_text_rows(context, file, named_rows(names, '\t', rows));
}

void write_phylip(Context& context,
                  AtomicFile& file,
                  const SampleIds& names,
                  const RowProducer& rows) {
  const SampleIds relaxed = phylip_names(context, file, names);
  file.write(fmt::format("{}\n", names.size()));
  write_text_rows(context, file, named_rows(relaxed, ' ', rows));
}

}  // namespace yupana::io
