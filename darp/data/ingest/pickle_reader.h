#pragma once
// Demonstrations as a Python pickle: a list of dicts {"observations": (T, D), "actions": (T, A)}
// with float arrays, optionally "rewards": (T,). Other keys are ignored. Nothing is executed.

#include <filesystem>
#include <string>

#include "darp/core/bytes.h"
#include "darp/data/dataset.h"
#include "darp/data/ingest/read_settings.h"

namespace darp {

/// Episodes are named demo_0, demo_1, ... in the order of the list; the one observation part is
/// "observation". Rewards are kept when all episodes have them. Throws Error that names file,
/// episode and key. Settings that this format has no use for are an Error.
Dataset read_pickle(const std::filesystem::path& path, const ReadSettings& settings);
/// The same from memory; `source` names it in messages.
Dataset read_pickle(Bytes bytes, const std::string& source, const ReadSettings& settings);

}  // namespace darp
