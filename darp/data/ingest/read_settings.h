#pragma once
// What a user may say about how to read demonstrations. The same for every format; a setting that a
// format has no use for is refused by its reader, not ignored.

#include <cstdint>
#include <string>
#include <vector>

#include "darp/core/fields.h"

namespace darp {

struct ReadSettings {
  std::vector<std::string> observation_keys;
  std::string filter_key;
  int64_t episodes = 0;  // the first of what is left; 0: all
  int64_t max_episode_steps = 1000;
  bool keep_unfinished = false;

  void visit_fields(FieldVisitor& visitor);
};

}  // namespace darp
