#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>

#include "tests/support/folder.hpp"
#include "yupana/core/error.hpp"

namespace yupana::test {

/// The message of the Error that body() throws, which must have this code and be one line.
inline std::string refusal(const std::function<void()>& body,
                           ErrorCode code = ErrorCode::bad_input) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

/// The same, whose message has these words.
inline void expect_refusal(const std::function<void()>& body,
                           std::string_view words,
                           ErrorCode code = ErrorCode::bad_input) {
  const std::string message = refusal(body, code);
  EXPECT_NE(message.find(words), std::string::npos) << words << ": " << message;
}

}  // namespace yupana::test
