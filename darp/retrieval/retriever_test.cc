#include "darp/retrieval/retriever.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/error_of.h"

namespace darp {
namespace {

Matrix ramp(int64_t rows) {
  Matrix m = Matrix::zeros(rows, 2);
  for (int64_t i = 0; i < rows; ++i) m(i, 0) = static_cast<float>(i);
  return m;
}

std::string error_with(const std::function<void(RetrievalSettings&)>& change) {
  RetrievalSettings settings;
  settings.k = 3;
  change(settings);
  return error_of([&] { Retriever(ramp(10), {4, 10}, settings); });
}

using S = RetrievalSettings;

TEST(Retriever, SaysWhatToChangeAboutSettingsThatCannotWork) {
  EXPECT_EQ(error_with([](S&) {}), "no error");
  EXPECT_EQ(error_with([](S& s) { s.k = 11; }),
            "retrieval.k: is 11, but 9 of 10 rows are usable; choose 1 to 9");
  EXPECT_EQ(error_with([](S& s) {
              s.k = 7;
              s.exclude = S::Exclude::kEpisode;
            }),
            "retrieval.k: is 7, but 6 of 10 rows are usable; choose 1 to 6");
  EXPECT_EQ(error_with([](S& s) { s.k = 0; }),
            "retrieval.k: is 0, but 9 of 10 rows are usable; choose 1 to 9");
  EXPECT_EQ(error_with([](S& s) { s.history.lookback = 0; }),
            "history.lookback: is 0; 1 compares only the present; at most 10,000");
  EXPECT_EQ(error_with([](S& s) { s.history.rate = -1; }),
            "history.rate: is -1 with exponential decay; e^(-rate n) needs a rate of at least 0");
  EXPECT_EQ(error_with([](S& s) {
              s.history.decay = HistorySettings::Decay::kPower;
              s.history.rate = 0.5;
            }),
            "history.rate: is 0.5 with power decay; (n + 1)^rate needs a rate of at most 0");
  EXPECT_EQ(
      error_with([](S& s) { s.ratio = 0.5; }),
      "retrieval.ratio: means nothing with scope all; leave it at 1 and choose k, or use scope "
      "candidates");
  EXPECT_EQ(error_with([](S& s) {
              s.scope = S::Scope::kCandidates;
              s.ratio = 0.3;
            }),
            "retrieval.ratio: keeps floor(3 x 0.3) = 0 neighbours; raise ratio or k");
  EXPECT_EQ(error_with([](S& s) { s.ratio = 0; }), "retrieval.ratio: is 0; choose above 0 up to 1");
  EXPECT_EQ(error_with([](S& s) { s.stride = 0; }), "retrieval.stride: is 0; choose 1 or more");
  EXPECT_EQ(error_with([](S& s) { s.index = S::Index::kHnsw; }),
            "retrieval.index: hnsw finds candidates, and scope all ranks every row; use scope "
            "candidates or the exact index");
}

TEST(Retriever, NamesTheRowThatCannotBeCompared) {
  Matrix rows = ramp(10);
  rows(7, 1) = NAN;
  RetrievalSettings settings;
  settings.k = 3;
  EXPECT_EQ(error_of([&] { Retriever(rows, {10}, settings); }),
            "row 7: contains NaN or infinity; mend or leave out the row, or normalise the data");
  EXPECT_EQ(error_of([&] { Retriever(Matrix::zeros(0, 2), {}, settings); }),
            "retrieval: there are no rows to retrieve; give at least one episode");
}

TEST(Retriever, HasAKeyThatFollowsDataEpisodesAndSettings) {
  RetrievalSettings settings;
  settings.k = 3;
  const std::string key = Retriever(ramp(10), {4, 10}, settings).key();
  EXPECT_EQ(key, Retriever(ramp(10), {4, 10}, settings).key());
  EXPECT_NE(key, Retriever(ramp(10), {5, 10}, settings).key());
  Matrix other = ramp(10);
  other(3, 1) = 1e-20f;
  EXPECT_NE(key, Retriever(other, {4, 10}, settings).key());
  settings.history.rate = 0.2;
  EXPECT_NE(key, Retriever(ramp(10), {4, 10}, settings).key());
}

TEST(Retriever, LeavesOutHalfOfTheOnlyEpisode) {
  RetrievalSettings settings;
  settings.exclude = S::Exclude::kEpisode;
  using Range = std::vector<int64_t>;
  const auto excluded = [&](const Range& ends, int64_t row) {
    settings.k = 1;
    const RowRange range = Retriever(ramp(ends.back()), ends, settings).excluded_for(row);
    return std::vector{range.begin, range.end};
  };
  EXPECT_EQ(excluded({4, 10}, 3), (Range{0, 4}));
  EXPECT_EQ(excluded({4, 10}, 4), (Range{4, 10}));
  for (const int64_t row : {0, 4}) EXPECT_EQ(excluded({10}, row), (Range{0, 5}));
  for (const int64_t row : {5, 9}) EXPECT_EQ(excluded({10}, row), (Range{5, 10}));
  EXPECT_EQ(excluded({7}, 2), (Range{0, 3}));
  EXPECT_EQ(excluded({7}, 3), (Range{3, 7}));

  // As many as the better half can find.
  settings.k = 5;
  EXPECT_EQ(error_of([&] { Retriever(ramp(7), {7}, settings); }),
            "retrieval.k: is 5, but 4 of 7 rows are usable; choose 1 to 4");
  settings.k = 1;
  EXPECT_EQ(error_of([&] { Retriever(ramp(1), {1}, settings); }),
            "retrieval.k: is 1, but 0 of 1 rows are usable; add demonstrations or exclude less");
}

TEST(Retriever, KeepsWhatThePublishedCodeKeeps) {
  RetrievalSettings settings;
  settings.scope = S::Scope::kCandidates;
  settings.k = 246;
  settings.ratio = 0.593485269170173;
  EXPECT_EQ(settings.kept(), 145);
  settings.k = 474;
  settings.ratio = 0.11812910488908131;
  EXPECT_EQ(settings.kept(), 55);
}

TEST(RetrievalSettings, AreDocumentedAsTheyAre) {
  const MappedFile guide(DARP_SOURCE_DIR "/docs/retrieval.md");
  EXPECT_NE(as_text(guide.bytes()).find(markdown_table(RetrievalSettings{})), std::string::npos)
      << "put this into docs/retrieval.md:\n"
      << markdown_table(RetrievalSettings{});
}

TEST(RetrievalSettings, SurviveYaml) {
  RetrievalSettings settings;
  settings.scope = S::Scope::kCandidates;
  settings.metric.periods = {0, 6.25};
  settings.history.renormalize = true;
  RetrievalSettings back;
  read_yaml(write_yaml(settings), "test", back);
  EXPECT_EQ(back, settings);
}

}  // namespace
}  // namespace darp
