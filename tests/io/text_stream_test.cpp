#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <thread>

#include "tests/support/folder.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/core/error.hpp"
#include "yupana/io/input_file.hpp"
#include "yupana/io/line_reader.hpp"

namespace yupana::io {
namespace {

/// One member as zlib makes it; `name` and such stand in its header.
std::string member(std::string_view text, int level = 6, bool with_name = false) {
  z_stream stream{};
  deflateInit2(&stream, level, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
  gz_header header{};
  Bytef name[] = "a name of the file";
  Bytef extra[] = "\6\0BC\2\0";
  if (with_name) {
    header.name = name;
    header.extra = extra;
    header.extra_len = 6;
    header.comment = name;
    header.hcrc = 1;
    deflateSetHeader(&stream, &header);
  }
  std::string packed(deflateBound(&stream, text.size()) + 100, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string all_of(const std::string& path, std::int64_t most) {
  TextStream stream(path);
  std::string text, piece(static_cast<std::size_t>(most), '\0');
  while (const std::int64_t got = stream.read(piece.data(), most)) {
    text.append(piece, 0, static_cast<std::size_t>(got));
  }
  EXPECT_EQ(stream.read(piece.data(), most), 0) << "the end stays the end";
  return text;
}

/// Words that pack well, and noise that does not.
std::string some_text(std::mt19937_64& random, std::size_t size) {
  std::string text;
  while (text.size() < size) {
    if (random() % 4 == 0) {
      text += static_cast<char>(random());
    } else {
      text += text.size() > 9 ? text.substr(text.size() - 1 - random() % 9, 5) : "abc,123\n";
    }
  }
  text.resize(size);
  return text;
}

class TextStreams : public testing::Test {
 protected:
  /// What is said of a file of these bytes; nothing where it is read, into `text`.
  std::string refusal(const std::string& bytes, std::string* text = nullptr) {
    const std::string path = folder_.put("r.gz", bytes);
    try {
      const std::string got = all_of(path, 1000);
      if (text != nullptr) *text = got;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
      return error.what();
    }
    return {};
  }
  test::Folder folder_;
};

TEST_F(TextStreams, PlainFilesAreGivenAsTheyAre) {
  for (const std::string text : {"", "a", "\x1f", "\x1f\x8a", "ab", "a line\nand another"}) {
    for (const std::int64_t most : {2, 3, 1000}) {
      EXPECT_EQ(all_of(folder_.put("p", text), most), text);
    }
  }
}

TEST_F(TextStreams, MembersOfAnySizeAreOneText) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 150; ++round) {
    std::string text, packed;
    const auto members = 1 + random() % 8;
    for (std::uint64_t i = 0; i < members; ++i) {
      // Sizes at which members end anywhere in a buffer of input, and none at all.
      const std::string part = some_text(random, random() % (round % 10 == 0 ? 400'000 : 3'000));
      const std::string own = random() % 5 == 0 ? "" : part;
      text += own;
      packed += member(own, static_cast<int>(random() % 10), random() % 3 == 0);
    }
    if (round % 4 == 0) packed.append(random() % 600, '\0');
    const std::string path = folder_.put("m.gz", packed);
    for (const std::int64_t most : {2, 77, 4096, 1 << 20}) {
      if (most == 2 && text.size() > 100'000) continue;
      ASSERT_TRUE(all_of(path, most) == text) << round << " " << most;
    }
    const Array<char> whole = read_text(InputFile(path), 1 << 30);
    ASSERT_EQ(whole.size(), std::ssize(text) + 1);
    EXPECT_TRUE(std::equal(text.begin(), text.end(), whole.data()));
    EXPECT_EQ(whole[whole.size() - 1], '\0');
  }
}

TEST_F(TextStreams, ManyMembersEndAtEveryPlaceOfTheInputBuffer) {
  // BGZF-like: 20,000 members; 128 KiB of input end within headers, data and trailers.
  std::mt19937_64 random(2);
  std::string text, packed;
  for (int i = 0; i < 20'000; ++i) {
    const std::string part = some_text(random, 1 + random() % 40);
    text += part;
    packed += member(part, 1, i % 2 == 0);
  }
  EXPECT_TRUE(all_of(folder_.put("b.gz", packed), 65'536) == text);
}

TEST_F(TextStreams, EveryCutIsRefusedUnlessItIsBetweenMembers) {
  std::mt19937_64 random(3);
  const std::string first = member(some_text(random, 300), 6, true);
  const std::string whole = first + member(some_text(random, 200), 0);
  for (std::size_t cut = 2; cut < whole.size(); ++cut) {
    const std::string message = refusal(whole.substr(0, cut));
    if (cut == first.size()) {
      EXPECT_EQ(message, "");
    } else {
      EXPECT_NE(message.find("damaged gzip file (it is cut short); copy it again"), message.npos)
          << cut << " " << message;
    }
  }
}

TEST_F(TextStreams, WhatFollowsTheEndIsRefusedUnlessItIsZeros) {
  const std::string whole = member("a,b\n1,2\n");
  EXPECT_EQ(refusal(whole + std::string(512, '\0')), "");
  for (const std::string& behind : {std::string("x"),
                                    std::string("\x1f"),
                                    std::string("\x1f\x8c"),
                                    std::string("\0\0\0x", 4),
                                    std::string(3, '\0') + whole,
                                    std::string("trailing words that are no member")}) {
    const std::string message = refusal(whole + behind);
    EXPECT_NE(message.find("damaged gzip file ("), message.npos) << message;
  }
  const std::string message = refusal(whole + "garbage");
  EXPECT_NE(message.find("something follows its end"), message.npos) << message;
}

TEST_F(TextStreams, AChangedByteIsRefusedOrLeavesTheText) {
  std::mt19937_64 random(4);
  const std::string text = some_text(random, 500);
  const std::string whole = member(text, 9) + member(text, 1);
  const std::string both = text + text;
  std::int64_t refused = 0;
  for (std::size_t at = 2; at < whole.size(); ++at) {
    for (const int change : {1, 16, 128, 255}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ change);
      std::string got;
      const std::string message = refusal(bytes, &got);
      if (message.empty()) {
        ASSERT_TRUE(got == both) << at;  // time, system and such in a header
      } else {
        ++refused;
        ASSERT_NE(message.find("damaged gzip file"), message.npos) << message;
      }
    }
  }
  EXPECT_GT(refused, std::ssize(whole) * 3);
}

TEST_F(TextStreams, APromisedSizeThatIsFalseHarmsNothing) {
  // The last member says how long it is; the one before makes the text longer.
  const std::string text(3'000'000, 'x');
  const std::string path = folder_.put("s.gz", member(text) + member("y"));
  EXPECT_EQ(read_text(InputFile(path), 1 << 30).size(), std::ssize(text) + 2);
  EXPECT_NE(test::refusal([&] { read_text(InputFile(path), 1 << 20); }, ErrorCode::out_of_resources)
                .find("--memory"),
            std::string::npos);
  std::string lie = member(text);
  lie.replace(lie.size() - 4, 4, "\xff\xff\xff\x7f");
  EXPECT_NE(test::refusal([&] {
              read_text(InputFile(folder_.put("l.gz", lie)), 1ull << 40);
            }).find("its checksum is another"),
            std::string::npos);
}

TEST_F(TextStreams, APipeIsReadWhateverItsPieces) {
  std::mt19937_64 random(5);
  const std::string text = some_text(random, 30'000);
  for (const std::string& bytes : {text, member(text) + member("end")}) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    std::thread writer([&] {
      for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t piece = at < 5 ? 1 : std::min<std::size_t>(777, bytes.size() - at);
        at += static_cast<std::size_t>(write(ends[1], bytes.data() + at, piece));
      }
      close(ends[1]);
    });
    const std::string got = all_of("/dev/fd/" + std::to_string(ends[0]), 1000);
    writer.join();
    close(ends[0]);
    EXPECT_TRUE(got == (bytes == text ? text : text + "end"));
  }
}

TEST_F(TextStreams, WhatCannotBeOpenedOrReadIsNamed) {
  EXPECT_NE(test::refusal([&] { TextStream stream(folder_ / "none"); }).find("cannot be opened"),
            std::string::npos);
  EXPECT_NE(test::refusal([&] { all_of(folder_ / "", 10); }).find("cannot be read"),
            std::string::npos);
}

}  // namespace
}  // namespace yupana::io
