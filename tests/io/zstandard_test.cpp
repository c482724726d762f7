// Zstandard files, read as the text that they hold.
#include <gtest/gtest.h>
#include <zstd.h>

#include <string>
#include <string_view>

#include "tests/support/folder.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/core/random.hpp"
#include "yupana/io/input_file.hpp"
#include "yupana/io/line_reader.hpp"

namespace yupana::io {
namespace {

using test::refusal;

std::string frame(std::string_view text, int level = 3, int window = 0) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window);
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  std::string packed(ZSTD_compressBound(text.size()) + 100, '\0');
  ZSTD_outBuffer out{packed.data(), packed.size(), 0};
  ZSTD_inBuffer in{text.data(), text.size() / 2, 0};
  ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush);
  in.size = text.size();
  EXPECT_EQ(ZSTD_compressStream2(context, &out, &in, ZSTD_e_end), 0u);
  ZSTD_freeCCtx(context);
  packed.resize(out.pos);
  return packed;
}

std::string some_text(std::uint64_t seed, std::size_t size) {
  const Random random(seed);
  std::string text;
  for (std::uint64_t i = 0; text.size() < size; ++i) {
    text += fmt::format("1\t{}\trs{}\tA\tC\n", i, random.word(i) % 1000);
  }
  text.resize(size);
  return text;
}

class ZstandardTest : public testing::Test {
 protected:
  std::string read(const std::string& bytes, std::int64_t most = 1000) {
    TextStream stream(folder_.put("x.zst", bytes));
    std::string text, piece(static_cast<std::size_t>(most), '\0');
    while (const std::int64_t got = stream.read(piece.data(), most)) {
      text.append(piece, 0, static_cast<std::size_t>(got));
    }
    EXPECT_EQ(stream.read(piece.data(), most), 0) << "the end stays the end";
    return text;
  }
  test::Folder folder_;
};

TEST_F(ZstandardTest, FramesOfAnySizeAreOneText) {
  std::string text, packed;
  for (const std::size_t size : {0, 1, 100, 0, 300'000, 7, 1'000'000}) {
    const std::string part = some_text(size, size);
    text += part;
    packed += frame(part, static_cast<int>(1 + size % 19));
  }
  for (const std::int64_t most : {4, 77, 4096, 1 << 20}) EXPECT_TRUE(read(packed, most) == text);
  EXPECT_EQ(read(frame("")), "");
}

TEST_F(ZstandardTest, LinesAreRead) {
  LineReader reader(folder_.put("x.pvar.zst", frame("a b\n\nc\r\nd")));
  std::string lines;
  for (std::string_view line; reader.next(line);) lines.append(line) += '|';
  EXPECT_EQ(lines, "a b||c|d|");
}

TEST_F(ZstandardTest, EveryCutIsRefusedUnlessItIsBetweenFrames) {
  const std::string first = frame(some_text(1, 300)), whole = first + frame(some_text(2, 200));
  for (std::size_t cut = 4; cut < whole.size(); ++cut) {
    if (cut == first.size()) continue;
    test::expect_refusal([&] { read(whole.substr(0, cut)); }, "x.zst: damaged Zstandard file");
  }
}

TEST_F(ZstandardTest, WhatFollowsTheEndIsRefused) {
  const std::string whole = frame(some_text(3, 500));
  refusal([&] { read(whole + "more text"); });
  refusal([&] { read(whole + std::string(8, '\0')); });
}

TEST_F(ZstandardTest, AChangedByteIsRefusedOrLeavesTheText) {
  const std::string text = some_text(4, 2000), whole = frame(text);
  int refused = 0;
  for (std::size_t at = 4; at < whole.size(); ++at) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    try {
      EXPECT_TRUE(read(bytes) == text) << at;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
}

TEST_F(ZstandardTest, ASmallFileAsksForNoLargeWindow) {
  EXPECT_EQ(read(frame("a\nb\n", 3, 23)), "a\nb\n");
  test::expect_refusal([&] { read(frame("a\nb\n", 3, 27)); }, "memory");
}

}  // namespace
}  // namespace yupana::io
