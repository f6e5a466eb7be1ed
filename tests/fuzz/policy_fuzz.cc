// Any bytes give an Error or a policy that survives writing and reading bit for bit. The corpus has
// no checksums: nothing that is changed would get past one.

#include <optional>
#include <span>

#include "darp/policy/import_reference.h"
#include "tests/random_dataset.h"
#include "tests/random_policy.h"

namespace {

using darp::PolicyArchive;
using darp::SafetensorsFile;

void check_rewriting(const PolicyArchive& policy) {
  const auto written = policy.bytes();
  const auto file = SafetensorsFile::parse(written, "written", {.require_checksum = true});
  const PolicyArchive again = PolicyArchive::from(file);
  DARP_CHECK(identical(policy, again), "writing and reading changed the policy");
  DARP_CHECK(again.bytes() == written, "writing twice gave different bytes");
}

/// What the call gives, unless it is an Error.
template <class Call>
std::optional<PolicyArchive> attempt(const Call& call) {
  try {
    return call();
  } catch (const darp::Error&) {
    return std::nullopt;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const darp::Dataset demonstrations = darp::random_dataset(1);
  std::optional<SafetensorsFile> file;
  try {
    file = SafetensorsFile::parse(std::as_bytes(std::span(data, size)), "input");
  } catch (const darp::Error&) {
    return 0;
  }
  // The bytes may be a policy, or one of the paper's networks.
  if (const auto policy = attempt([&] { return PolicyArchive::from(*file); }))
    check_rewriting(*policy);
  if (const auto policy =
          attempt([&] { return PolicyArchive(darp::import_reference(*file, demonstrations)); }))
    check_rewriting(*policy);
  return 0;
}
