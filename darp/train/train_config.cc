#include "darp/train/train_config.h"

namespace darp {

void TrainConfig::visit_fields(FieldVisitor& v) {
  v.field("data", data, "Demonstrations: a file or a folder.");
  v.group("reading", reading, "What is taken from them.");
  v.group("policy", policy, "What is learned.");
  v.group("train", train, "How it is learned.");
}

}  // namespace darp
