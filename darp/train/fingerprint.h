#pragma once
// What a run was started with, as text: the resolved settings as write_yaml gives them and lines
// such as "data: <hash>". A run may only go on with the same text.

#include <string>
#include <string_view>

namespace darp {

/// "train.batch was 32, is 64; ..." for two such texts: their first differences by the path of the
/// setting, then how many more there are. Comments do not count. Empty if nothing differs.
std::string fingerprint_changes(std::string_view before, std::string_view now);

}  // namespace darp
