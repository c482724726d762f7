#include "yupana/io/fasta.hpp"

#include <array>
#include <cctype>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/cell.hpp"
#include "yupana/io/line_reader.hpp"
#include "yupana/splice/candidates.hpp"

namespace yupana::io {
namespace {

std::array<bool, 256> both_cases(std::string_view alphabet) {
  std::array<bool, 256> known{};
  for (const char letter : alphabet) {
    known[static_cast<unsigned char>(letter)] = true;
    known[static_cast<unsigned char>(std::tolower(static_cast<unsigned char>(letter)))] = true;
  }
  return known;
}

std::string shown(char letter) {
  const auto code = static_cast<unsigned char>(letter);
  return code > ' ' && code < 127 ? fmt::format("'{}'", letter)
                                  : fmt::format("character {}", int{code});
}

std::uint64_t bytes_of(const FastaRecord& record) {
  return sizeof(record) + record.name.capacity() + record.letters.capacity();
}

/// The line of letters, each of which heads a column.
std::string letters_of(const LineReader& reader, const std::vector<std::string_view>& words) {
  std::string letters, seen;
  for (const std::string_view word : words) {
    const std::string lower = lower_case(word);
    if (word.size() != 1) {
      throw reader.fault(
          "expected a line of single letters, then their rows, as in NCBI's matrices, got '{}'",
          word);
    }
    if (seen.find(lower) != seen.npos) {
      throw reader.fault(
          "expected each letter once, in either case, got '{}' again; keep one column and row of "
          "it",
          word);
    }
    seen += lower;
    letters += word;
  }
  return letters;
}

/// Appends the scores of row `row`.
void add_scores(const LineReader& reader,
                const std::vector<std::string_view>& words,
                std::string_view letters,
                std::size_t row,
                std::vector<int>& scores) {
  if (row == letters.size()) {
    throw reader.fault("expected {}, one for each letter, got one more, of '{}'; remove it",
                       counted(std::ssize(letters), "row"),
                       words[0]);
  }
  if (words[0] != letters.substr(row, 1)) {
    throw reader.fault(
        "expected the row of '{}', as letter {} of the first line, got '{}'; begin each row with "
        "its letter, in the order of that line",
        letters[row],
        row + 1,
        words[0]);
  }
  if (words.size() != letters.size() + 1) {
    throw reader.fault("expected {} after '{}', one for each letter of the first line, got {}",
                       counted(std::ssize(letters), "score"),
                       words[0],
                       words.size() - 1);
  }
  for (std::size_t i = 1; i < words.size(); ++i) {
    constexpr int most = splice::max_unscaled_score;
    const auto score = number_of<int>(words[i]);
    if (!score || *score < -most || *score > most) {
      throw reader.fault(
          "expected a whole number from {} to {} as the score of '{}' and '{}', got "
          "'{}'",
          -most,
          most,
          words[0],
          letters[i - 1],
          words[i]);
    }
    scores.push_back(*score);
  }
}

}  // namespace

std::uint64_t held_bytes(const std::vector<FastaRecord>& records) {
  std::uint64_t bytes = 0;
  for (const FastaRecord& record : records) bytes += bytes_of(record);
  return bytes;
}

std::vector<FastaRecord> read_fasta(const std::string& path,
                                    std::string_view alphabet,
                                    std::string_view advice,
                                    std::uint64_t max_bytes,
                                    std::uint64_t held_besides) {
  const std::array<bool, 256> known = both_cases(alphabet);
  std::vector<FastaRecord> records;
  std::unordered_map<std::string, std::int64_t> lines;
  std::int64_t header = 0;
  std::uint64_t held = 0;             // by the records before the last
  std::size_t text = 0, longest = 0;  // of the lines so far
  LineReader reader(path, longest_sequence);
  const auto close_record = [&] {
    if (records.empty()) return;
    held += bytes_of(records.back());
    if (!records.back().letters.empty()) return;
    throw bad_line(path, header, "record '{}' has no letters; leave it out", records.back().name);
  };
  for (std::string_view line; reader.next(line);) {
    if (line.starts_with('>')) {
      close_record();
      std::string_view name;
      if (split_fields(line.substr(1), &name, 1) == 0) {
        throw reader.fault("expected a name after '>'");
      }
      header = reader.number();
      text += sizeof(FastaRecord) + line.size();
      records.push_back({std::string(name), {}});
      const auto [first, is_new] = lines.emplace(records.back().name, header);
      if (!is_new) {
        throw bad_line(path,
                       header,
                       "record '{}' appears in line {} already; name each once",
                       name,
                       first->second);
      }
      continue;
    }
    while (!line.empty() && (line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
    if (line.empty()) continue;
    if (records.empty()) {
      throw reader.fault("FASTA begins with a line '>name'; this is another{}",
                         line.starts_with('@') ? ": write FASTQ as FASTA first" : "");
    }
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (known[static_cast<unsigned char>(line[i])]) continue;
      const bool is_letter = line[i] == '*' || std::isalpha(static_cast<unsigned char>(line[i]));
      const std::string_view hint = is_letter ? advice : "take it out";
      throw reader.fault("{} at place {} of '{}' is none of {}{}{}",
                         shown(line[i]),
                         records.back().letters.size() + i + 1,
                         records.back().name,
                         alphabet,
                         hint.empty() ? "" : "; ",
                         hint);
    }
    std::string& letters = records.back().letters;
    text += line.size();
    longest = std::max(longest, line.size());
    // A string grows to twice its capacity; the old text is freed after the copy.
    const bool grows = letters.size() + line.size() > letters.capacity();
    if (grows && held + 2 * letters.capacity() + line.size() > max_bytes) {
      const std::int64_t place = reader.number();
      while (reader.next(line)) {
        text += line.size() + (line.starts_with('>') ? sizeof(FastaRecord) : 0);
        longest = std::max(longest, line.size());
      }
      const auto needed = static_cast<double>(2 * text + longest);  // strings that grow
      throw resource_error(
          "{}:{}: the sequences need {} of memory, and {} are left; give at least --memory {}, "
          "or fewer or shorter sequences",
          path,
          place,
          needed_bytes(needed),
          allowed_bytes(max_bytes),
          memory_option(needed + static_cast<double>(held_besides)));
    }
    letters += line;
  }
  close_record();
  if (records.empty()) throw bad_file(path, "no FASTA record ('>name' and its letters) found");
  return records;
}

std::string reverse_complement(std::string_view bases) {
  static constexpr std::string_view from = "ACGTURYSWKMBDHVNacgturyswkmbdhvn";
  static constexpr std::string_view to = "TGCAAYRSWMKVHDBNtgcaayrswmkvhdbn";
  std::array<char, 256> other{};
  for (int c = 0; c < 256; ++c) other[c] = static_cast<char>(c);
  for (std::size_t i = 0; i < from.size(); ++i) other[static_cast<unsigned char>(from[i])] = to[i];
  std::string result(bases.rbegin(), bases.rend());
  for (char& base : result) base = other[static_cast<unsigned char>(base)];
  return result;
}

splice::Substitution read_substitution(const std::string& path) {
  std::string letters;
  std::vector<int> scores;
  std::size_t rows = 0;
  LineReader reader(path);
  for (std::string_view line; reader.next(line);) {
    const std::vector<std::string_view> words = words_of(line);
    if (words.empty() || words[0].starts_with('#')) continue;
    if (letters.empty()) {
      letters = letters_of(reader, words);
    } else {
      add_scores(reader, words, letters, rows++, scores);
    }
  }
  if (letters.empty() || rows != letters.size()) {
    throw bad_file(path,
                   "expected a line of letters, then a row of scores for each, as in NCBI's "
                   "matrices, got {} for {}{}",
                   counted(static_cast<std::int64_t>(rows), "row"),
                   counted(std::ssize(letters), "letter"),
                   letters.empty() ? "" : fmt::format("; that of '{}' is missing", letters[rows]));
  }
  return splice::Substitution::matrix(letters, std::move(scores));
}

}  // namespace yupana::io
