// Any text as an evaluation: an Error, or one that survives writing and reading.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "darp/core/error.h"
#include "darp/eval/evaluation_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<darp::Evaluation> evaluations;
  try {
    evaluations = darp::parse_evaluations(text, "fuzz.json");
  } catch (const darp::Error&) {
    return 0;
  }
  // Writing summarizes, which takes long for many episodes.
  for (const darp::Evaluation& evaluation : evaluations)
    if (evaluation.records.size() > 8) return 0;
  const std::string written = darp::evaluations_json(evaluations);
  const auto again = darp::parse_evaluations(written, "written.json");
  if (again.size() != evaluations.size()) std::abort();
  for (size_t i = 0; i < again.size(); ++i)
    if (!(again[i].subject == evaluations[i].subject) ||
        !(again[i].records == evaluations[i].records))
      std::abort();
  return 0;
}
