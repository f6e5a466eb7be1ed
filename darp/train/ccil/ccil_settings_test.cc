#include "darp/train/ccil/ccil_settings.h"

#include <gtest/gtest.h>

#include "darp/core/file.h"
#include "tests/error_of.h"

namespace darp {
namespace {

/// Everything that any choice brings along.
CcilSettings all_fields(LipschitzSettings::Kind kind) {
  CcilSettings settings;
  settings.labels = CcilSettings::Labels::kNoisyAction;
  settings.lipschitz.kind = kind;
  return settings;
}

TEST(CcilSettings, ReadBackAsTheyWereWritten) {
  CcilSettings settings = all_fields(LipschitzSettings::Kind::kSoftSampling);
  settings.draws = 7;
  settings.action_noise = 0.5;
  settings.max_distance = 4;
  settings.copies = 8;
  settings.dynamics = {{64}, 9, 100, 1e-4, 0};
  settings.lipschitz.constant = 3;
  settings.lipschitz.samples = 2;
  settings.lipschitz.noise = 0.1;
  settings.lipschitz.penalty = 0.2;
  settings.lipschitz.mode = LipschitzSettings::Mode::kCorrected;
  CcilSettings read;
  read_yaml(write_yaml(settings), "test.yaml", read);
  EXPECT_EQ(read, settings);
  EXPECT_EQ(write_yaml(CcilSettings{}).find("dynamics:"), std::string::npos);
}

TEST(CcilSettings, RefuseFieldsThatNothingWouldUse) {
  for (const std::string_view yaml :
       {"draws: 3", "{labels: backward_euler, draws: 3}",
        "{labels: backward_euler, lipschitz: {slack_weight: 2}}",
        "{labels: backward_euler, lipschitz: {kind: spectral, samples: 2}}"})
    EXPECT_SAYS(error_of([&] {
                  CcilSettings read;
                  read_yaml(yaml, "test.yaml", read);
                }),
                "test.yaml")
        << yaml;
}

TEST(CcilSettings, AreDocumentedAsTheyAre) {
  const MappedFile guide(DARP_SOURCE_DIR "/docs/training.md");
  std::string table = markdown_table(all_fields(LipschitzSettings::Kind::kSoftSampling));
  // What is chosen here is not what is usual.
  const auto replace = [&](std::string_view before, std::string_view after) {
    const size_t at = table.find(before);
    ASSERT_NE(at, std::string::npos) << table;
    table.replace(at, before.size(), after);
  };
  replace("| `noisy_action` |", "| `none` |");
  replace("| `soft_sampling` |", "| `none` |");
  EXPECT_NE(as_text(guide.bytes()).find(table), std::string::npos)
      << "put this into docs/training.md:\n"
      << table;
  const std::string slack = markdown_table(all_fields(LipschitzSettings::Kind::kSlack));
  const std::string_view row = std::string_view(slack).substr(slack.rfind("| `lipschitz"));
  EXPECT_NE(as_text(guide.bytes()).find(row), std::string::npos) << row;
}

}  // namespace
}  // namespace darp
