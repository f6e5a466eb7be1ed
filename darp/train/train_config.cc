#include "darp/train/train_config.h"

namespace darp {
namespace {

void read_over_base(const std::filesystem::path& path, TrainConfig& config, int depth) {
  constexpr int kDeepest = 8;
  if (depth > kDeepest)
    throw Error(path.string(), "its base has a base and so on without end", "remove a base");
  const MappedFile file(path);
  const std::string_view text = as_text(file.bytes());
  const std::string base = text_in_yaml(text, path.string(), "base");
  if (!base.empty()) read_over_base(path.parent_path() / base, config, depth + 1);
  config.base = base;
  read_yaml(text, path.string(), config);
  config.base.clear();
}

}  // namespace

TrainConfig read_train_config(const std::filesystem::path& path) {
  TrainConfig config;
  read_over_base(path, config, 0);
  return config;
}

void TrainConfig::visit_fields(FieldVisitor& v) {
  if (!base.empty())
    v.field("base", base,
            "Another config, relative to this file, whose settings hold where this one says "
            "nothing.");
  v.field("data", data, "Demonstrations: a file or a folder.");
  v.group("reading", reading, "What is taken from them.");
  v.group("policy", policy, "What is learned.");
  v.group("train", train, "How it is learned.");
}

}  // namespace darp
