#include "darp/data/ingest/hdf5_handle.h"

#include <hdf5.h>

#include "darp/core/error.h"

namespace darp {
namespace {

/// One closer for all kinds: an identifier knows what it is. Files close whatever is still open in
/// them.
int close_identifier(int64_t id) {
  switch (H5Iget_type(id)) {
    case H5I_FILE:
      return H5Fclose(id);
    case H5I_GROUP:
    case H5I_DATASET:
      return H5Oclose(id);
    case H5I_DATATYPE:
      return H5Tclose(id);
    case H5I_DATASPACE:
      return H5Sclose(id);
    case H5I_ATTR:
      return H5Aclose(id);
    case H5I_GENPROP_LST:
      return H5Pclose(id);
    default:
      return H5Idec_ref(id);
  }
}

}  // namespace

void silence_hdf5() {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  H5PLset_loading_state(0);
}

std::string hdf5_reason() {
  // The walk goes from the failed call inwards; the last description is the cause.
  std::string reason = "unknown reason";
  const auto keep = [](unsigned, const H5E_error2_t* error, void* out) -> herr_t {
    if (error->desc != nullptr && *error->desc != '\0')
      *static_cast<std::string*>(out) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep, &reason);
  return reason;
}

void throw_hdf5_error(const std::string& where, std::string_view doing) {
  throw Error(where, fmt::format("cannot {}: {}", doing, hdf5_reason()),
              "the file is truncated or damaged: copy or create it again");
}

Hdf5Handle own_hdf5(int64_t id, const std::string& where, std::string_view doing) {
  if (id < 0) throw_hdf5_error(where, doing);
  return {id, close_identifier};
}

}  // namespace darp
