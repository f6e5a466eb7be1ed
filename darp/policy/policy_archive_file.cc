// Policies as files: docs/formats/policy.md, byte by byte.

#include <fmt/ranges.h>

#include <cstring>
#include <set>

#include "darp/policy/novelty.h"
#include "darp/policy/policy_archive.h"

namespace darp {
namespace {

constexpr std::string_view kKindKey = "darp.kind", kKind = "policy", kVersionKey = "darp.version",
                           kSpecKey = "darp.spec", kProvenance = "provenance.",
                           kEnds = "demonstrations.episode_ends",
                           kStates = "demonstrations.observations",
                           kActions = "demonstrations.actions",
                           kQuantiles = "demonstrations.distance_quantiles",
                           kCalibration = "calibration";
constexpr std::string_view kCreateAgain = "create the policy again";

std::string member_tensor(int64_t member, const Parameter& parameter) {
  return fmt::format("members.{}.{}", member, parameter.name);
}

/// Names the file in what the parts have to say.
template <class Call>
auto within(const std::string& where, const Call& call) {
  try {
    return call();
  } catch (const Error& error) {
    throw Error(where, error.what(), "");
  }
}

/// Takes the file apart; finish() refuses what nobody took.
class Reader {
 public:
  explicit Reader(const SafetensorsFile& file) : file_(file) {}

  PolicyContents read() {
    PolicyContents c;
    read_metadata(c);
    c.observations = normalizer("observations");
    c.actions = normalizer("actions");
    read_members(c);
    read_calibration(c);
    if (c.spec.retrieval() != nullptr) read_demonstrations(c);
    finish();
    return c;
  }

 private:
  /// The version comes first: another one may mean other things by all the rest.
  void read_metadata(PolicyContents& c) {
    std::string version = text(kVersionKey);
    if (version != std::to_string(PolicyArchive::kVersion))
      throw Error(file_.where(),
                  fmt::format("is version '{}' of the policy format, this program reads {}",
                              printable(version, 40), PolicyArchive::kVersion),
                  "use the version of darp that wrote it, or create the policy again");
    read_yaml(text(kSpecKey), fmt::format("{}: {}", file_.where(), kSpecKey), c.spec);
    within(file_.where(), [&] { c.spec.check(); });
    for (const auto& [key, value] : file_.metadata()) {
      if (key.starts_with(kProvenance))
        c.provenance.emplace(key.substr(kProvenance.size()), value);
      else if (key != kKindKey && key != kVersionKey && key != kSpecKey)
        throw Error(file_.where(),
                    fmt::format("has metadata '{}', which version {} does not have", key,
                                PolicyArchive::kVersion),
                    kCreateAgain);
    }
  }

  const std::string& text(std::string_view key) const {
    const auto found = file_.metadata().find(std::string(key));
    if (found == file_.metadata().end())
      throw Error(file_.where(), fmt::format("has no '{}' in its metadata", key), kCreateAgain);
    return found->second;
  }

  /// A tensor of this type and number of dimensions.
  const TensorView& tensor(std::string_view name, Dtype dtype, size_t dimensions) {
    const TensorView* pointer = file_.find(name);
    if (pointer == nullptr)
      throw Error(file_.where(), fmt::format("has no tensor '{}'", name), kCreateAgain);
    const TensorView& found = *pointer;
    if (found.dtype != dtype || found.shape.size() != dimensions)
      throw Error(file_.where(),
                  fmt::format("tensor '{}' is {} [{}], expected {} with {} dimensions", name,
                              dtype_name(found.dtype), fmt::join(found.shape, ", "),
                              dtype_name(dtype), dimensions),
                  kCreateAgain);
    taken_.insert(found.name);
    return found;
  }

  /// The numbers of an F32 tensor of this shape.
  std::span<const float> floats(std::string_view name, const std::vector<int64_t>& shape) {
    const TensorView& found = tensor(name, Dtype::kF32, shape.size());
    if (found.shape != std::vector<uint64_t>(shape.begin(), shape.end()))
      throw Error(file_.where(),
                  fmt::format("tensor '{}' has the shape [{}], expected [{}]", name,
                              fmt::join(found.shape, ", "), fmt::join(shape, ", ")),
                  kCreateAgain);
    return file_.floats(name);
  }

  Normalizer normalizer(const std::string& name) {
    const std::string offset_name = name + ".offset";
    const auto dim = static_cast<int64_t>(tensor(offset_name, Dtype::kF32, 1).shape[0]);
    const auto offset = floats(offset_name, {dim}), scale = floats(name + ".scale", {dim});
    return within(file_.where(), [&] {
      return Normalizer({offset.begin(), offset.end()}, {scale.begin(), scale.end()});
    });
  }

  void read_members(PolicyContents& c) {
    const int64_t observations = c.observations.dim(), actions = c.actions.dim();
    const std::vector<Parameter> parameters = policy_parameters(c.spec, observations, actions);
    for (int64_t m = 0; m < c.spec.members; ++m) {
      // All shapes before any memory: the settings may promise more than the file holds.
      std::vector<std::span<const float>> parts;
      for (const Parameter& p : parameters) parts.push_back(floats(member_tensor(m, p), p.shape));
      std::vector<float>& member = c.members.emplace_back();
      member.reserve(static_cast<size_t>(parameter_count(parameters)));
      for (const auto& part : parts) member.insert(member.end(), part.begin(), part.end());
    }
  }

  void read_calibration(PolicyContents& c) {
    const int64_t count = c.spec.calibration_count(c.observations.dim());
    if (count == 0) return;
    const auto numbers = floats(kCalibration, {count});
    c.calibration.assign(numbers.begin(), numbers.end());
  }

