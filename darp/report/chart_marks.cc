#include "darp/report/chart_marks.h"

#include <algorithm>

namespace darp {
namespace {

constexpr std::string_view kMarkColor = "#444", kMarkDashes = "6 3";
constexpr size_t kAboveColumns = 48, kBesideColumns = 36;
constexpr double kMarkRow = 16, kLeastGap = 14;
/// Words beyond are left out; their lines are not.
constexpr int kMostRows = 8;

std::string words_above(const ChartMark& mark) {
  return shortened(mark.text, kAboveColumns);
}

std::string words_beside(const ChartMark& mark) {
  return shortened(mark.text, kBesideColumns);
}

}  // namespace

ChartMarks::ChartMarks(const std::vector<ChartMark>& marks, AxisScale x, AxisScale y) {
  for (const ChartMark& mark : marks)
    if (can_draw(mark.at, mark.horizontal ? y : x))
      (mark.horizontal ? horizontal_ : vertical_).push_back(mark);
  const auto by_place = [](const ChartMark& a, const ChartMark& b) { return a.at < b.at; };
  std::stable_sort(vertical_.begin(), vertical_.end(), by_place);
  // From top to bottom.
  std::stable_sort(horizontal_.begin(), horizontal_.end(),
                   [](const ChartMark& a, const ChartMark& b) { return a.at > b.at; });
}

std::vector<double> ChartMarks::values(bool of_x) const {
  std::vector<double> values;
  for (const ChartMark& mark : of_x ? vertical_ : horizontal_) values.push_back(mark.at);
  return values;
}

double ChartMarks::right_margin() const {
  double widest = 0;
  for (const ChartMark& mark : horizontal_)
    widest = std::max(widest, text_width(words_beside(mark), kTickSize) + 8);
  return widest;
}

double ChartMarks::lay_out(const Axis& x, double left, double right) {
  above_.assign(vertical_.size(), {});
  // Where the words of each row begin so far: from right to left, so that no line goes through the
  // words of another.
  std::vector<double> begins;
  for (size_t i = vertical_.size(); i-- > 0;) {
    const double width = text_width(words_above(vertical_[i]), kTickSize);
    const double at = left + x.position(vertical_[i].at) * (right - left);
    above_[i].start = std::max(left, std::min(at - 4, right - width));
    if (width == 0) continue;
    const auto free = std::find_if(begins.begin(), begins.end(), [&](double begin) {
      return above_[i].start + width + 10 <= begin;
    });
    above_[i].row = static_cast<int>(free - begins.begin());
    if (free == begins.end()) begins.push_back(0);
    begins[static_cast<size_t>(above_[i].row)] = above_[i].start;
  }
  return kMarkRow * std::min(static_cast<double>(begins.size()), static_cast<double>(kMostRows));
}

void ChartMarks::draw(SvgCanvas& canvas, const PlotArea& area) const {
  draw_vertical(canvas, area);
  draw_horizontal(canvas, area);
}

void ChartMarks::draw_vertical(SvgCanvas& canvas, const PlotArea& area) const {
  for (size_t i = 0; i < vertical_.size(); ++i) {
    const double x = area.pixel_x(vertical_[i].at);
    const int row = std::min(above_[i].row, kMostRows);
    canvas.line({x, area.top - 2 - kMarkRow * row}, {x, area.bottom}, kMarkColor, 1.25,
                kMarkDashes);
  }
  for (size_t i = 0; i < vertical_.size(); ++i)
    if (above_[i].row < kMostRows)
      canvas.text({above_[i].start, area.top - 6 - kMarkRow * above_[i].row},
                  words_above(vertical_[i]), {.size = kTickSize, .halo = true});
}

void ChartMarks::draw_horizontal(SvgCanvas& canvas, const PlotArea& area) const {
  std::vector<double> places;
  for (const ChartMark& mark : horizontal_) {
    const double y = area.pixel_y(mark.at);
    canvas.line({area.left, y}, {area.right, y}, kMarkColor, 1.25, kMarkDashes);
    places.push_back(places.empty() ? y : std::max(y, places.back() + kLeastGap));
  }
  // Words that were pushed below the area move up again, and those above them with them.
  double lowest = area.bottom;
  for (size_t i = places.size(); i-- > 0; lowest = places[i] - kLeastGap)
    places[i] = std::min(places[i], lowest);
  for (size_t i = 0; i < places.size(); ++i)
    canvas.text({area.right + 6, places[i] + 4}, words_beside(horizontal_[i]), {.size = kTickSize});
}

}  // namespace darp
