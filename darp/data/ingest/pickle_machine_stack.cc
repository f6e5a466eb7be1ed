// The stack, the memo and the containers of the pickle machine.

#include "darp/data/ingest/pickle_machine.h"

namespace darp {

PickleValue* PickleMachine::top() const {
  if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) damaged("takes from an empty stack");
  return stack_.back();
}

PickleValue* PickleMachine::pop() {
  PickleValue* const value = top();
  stack_.pop_back();
  return value;
}

PickleItems PickleMachine::pop_some(size_t count) {
  PickleItems items(count);
  for (size_t i = count; i-- > 0;) items[i] = pop();
  return items;
}

PickleItems PickleMachine::pop_to_mark() {
  if (marks_.empty()) damaged("closes what was never opened");
  const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
  PickleItems items(begin, stack_.end());
  stack_.erase(begin, stack_.end());
  marks_.pop_back();
  return items;
}

void PickleMachine::push_tuple(PickleItems items) {
  if (items.empty())
    push(empty_tuple_);
  else
    push_new(PickleTuple{std::move(items)});
}

void PickleMachine::append(const PickleItems& items) {
  auto* list = top()->get<PickleList>();
  if (list == nullptr) damaged("appends to something that is not a list");
  list->items.insert(list->items.end(), items.begin(), items.end());
}

void PickleMachine::set_items(const PickleItems& items) {
  auto* dict = top()->get<PickleDict>();
  if (dict == nullptr) damaged("sets items of something that is not a dict");
  if (items.size() % 2 != 0) damaged("sets a dict's key without a value");
  for (size_t i = 0; i < items.size(); i += 2) {
    const PickleValue& key = *items[i];
    if (key.get<PickleList>() || key.get<PickleDict>() || key.array())
      damaged(fmt::format("has {} as the key of a dict", key.kind_name()));
    dict->entries.emplace_back(items[i], items[i + 1]);
  }
}

bool PickleMachine::run_container(PickleOpcode code) {
  switch (code) {
    case PickleOpcode::kMark:
      return marks_.push_back(stack_.size()), true;
    case PickleOpcode::kPop:
      // As Python does: with nothing above it, the mark itself goes.
      if (!marks_.empty() && marks_.back() == stack_.size()) return marks_.pop_back(), true;
      return pop(), true;
    case PickleOpcode::kPopMark:
      return pop_to_mark(), true;
    case PickleOpcode::kEmptyList:
      return push_new(PickleList{}), true;
    case PickleOpcode::kList:
      return push_new(PickleList{pop_to_mark()}), true;
    case PickleOpcode::kAppend:
      return append(pop_some(1)), true;
    case PickleOpcode::kAppends:
      return append(pop_to_mark()), true;
    case PickleOpcode::kEmptyTuple:
      return push_tuple({}), true;
    case PickleOpcode::kTuple:
      return push_tuple(pop_to_mark()), true;
    case PickleOpcode::kTuple1:
      return push_tuple(pop_some(1)), true;
    case PickleOpcode::kTuple2:
      return push_tuple(pop_some(2)), true;
    case PickleOpcode::kTuple3:
      return push_tuple(pop_some(3)), true;
    case PickleOpcode::kEmptyDict:
      return push_new(PickleDict{}), true;
    case PickleOpcode::kDict: {
      const PickleItems items = pop_to_mark();
      push_new(PickleDict{});
      return set_items(items), true;
    }
    case PickleOpcode::kSetItem:
      return set_items(pop_some(2)), true;
    case PickleOpcode::kSetItems:
      return set_items(pop_to_mark()), true;
    default:
      return false;
  }
}

void PickleMachine::memoize(uint64_t index) {
  // Writers count upward from 0 or 1, so a number beyond the bytes so far is made up, and would
  // make the memo larger than the file.
  if (index > position_) damaged("has a memo number that is too large");
  if (index >= memo_.size()) memo_.resize(static_cast<size_t>(index) + 1, nullptr);
  if (memo_[index] != nullptr) damaged("uses a memo number twice");
  memo_[index] = top();
}

bool PickleMachine::run_memo(PickleOpcode code) {
  const auto recall = [&](uint64_t index) {
    if (index >= memo_.size() || memo_[index] == nullptr)
      damaged("recalls a memo number that was never set");
    push(memo_[index]);
  };
  switch (code) {
    case PickleOpcode::kMemoize:
      return memoize(memo_.size()), true;
    case PickleOpcode::kPut:
      return memoize(take_index_line()), true;
    case PickleOpcode::kBinPut:
      return memoize(reader_.read<uint8_t>()), true;
    case PickleOpcode::kLongBinPut:
      return memoize(reader_.read<uint32_t>()), true;
    case PickleOpcode::kGet:
      return recall(take_index_line()), true;
    case PickleOpcode::kBinGet:
      return recall(reader_.read<uint8_t>()), true;
    case PickleOpcode::kLongBinGet:
      return recall(reader_.read<uint32_t>()), true;
    default:
      return false;
  }
}

}  // namespace darp
