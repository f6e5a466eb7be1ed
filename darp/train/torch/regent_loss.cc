#include "darp/policy/policy_parameters.h"
#include "darp/train/torch/graph_examples.h"
#include "darp/train/torch/graph_loss.h"
#include "darp/train/torch/graph_regent.h"

namespace darp {
namespace {

class RegentLoss final : public GraphLoss {
 public:
  RegentLoss(const PolicySpec& spec, const MemoryRows& memory, const Examples& examples,
             at::TensorOptions options)
      : spec_(*spec.as<RegentSpec>()),
        layout_(policy_parameters(spec, examples.states.cols(), memory.actions.cols())),
        examples_(memory, examples, options) {
    DARP_CHECK(examples_.has_neighbors(), "REGENT needs a table of neighbours");
    DARP_CHECK(memory.calibration.size() == 1, "{} numbers of calibration",
               memory.calibration.size());
    calibration_ = static_cast<double>(memory.calibration[0]);
  }

  at::Device device() const override { return examples_.device(); }
  int64_t parameter_count() const override { return layout_.count(); }

  at::Tensor operator()(const at::Tensor& flat, const QueryBatch& batch,
                        bool /*learning*/) const override {
    const at::Tensor rows = examples_.rows(batch);
    const at::Tensor places = regent_places(examples_.neighbors(batch, rows), examples_.mask(batch),
                                            spec_.retrieval.kept());
    const at::Tensor query = examples_.queries(batch, rows).unsqueeze(1);
    const RegentContext context{at::cat({gather_rows(examples_.states(), places), query}, 1),
                                gather_rows(examples_.actions(), places)};
    const at::Tensor answers =
        graph_regent(spec_, NamedTensors(layout_, flat), context, calibration_);
    const at::Tensor wanted = at::cat({context.actions, examples_.targets(rows).unsqueeze(1)}, 1);
    return at::mse_loss(answers, repeated(wanted, answers.size(2)));
  }

 private:
  RegentSpec spec_;
  ParameterLayout layout_;
  GraphExamples examples_;
  double calibration_ = 1;
};

}  // namespace

std::unique_ptr<GraphLoss> make_regent_loss(const PolicySpec& spec, const MemoryRows& memory,
                                            const Examples& examples, at::TensorOptions options) {
  return std::make_unique<RegentLoss>(spec, memory, examples, options);
}

}  // namespace darp
