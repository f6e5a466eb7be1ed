#pragma once
// What a test wants to know of a failure: its message.

#include <functional>
#include <string>

#include "darp/core/error.h"

namespace darp {

/// The message of the Error that `call` throws, or "no error".
inline std::string error_of(const std::function<void()>& call) {
  try {
    call();
    return "no error";
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace darp

/// The message has this in it.
#define EXPECT_SAYS(message, part) EXPECT_NE((message).find(part), std::string::npos) << (message)
