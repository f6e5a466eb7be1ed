// Any bytes as a pickle: a dataset or an Error, never more.

#include <cstddef>
#include <cstdint>
#include <span>

#include "darp/data/ingest/pickle_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    darp::read_pickle(std::as_bytes(std::span(data, size)), "fuzz.pkl", {});
  } catch (const darp::Error&) {
  }
  return 0;
}
