// Any bytes give an Error or a file that survives writing and reading bit for bit.

#include "darp/data/safetensors.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

namespace {

using darp::SafetensorsFile;

bool same_content(const SafetensorsFile& a, const SafetensorsFile& b) {
  return a.metadata() == b.metadata() &&
         std::ranges::equal(a.tensors(), b.tensors(),
                            [](const auto& x, const auto& y) { return darp::same_bits(x, y); });
}

/// Numbers beyond float and tensors of integers are errors; all else must convert.
void read_numbers(const SafetensorsFile& file, const darp::TensorView& tensor) {
  std::vector<float> copy;
  try {
    copy = file.read_floats(tensor.name);
  } catch (const darp::Error&) {
    DARP_CHECK(tensor.dtype != darp::Dtype::kF32, "F32 must be readable");
    return;
  }
  DARP_CHECK(copy.size() == tensor.elements(), "elements got lost");
  if (tensor.dtype != darp::Dtype::kF32) return;
  const auto view = file.floats(tensor.name);
  DARP_CHECK(std::ranges::equal(std::as_bytes(view), std::as_bytes(std::span(copy))),
             "the view and the copy differ");
}

void check_rewriting(const SafetensorsFile& file) {
  const auto written = darp::safetensors_bytes(file.metadata(), file.tensors());
  const auto again = SafetensorsFile::parse(written, "written", {.require_checksum = true});
  DARP_CHECK(same_content(file, again), "writing and reading changed the content");
  DARP_CHECK(darp::safetensors_bytes(again.metadata(), again.tensors()) == written,
             "writing twice gave different bytes");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const darp::Bytes bytes = std::as_bytes(std::span(data, size));
  try {
    const auto lenient = SafetensorsFile::parse(bytes, "lenient", {.allow_nonfinite = true});
    for (const darp::TensorView& tensor : lenient.tensors()) read_numbers(lenient, tensor);
  } catch (const darp::Error&) {
  }
  std::optional<SafetensorsFile> file;
  try {
    file = SafetensorsFile::parse(bytes, "input");
  } catch (const darp::Error&) {
    return 0;
  }
  check_rewriting(*file);
  return 0;
}
