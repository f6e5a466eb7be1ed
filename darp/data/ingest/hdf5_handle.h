#pragma once
// HDF5 identifiers that close by themselves, and the library's failures in our words. The library's
// own error stack never reaches the user, and its plug-ins, which would be code chosen by a file,
// are never loaded.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace darp {

/// Owns one HDF5 identifier (its hid_t, kept as a number so that few files see the library's
/// header).
class Hdf5Handle {
 public:
  using Close = int (*)(int64_t);
  Hdf5Handle(int64_t id, Close close) : id_(id), close_(close) {}
  ~Hdf5Handle() {
    if (id_ >= 0) close_(id_);
  }
  Hdf5Handle(Hdf5Handle&& other) noexcept
      : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&&) = delete;

  int64_t id() const { return id_; }

 private:
  int64_t id_;
  Close close_;
};

/// Switches off the printed error stack and the loading of plug-ins. Called before a file is
/// opened.
void silence_hdf5();

/// The innermost reason of the last failed library call.
std::string hdf5_reason();

/// Throws Error: "<where>: cannot <doing>: <the library's reason>".
[[noreturn]] void throw_hdf5_error(const std::string& where, std::string_view doing);

/// Wraps a fresh identifier, or throws as above. What kind of thing it is says how it is closed.
Hdf5Handle own_hdf5(int64_t id, const std::string& where, std::string_view doing);

}  // namespace darp
