#include "darp/policy/make_retriever.h"
#include "darp/retrieval/retrieval_session.h"
#include "darp/train/torch/graph_examples.h"
#include "darp/train/torch/graph_regent.h"
#include "darp/train/torch/torch_answer.h"
#include "darp/train/torch/torch_edge.h"

namespace darp {
namespace {

class RegentAnswer final : public TorchAnswer {
 public:
  explicit RegentAnswer(std::shared_ptr<const PolicyArchive> archive)
      : archive_(std::move(archive)),
        spec_(*archive_->spec().as<RegentSpec>()),
        layout_(archive_->parameters()),
        standardized_(archive_->observations().apply(archive_->demonstrations().observations)),
        states_(to_tensor(standardized_, at::kFloat)),
        actions_(
            to_tensor(archive_->actions().apply(archive_->demonstrations().actions), at::kFloat)),
        session_(make_retriever(spec_.retrieval, archive_->observations(), standardized_,
                                archive_->demonstrations().episode_ends)) {}

  void reset(uint64_t seed) override { session_.reset(seed); }
  void see(std::span<const float> query) override {
    const Neighbors found = session_.push(query);
    const std::vector<int64_t> rows(found.rows.begin(), found.rows.end());
    const at::Tensor places =
        regent_places(to_tensor(rows, at::kCPU).unsqueeze(0), {}, spec_.retrieval.kept());
    const at::Tensor state = to_tensor(query, at::kCPU).view({1, 1, -1});
    context_ = {at::cat({gather_rows(states_, places), state}, 1), gather_rows(actions_, places)};
  }
  at::Tensor answer(int64_t member, Rng) override {
    const NamedTensors parameters(layout_, to_tensor(archive_->members()[member], at::kCPU));
    const at::Tensor all =
        graph_regent(spec_, parameters, context_, static_cast<double>(archive_->calibration()[0]));
    return all.select(1, -1).squeeze(0).narrow(0, 0, archive_->action_dim());
  }

 private:
  std::shared_ptr<const PolicyArchive> archive_;
  RegentSpec spec_;
  ParameterLayout layout_;
  Matrix standardized_;
  at::Tensor states_, actions_;  // standardised
  RetrievalSession session_;
  RegentContext context_;  // of the last step
};

}  // namespace

std::unique_ptr<TorchAnswer> make_regent_answer(std::shared_ptr<const PolicyArchive> archive) {
  return std::make_unique<RegentAnswer>(std::move(archive));
}

}  // namespace darp
