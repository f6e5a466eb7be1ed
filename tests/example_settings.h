#pragma once
// Settings of every kind, for tests of what reads, writes and lists settings.

#include <cstdint>
#include <string>
#include <vector>

#include "darp/core/fields.h"

namespace darp {

enum class Schedule { kConstant, kCosine, kOff };

struct OptimizerSettings {
  double rate = 1e-3;
  std::vector<double> betas = {0.9, 0.999};
  void visit_fields(FieldVisitor& v) {
    v.field("rate", rate, "Step size.", {.min = 0, .max = 10});
    v.field("betas", betas, "Decay of the moments.", {.min = 0, .max = 1});
  }
};

struct NoSettings {
  void visit_fields(FieldVisitor&) {}
};

struct TrainSettings {
  int64_t epochs = 100;
  bool shuffle = true;
  std::string name = "run";
  Schedule schedule = Schedule::kCosine;
  std::vector<int64_t> widths = {256, 256};
  std::vector<std::string> tags;
  OptimizerSettings optimizer;
  NoSettings nothing;
  void visit_fields(FieldVisitor& v) {
    v.field("epochs", epochs, "Passes over the data.", {.min = 1});
    v.field("shuffle", shuffle, "Whether steps come in random order.");
    v.field("name", name, "Name of the run.");
    v.choice(
        "schedule", schedule,
        {{"constant", Schedule::kConstant}, {"cosine", Schedule::kCosine}, {"off", Schedule::kOff}},
        "How the rate | step size changes.");
    v.field("widths", widths, "Units of each hidden layer.");
    v.field("tags", tags, "Words to find the run by.");
    v.group("optimizer", optimizer, "How weights are updated.");
    v.group("nothing", nothing, "Nothing to set.");
  }
};

struct Free {
  int64_t number = 0;
  double real = 0;
  bool flag = false;
  std::string text;
  std::vector<std::string> texts;
  std::vector<double> reals;
  std::vector<int64_t> numbers;
  void visit_fields(FieldVisitor& v) {
    v.field("number", number, "An integer.");
    v.field("real", real, "A number.");
    v.field("flag", flag, "A switch.");
    v.field("text", text, "Text.");
    v.field("texts", texts, "Texts.");
    v.field("reals", reals, "Numbers.");
    v.field("numbers", numbers, "Integers.");
  }
};

}  // namespace darp
