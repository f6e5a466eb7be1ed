#pragma once
// Fixed- and variable-length text of datasets and attributes: the same steps, another read call.

#include <hdf5.h>

#include <cstring>
#include <string>
#include <vector>

#include "darp/core/error.h"
#include "darp/core/utf8.h"
#include "darp/data/ingest/hdf5_handle.h"

namespace darp {

/// Reads all strings of a dataset or attribute; `read` is H5Dread or H5Aread bound to it.
template <class Read>
std::vector<std::string> read_hdf5_text(hid_t file_type, uint64_t count, const std::string& where,
                                        Read read) {
  std::vector<std::string> texts(count);
  Hdf5Handle type = own_hdf5(H5Tcopy(H5T_C_S1), where, "prepare to read text");
  if (H5Tis_variable_str(file_type) > 0) {
    H5Tset_size(type.id(), H5T_VARIABLE);
    H5Tset_cset(type.id(), H5Tget_cset(file_type));
    std::vector<char*> pointers(count, nullptr);
    if (read(type.id(), pointers.data()) < 0) throw_hdf5_error(where, "read text");
    for (uint64_t i = 0; i < count; ++i) {
      if (pointers[i] != nullptr) texts[i] = pointers[i];
      H5free_memory(pointers[i]);
    }
  } else {
    const size_t size = H5Tget_size(file_type);
    std::vector<char> buffer(size * count);
    if (read(file_type, buffer.data()) < 0) throw_hdf5_error(where, "read text");
    for (uint64_t i = 0; i < count; ++i)
      texts[i].assign(buffer.data() + i * size, strnlen(buffer.data() + i * size, size));
  }
  for (const std::string& text : texts)
    if (!is_valid_utf8(text))
      throw Error(where, "holds text that is not UTF-8",
                  "the file is truncated or damaged: copy or create it again");
  return texts;
}

}  // namespace darp
