#pragma once
// Evaluations as JSON: docs/formats/evaluation.md.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "darp/eval/evaluation.h"

namespace darp {

/// What a file may have.
inline constexpr size_t kMostEvaluationBytes = size_t{64} << 20, kMostEvaluations = 1'000;

/// One policy: an object. Several, of the same environment, settings and seeds: {"evaluations":
/// [...], "over_policies": {...}}. The same evaluations give the same text. Throws Error for what
/// check_evaluation or summarize_policies refuses. `evaluations` is not empty.
std::string evaluations_json(std::span<const Evaluation> evaluations);
/// Replaces the file, atomically. Throws Error for more than a file may have.
void write_evaluations(const std::filesystem::path& path, std::span<const Evaluation> evaluations);

/// Reads what evaluations_json gave, bit for bit (text that was not UTF-8 has changed). Throws
/// Error for anything else; `where` names the text. Summaries are not read but computed anew, and
/// may be missing.
std::vector<Evaluation> parse_evaluations(std::string_view text, std::string_view where);
/// The same from a file.
std::vector<Evaluation> read_evaluations(const std::filesystem::path& path);

}  // namespace darp
