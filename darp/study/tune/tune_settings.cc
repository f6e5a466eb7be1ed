#include "darp/study/tune/tune_settings.h"

#include <algorithm>

namespace darp {

void TuneSettings::visit_fields(FieldVisitor& v) {
  v.choice("objective", objective,
           {{"return", Objective::kReturn}, {"validation", Objective::kValidation}},
           "What is to be high: the mean return on search seeds, or minus the validation loss.");
  v.field("trials", trials, "Settings that are tried.", {.min = 1, .max = 100'000});
  v.field("episodes", episodes, "Search episodes of a trial at the last rung.",
          {.min = 1, .max = 100'000});
  v.field("rungs", rungs, "Lengths of training: the first is the shortest; 1: all are full.",
          {.min = 1, .max = 10});
  v.field("reduction", reduction,
          "Each rung has so many times the epochs and episodes of the one before, and takes the "
          "best 1/reduction of its trials.",
          {.min = 2, .max = 100});
  v.field("startup", startup, "Trials spread evenly before anything is concluded from others.",
          {.min = 1, .max = 10'000});
  v.field("seed", seed, "Of the proposals.", {.min = 0});
}

void TuneSettings::check() const {
  // Reading what was written checks the bounds.
  TuneSettings read;
  read_yaml(write_yaml(*this), "search", read);
}

int64_t TuneSettings::scaled(int64_t full, int64_t rung) const {
  int64_t left = full;
  for (int64_t r = rung; r + 1 < rungs; ++r) left = (left + reduction - 1) / reduction;
  return std::max<int64_t>(left, 1);
}

}  // namespace darp
