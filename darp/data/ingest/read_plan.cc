#include "darp/data/ingest/read_plan.h"

#include <algorithm>

#include "darp/core/checked.h"

namespace darp {
namespace {

constexpr const char* kDamagedPlan =
    "the file is damaged, or changed while it was read: copy or create it again";

MutableMatrixView target_of(EpisodeAssembler& assembler, PlannedRead::Target target) {
  switch (target) {
    case PlannedRead::Target::kObservations:
      return assembler.all_columns();
    case PlannedRead::Target::kActions:
      return assembler.all_actions();
    case PlannedRead::Target::kRewards:
      return assembler.all_rewards();
  }
  return {};
}

/// The part of the dataset that a read fills, if it lies inside.
MutableMatrixView window(const PlannedRead& read, MutableMatrixView all,
                         const std::string& source) {
  const auto inside = [](int64_t first, int64_t count, int64_t size) {
    return first >= 0 && count >= 0 && first <= size && count <= size - first;
  };
  if (!inside(read.first_row, read.rows, all.rows()) ||
      !inside(read.first_col, read.width, all.cols()))
    throw Error(source, "has data outside of its episodes", kDamagedPlan);
  return all.rows_between(read.first_row, read.first_row + read.rows)
      .cols_between(read.first_col, read.first_col + read.width);
}

/// The bytes that a read takes, if they are there.
Bytes bytes_of(const PlannedRead& read, Bytes source_bytes, const std::string& source) {
  const uint64_t factors[] = {static_cast<uint64_t>(read.rows), static_cast<uint64_t>(read.width),
                              static_cast<uint64_t>(read.type.size)};
  const auto size = checked_product(factors);
  if (!size || read.offset > source_bytes.size() || *size > source_bytes.size() - read.offset)
    throw Error(source, "ends before its data do", kDamagedPlan);
  return source_bytes.subspan(read.offset, *size);
}

}  // namespace

Dataset carry_out(ReadPlan plan, Bytes file, Bytes staging, const Copied& copied) {
  constexpr int64_t kBlockBytes = 4 << 20;
  const std::string source = plan.assembler.source();
  plan.assembler.allocate(plan.with_rewards);
  uint64_t staging_end = 0, since_last_call = 0;
  for (const PlannedRead& read : plan.reads) {
    const MutableMatrixView out = window(read, target_of(plan.assembler, read.target), source);
    const Bytes bytes =
        bytes_of(read, read.source == PlannedRead::Source::kFile ? file : staging, source);
    // In blocks, so that what was copied can be given back before the rest is touched.
    const int64_t row_bytes = read.width * read.type.size,
                  block_rows = std::max<int64_t>(1, kBlockBytes / std::max<int64_t>(1, row_bytes));
    for (int64_t row = 0; row < read.rows; row += block_rows) {
      const int64_t end = std::min(read.rows, row + block_rows);
      const ArrayView block{read.type,
                            {static_cast<uint64_t>(end - row), static_cast<uint64_t>(read.width)},
                            false,
                            bytes.subspan(row * row_bytes, (end - row) * row_bytes)};
      read_floats(block, source, out.rows_between(row, end));
      if (read.source == PlannedRead::Source::kStaging)
        staging_end = read.offset + static_cast<uint64_t>(end * row_bytes);
      since_last_call += block.bytes.size();
      if (copied && since_last_call >= kBlockBytes) {
        copied(staging_end);
        since_last_call = 0;
      }
    }
  }
  return plan.assembler.finish();
}

}  // namespace darp
