#pragma once
// Sets of exhibits as JSON (docs/formats/exhibits.md), Markdown, CSV and plain text.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "darp/exhibit/exhibit.h"

namespace darp {

/// The file of a set in a study's folder.
inline constexpr std::string_view kExhibitFile = "exhibits.json";
/// What a file may have.
inline constexpr size_t kMostExhibitBytes = size_t{64} << 20;
/// Groups of boxes are numbers below it.
inline constexpr int kMostGroups = 1'000;

/// The same set gives the same text. NaN and infinite numbers become null, what is not UTF-8
/// becomes U+FFFD.
std::string exhibits_json(const ExhibitSet& set);
/// What exhibits_json gave, null as NaN. Throws Error for anything else, among it lists of unequal
/// lengths, names that are none or not different and files with folders; `where` names the text.
ExhibitSet parse_exhibits(std::string_view text, std::string_view where);
/// The same from a file, or from the kExhibitFile in a folder.
ExhibitSet read_exhibits(const std::filesystem::path& path);
/// Replaces the file, atomically. Throws Error for a set that could not be read again.
void write_exhibits(const std::filesystem::path& path, const ExhibitSet& set);

/// Tables as Markdown; figures by title and note, with the picture PREFIXNAME.svg unless there is
/// no prefix; facts at the end. Text is escaped: it shows as it reads and makes neither tags nor
/// links.
std::string exhibits_markdown(const ExhibitSet& set,
                              const std::optional<std::string>& picture_prefix = "svg/");
/// One exhibit's numbers, a line each, with a heading line (RFC 4180); empty for a video. A table's
/// column with intervals is followed by two with their ends; numbers that are none are empty.
std::string exhibit_csv(const Exhibit& exhibit);
/// A table for the terminal, aligned: title, heading, rows, note. The best are marked by '*'.
std::string exhibit_text(const ExhibitTable& table);

}  // namespace darp
