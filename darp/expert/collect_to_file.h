#pragma once
// From an expert to a file of demonstrations.

#include "darp/expert/collection_journal.h"

namespace darp {

/// The file to make.
struct FilePlan {
  std::filesystem::path out;
  StoredStates states = StoredStates::kEvery;
  /// `tried` is filled in.
  Provenance provenance;
};

/// Collects as collect() does, into the plan's file: the same bytes for any number of threads and
/// however often it was interrupted. Episodes go into the journal as they end; it is deleted once
/// the file is written. If the collection was stopped or an Error is thrown, the old file stays,
/// and so does the journal. Noise, choice and what is done come from the plan and the journal, not
/// from `options`. Throws Error as collect(). The journal is that of the plan's subject.
Collection collect_to_file(FilePlan& plan, CollectionJournal& journal,
                           const EnvironmentFactory& make_environment,
                           const ExpertFactory& make_expert, ThreadPool& pool,
                           CollectorOptions options = {});

}  // namespace darp
