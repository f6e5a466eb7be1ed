#include "darp/data/column_statistics.h"

#include <algorithm>
#include <cmath>

namespace darp {

double ColumnStatistics::population_std() const {
  return std::sqrt(squared_deviations / static_cast<double>(rows));
}

double ColumnStatistics::sample_std() const {
  return rows < 2 ? 0.0 : std::sqrt(squared_deviations / static_cast<double>(rows - 1));
}

std::vector<ColumnStatistics> column_statistics(MatrixView values) {
  DARP_CHECK(values.rows() > 0, "statistics of no rows");
  std::vector<ColumnStatistics> columns(static_cast<size_t>(values.cols()));
  for (size_t j = 0; j < columns.size(); ++j) {
    columns[j].min = columns[j].max = values(0, static_cast<int64_t>(j));
    columns[j].rows = values.rows();
  }
  // Row by row: memory is read in the order in which it lies.
  for (int64_t i = 0; i < values.rows(); ++i) {
    const std::span<const float> row = values.row(i);
    for (size_t j = 0; j < row.size(); ++j) {
      columns[j].min = std::min<double>(columns[j].min, row[j]);
      columns[j].max = std::max<double>(columns[j].max, row[j]);
      columns[j].mean += row[j];
    }
  }
  for (ColumnStatistics& column : columns) column.mean /= static_cast<double>(values.rows());
  for (int64_t i = 0; i < values.rows(); ++i) {
    const std::span<const float> row = values.row(i);
    for (size_t j = 0; j < row.size(); ++j) {
      const double deviation = row[j] - columns[j].mean;
      columns[j].squared_deviations += deviation * deviation;
    }
  }
  return columns;
}

}  // namespace darp
