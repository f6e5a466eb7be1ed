// Any text as a set of exhibits: an Error, or one that is written the same after reading it again.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "darp/core/error.h"
#include "darp/exhibit/exhibit_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  darp::ExhibitSet set;
  try {
    set = darp::parse_exhibits(text, "fuzz.json");
  } catch (const darp::Error&) {
    return 0;
  }
  const std::string written = darp::exhibits_json(set);
  if (darp::exhibits_json(darp::parse_exhibits(written, "written.json")) != written) std::abort();
  darp::exhibits_markdown(set);
  for (const darp::Exhibit& exhibit : set.exhibits) {
    darp::exhibit_csv(exhibit);
    if (const auto* table = std::get_if<darp::ExhibitTable>(&exhibit)) darp::exhibit_text(*table);
  }
  return 0;
}