  void read_demonstrations(PolicyContents& c) {
    const TensorView& ends = tensor(kEnds, Dtype::kI64, 1);
    c.demonstrations.episode_ends.resize(ends.elements());
    std::memcpy(c.demonstrations.episode_ends.data(), ends.data.data(), ends.data.size());
    const auto rows = static_cast<int64_t>(tensor(kStates, Dtype::kF32, 2).shape[0]);
    c.demonstrations.observations = matrix(kStates, rows, c.observations.dim());
    c.demonstrations.actions = matrix(kActions, rows, c.actions.dim());
    const auto quantiles = floats(kQuantiles, {kDistanceQuantiles});
    c.distance_quantiles.assign(quantiles.begin(), quantiles.end());
  }

  Matrix matrix(std::string_view name, int64_t rows, int64_t dim) {
    // Without columns, rows would cost nothing and could be any number.
    if (dim == 0) throw Error(file_.where(), "has a normalizer without dimensions", kCreateAgain);
    return Matrix::copy_of({floats(name, {rows, dim}).data(), rows, dim, dim});
  }

  void finish() const {
    for (const TensorView& found : file_.tensors())
      if (!taken_.contains(found.name))
        throw Error(file_.where(),
                    fmt::format("has a tensor '{}', which such a policy does not have", found.name),
                    kCreateAgain);
  }

  const SafetensorsFile& file_;
  std::set<std::string, std::less<>> taken_;
};

/// A file before its bytes. Looks into the archive that it was made from.
struct FileForm {
  SafetensorsMetadata metadata;
  std::vector<TensorView> tensors;
  std::vector<std::vector<float>> packed;
};

template <class T>
void add(FileForm& form, std::string name, Dtype dtype, const std::vector<int64_t>& shape,
         std::span<const T> values) {
  form.tensors.push_back(
      {std::move(name), dtype, {shape.begin(), shape.end()}, std::as_bytes(values)});
}

void add_normalizer(FileForm& form, const std::string& name, const Normalizer& normalizer) {
  add(form, name + ".offset", Dtype::kF32, {normalizer.dim()}, normalizer.offset());
  add(form, name + ".scale", Dtype::kF32, {normalizer.dim()}, normalizer.scale());
}

void add_rows(FileForm& form, std::string_view name, MatrixView rows) {
  std::vector<float>& packed = form.packed.emplace_back();
  packed.reserve(static_cast<size_t>(rows.rows() * rows.cols()));
  for (int64_t i = 0; i < rows.rows(); ++i)
    packed.insert(packed.end(), rows.row(i).begin(), rows.row(i).end());
  add(form, std::string(name), Dtype::kF32, {rows.rows(), rows.cols()},
      std::span<const float>(packed));
}

FileForm file_form(const PolicyArchive& policy) {
  FileForm form;
  form.metadata = {{std::string(kKindKey), std::string(kKind)},
                   {std::string(kVersionKey), std::to_string(PolicyArchive::kVersion)},
                   {std::string(kSpecKey), write_yaml(policy.spec())}};
  for (const auto& [name, value] : policy.provenance())
    form.metadata.emplace(std::string(kProvenance) + name, value);
  // The largest elements first: all stay aligned.
  const DemonstrationRows& rows = policy.demonstrations();
  const bool retrieves = policy.spec().retrieval() != nullptr;
  if (retrieves)
    add(form, std::string(kEnds), Dtype::kI64, {std::ssize(rows.episode_ends)},
        std::span<const int64_t>(rows.episode_ends));
  add_normalizer(form, "observations", policy.observations());
  add_normalizer(form, "actions", policy.actions());
  for (int64_t m = 0; m < policy.spec().members; ++m)
    for (const Parameter& p : policy.parameters())
      add(form, member_tensor(m, p), Dtype::kF32, p.shape,
          std::span<const float>(policy.members()[m]).subspan(p.offset, p.size));
  if (!policy.calibration().empty())
    add(form, std::string(kCalibration), Dtype::kF32, {std::ssize(policy.calibration())},
        policy.calibration());
  if (retrieves) {
    add_rows(form, kStates, rows.observations);
    add_rows(form, kActions, rows.actions);
    add(form, std::string(kQuantiles), Dtype::kF32, {kDistanceQuantiles},
        policy.distance_quantiles());
  }
  return form;
}

}  // namespace

bool is_policy(const SafetensorsMetadata& metadata) {
  const auto found = metadata.find(std::string(kKindKey));
  return found != metadata.end() && found->second == kKind;
}

PolicyArchive PolicyArchive::from(const SafetensorsFile& file) {
  if (!is_policy(file.metadata()))
    throw Error(file.where(), "is not a policy",
                "darp info tells what it is; darp import-reference turns the paper's published "
                "networks into policies");
  PolicyContents contents = Reader(file).read();
  return within(file.where(), [&] { return PolicyArchive(std::move(contents)); });
}

PolicyArchive PolicyArchive::read(const std::filesystem::path& path) {
  const SafetensorsFile file = SafetensorsFile::open(path);
  // Other tools' files deserve to hear what they are not before what they lack.
  if (is_policy(file.metadata()) && file.checksum().empty())
    throw Error(path.string(), fmt::format("has no '{}' in its metadata", kSafetensorsChecksumKey),
                "another tool has written it anew: create the policy again");
  return from(file);
}

void PolicyArchive::write(const std::filesystem::path& path) const {
  const FileForm form = file_form(*this);
  write_safetensors(path, form.metadata, form.tensors);
}

std::vector<std::byte> PolicyArchive::bytes() const {
  const FileForm form = file_form(*this);
  return safetensors_bytes(form.metadata, form.tensors, "policy");
}

}  // namespace darp
