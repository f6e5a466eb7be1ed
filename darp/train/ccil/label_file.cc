// Corrective labels as a file: safetensors with states and actions, under a key.

#include "darp/core/checked.h"
#include "darp/data/safetensors.h"
#include "darp/train/ccil/corrective_labels.h"

namespace darp {
namespace {

constexpr const char *kLabelKindKey = "darp.kind", *kLabelKind = "corrective labels",
                     *kLabelKey = "darp.key";

std::vector<float> packed_numbers(MatrixView rows) {
  std::vector<float> numbers;
  for (int64_t i = 0; i < rows.rows(); ++i)
    numbers.insert(numbers.end(), rows.row(i).begin(), rows.row(i).end());
  return numbers;
}

Matrix read_rows(const SafetensorsFile& file, std::string_view name, int64_t columns) {
  const TensorView& tensor = file.get(name);
  const std::span<const float> numbers = file.floats(name);
  if (tensor.shape.size() != 2 || tensor.shape[1] != static_cast<uint64_t>(columns))
    throw Error(file.where(), fmt::format("{} are not rows of {} numbers", name, columns),
                "delete it: it is made again");
  const auto rows = static_cast<int64_t>(tensor.shape[0]);
  return Matrix::copy_of(MatrixView(numbers.data(), rows, columns, columns));
}

}  // namespace

void write_labels(const std::filesystem::path& path, const CorrectiveLabels& labels,
                  const std::string& key) {
  const std::vector<float> states = packed_numbers(labels.states),
                           actions = packed_numbers(labels.actions);
  const auto rows = static_cast<uint64_t>(labels.rows());
  const auto view = [&](const char* name, const std::vector<float>& numbers, const Matrix& matrix) {
    return TensorView{name,
                      Dtype::kF32,
                      {rows, static_cast<uint64_t>(matrix.cols())},
                      std::as_bytes(std::span(numbers))};
  };
  const TensorView tensors[] = {view("states", states, labels.states),
                                view("actions", actions, labels.actions)};
  write_safetensors(path, {{kLabelKindKey, kLabelKind}, {kLabelKey, key}}, tensors);
}

CorrectiveLabels read_labels(const std::filesystem::path& path, std::string_view key,
                             int64_t state_dim, int64_t action_dim) {
  const SafetensorsFile file = SafetensorsFile::open(path, {.require_checksum = true});
  const auto says = [&](const char* name, std::string_view expected) {
    const auto found = file.metadata().find(name);
    return found != file.metadata().end() && found->second == expected;
  };
  if (!says(kLabelKindKey, kLabelKind) || !says(kLabelKey, key))
    throw Error(path.string(), "has no corrective labels of this run",
                "delete it: it is made again");
  CorrectiveLabels labels{read_rows(file, "states", state_dim),
                          read_rows(file, "actions", action_dim)};
  if (labels.states.rows() != labels.actions.rows())
    throw Error(path.string(), "has not as many actions as states", "delete it: it is made again");
  return labels;
}

}  // namespace darp
