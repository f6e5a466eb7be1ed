#include "darp/study/analysis/kept_numbers.h"

#include "darp/study/analysis/kept_json.h"

namespace darp {
namespace {

nlohmann::ordered_json named_lists_json(const NamedNumbers& numbers) {
  nlohmann::ordered_json lists = nlohmann::ordered_json::array();
  for (const auto& [name, list] : numbers) lists.push_back({{"name", name}, {"numbers", list}});
  return lists;
}

NamedNumbers named_lists_of(const JsonPlace& lists) {
  NamedNumbers numbers;
  for (size_t i = 0; i < lists.size(); ++i)
    numbers[lists.item(i).member("name").text()] = numbers_of(lists.item(i).member("numbers"));
  return numbers;
}

}  // namespace

NamedNumbers kept_numbers(const std::filesystem::path& file, const std::string& key,
                          const std::function<NamedNumbers()>& make) {
  return kept(file, key, make, named_lists_json, named_lists_of);
}

}  // namespace darp
