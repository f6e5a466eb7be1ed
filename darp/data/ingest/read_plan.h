#pragma once
// What a reader found in a file, and where the numbers lie: all that is needed to fill a dataset
// without asking the reader's library again. HDF5 files are looked through in a process of their
// own (isolated_read.h); only this plan crosses over, and it is checked before it is carried out.

#include <functional>
#include <string>
#include <vector>

#include "darp/core/bytes.h"
#include "darp/data/ingest/array.h"
#include "darp/data/ingest/episode_assembler.h"

namespace darp {

/// One array to be copied into columns and rows of the dataset.
struct PlannedRead {
  enum class Target : uint8_t { kObservations, kActions, kRewards };
  enum class Source : uint8_t {
    kFile,
    kStaging
  };  // the file itself, or what the reader had to unpack

  Target target = Target::kObservations;
  Source source = Source::kFile;
  ElementType type;                      // of the stored numbers, row after row
  uint64_t offset = 0;                   // in bytes, into the source
  int64_t rows = 0, width = 0;           // of the array
  int64_t first_row = 0, first_col = 0;  // in the dataset
};

struct ReadPlan {
  std::string format;
  EpisodeAssembler assembler;  // everything declared, nothing allocated
  bool with_rewards = false;
  std::vector<PlannedRead> reads;
};

/// Called every few MiB: what was copied so far, from the file and from the staging area before
/// `staging_end`, is not needed again.
using Copied = std::function<void(uint64_t staging_end)>;

/// Allocates, copies and checks. Throws Error, naming the plan's source, if a read lies outside of
/// `file`, `staging` or the dataset.
Dataset carry_out(ReadPlan plan, Bytes file, Bytes staging, const Copied& copied = {});

void encode_plan(ByteWriter& out, const ReadPlan& plan);
/// Bounds-checked: throws Error for bytes that encode_plan did not write.
ReadPlan decode_plan(ByteReader& in, const std::string& source);

}  // namespace darp
