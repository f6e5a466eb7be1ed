#include "darp/data/ingest/read_settings.h"

namespace darp {

void ReadSettings::visit_fields(FieldVisitor& v) {
  v.field("observation_keys", observation_keys,
          "Observation parts to read, in this column order; empty: the format's own default.");
  v.field("filter_key", filter_key,
          "Only the episodes of this filter (robomimic's mask/<key>, e.g. train); empty: all.");
  v.field("episodes", episodes, "Only the first so many of them; 0: all.", {.min = 0});
  v.field("max_episode_steps", max_episode_steps,
          "D4RL files without timeouts: an episode that does not end before ends after this many "
          "steps.",
          {.min = 1});
  v.field("keep_unfinished", keep_unfinished,
          "Episode ends by flags (D4RL, NPZ): keep the rows after the last end as an episode of "
          "their own instead of leaving them out.");
}

}  // namespace darp
