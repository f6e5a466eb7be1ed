#include "darp/expert/collect_to_file.h"

namespace darp {

Collection collect_to_file(FilePlan& plan, CollectionJournal& journal,
                           const EnvironmentFactory& make_environment,
                           const ExpertFactory& make_expert, ThreadPool& pool,
                           CollectorOptions options) {
  options.noise = plan.provenance.subject.noise;
  options.done = journal.records();
  options.on_episode = [&](const Demonstration& made) { journal.append(made); };
  const Collection collection =
      collect(make_environment, make_expert, plan.provenance.choice, pool, options);
  if (!collection.complete) return collection;

  DemonstrationWriter writer(plan.out, make_environment()->info(), plan.states);
  for (const EpisodeRecord& record : collection.kept) writer.add(journal.read(record.seed));
  plan.provenance.tried = static_cast<int64_t>(collection.tried.size());
  writer.finish(plan.provenance);
  journal.remove();
  return collection;
}

}  // namespace darp
