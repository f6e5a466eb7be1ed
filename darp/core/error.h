#pragma once
// How things fail. Three tools, one for each kind of wrong:
//   the world is wrong (a file, a setting, an argument)   -> throw darp::Error, while loading,
//   building or parsing the program is wrong                                   -> DARP_CHECK,
//   always on, aborts the control loop must go on                            -> noexcept and a
//   status, never an exception

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace darp {

/// One line for the user: where it went wrong, what is wrong, what to do about it. Names that come
/// from files are hostile: control bytes and invalid UTF-8 are shown as \xNN, so that a message can
/// neither fake lines nor drive a terminal.
class Error : public std::runtime_error {
 public:
  /// @param where  file and place inside it ("run.hdf5: /data/demo_3/actions"), or empty
  /// @param what   what is wrong ("holds 3 values, expected 4")
  /// @param remedy what to do ("convert it again from the original log"), or empty
  Error(std::string_view where, std::string_view what, std::string_view remedy);
};

/// An Error of a file or folder: it cannot be read, written or locked, or holds something else than
/// what belongs there. Whatever was being tried may well succeed once that is mended.
class FileError : public Error {
 public:
  using Error::Error;
};

/// Text made safe to print on one line (see Error); cut in the middle beyond `limit` bytes.
std::string printable(std::string_view text, size_t limit = 1000);

namespace internal {
[[noreturn]] void check_failed(const char* file, int line, const char* condition,
                               const std::string& message);
}  // namespace internal

}  // namespace darp

/// Aborts with place and message unless `condition` holds. Arguments after the condition are a fmt
/// format.
#define DARP_CHECK(condition, ...)                                                                \
  do {                                                                                            \
    if (!(condition)) [[unlikely]]                                                                \
      ::darp::internal::check_failed(__FILE__, __LINE__, #condition, ::fmt::format(__VA_ARGS__)); \
  } while (false)
