#pragma once
// The settings that a search may change, as a file declares them, a line each:
//   policy.retrieval.k: log integer 10 400          # whole numbers, both ends included
//   policy.retrieval.ratio: uniform 0.05 1
//   policy.members: integer 1 4
//   train.optimizer.weight_decay: log 1e-6 0.3      # as likely between 1e-6 and 1e-5 as between
//   ... policy.network.hidden: choice [128,128,128] | [256,256,256]

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace darp {

struct SearchDimension {
  std::string path;  // of the setting, as --set takes it
  bool logarithmic = false, integer = false;
  double low = 0, high = 1;  // numbers
  std::vector<std::string> choices =
      {};  // or these values as they are; then low and high mean nothing

  /// As a file says it, without the path: "log integer 10 400".
  std::string text() const;
  /// The value at a place of [0, 1], each part of which stands for an equal part of the dimension:
  /// a number of four digits, or a place in `choices`.
  double value_at(double unit) const;
  /// Where in [0, 1] a value is: the middle of its part where values are few.
  double unit_of(double value) const;
  /// As --set takes it.
  std::string value_text(double value) const;
};

struct SearchSpace {
  std::vector<SearchDimension> dimensions;
};

/// What a file may have.
inline constexpr size_t kMostSearchDimensions = 256, kMostSearchChoices = 256;

/// Throws Error with file and line.
SearchSpace parse_search_space(std::string_view text, std::string_view where);
SearchSpace read_search_space(const std::filesystem::path& path);

/// A point of the space: one value per dimension.
using SearchPoint = std::vector<double>;
/// "a.b=c" for each dimension. The same point gives the same text.
std::vector<std::string> settings_at(const SearchSpace& space, const SearchPoint& point);

}  // namespace darp
