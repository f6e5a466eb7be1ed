#include "darp/report/pictures.h"

#include <gtest/gtest.h>

#include "darp/core/file.h"
#include "tests/error_of.h"
#include "tests/test_folder.h"
#include "tests/well_formed.h"

namespace darp {
namespace {

const std::string kPng = "\x89PNG\r\n\x1a\n and so on";
const std::string kMp4 = std::string("\0\0\0\x20", 4) + "ftypisom....moov....avc1....";

size_t images_in(const std::string& html) {
  size_t count = 0;
  for (size_t i = html.find("<img"); i != std::string::npos; i = html.find("<img", i + 1)) ++count;
  return count;
}

TEST(Pictures, StripsHaveEvenlyChosenPicturesByName) {
  const auto folder = test_folder();
  for (int i = 0; i < 10; ++i)
    write_file(folder / fmt::format("{:06}.png", i), kPng + std::to_string(i));
  write_file(folder / "notes.txt", std::string_view("no picture"));
  const std::string html = picture_strip("<b>", folder, 4).text;
  EXPECT_EQ(markup_problem(html), "");
  EXPECT_EQ(images_in(html), 4u);
  EXPECT_LT(html.find("000000"), html.find("000003"));
  EXPECT_LT(html.find("000003"), html.find("000009"));
  EXPECT_SAYS(html, "4 of 10 pictures");
  EXPECT_EQ(images_in(picture_strip("a", folder, 100).text), 10u);
}

TEST(Pictures, RefuseFoldersWithoutPicturesAndFilesThatAreNone) {
  const auto folder = test_folder();
  EXPECT_SAYS(error_of([&] { picture_strip("a", folder, 4); }), "has no PNG pictures");
  EXPECT_SAYS(error_of([&] { picture_strip("a", folder / "none", 4); }), "cannot be read");
  write_file(folder / "a.png", std::string_view("GIF89a"));
  EXPECT_SAYS(error_of([&] { picture_strip("a", folder, 4); }), "a.png: is no PNG picture");
}

TEST(Pictures, EmbedFilmsThatBrowsersPlay) {
  const auto folder = test_folder();
  write_file(folder / "a.mp4", kMp4);
  const std::string html = video_figure("\"seed\" 0", folder / "a.mp4").text;
  EXPECT_EQ(markup_problem(html), "");
  EXPECT_SAYS(html, data_uri("video/mp4", as_byte_span(kMp4)));

  write_file(folder / "b.mp4", std::string_view("RIFF....AVI "));
  EXPECT_SAYS(error_of([&] { video_figure("a", folder / "b.mp4"); }), "is no mp4 file");
  write_file(folder / "c.mp4", kMp4.substr(0, 20));
  EXPECT_SAYS(error_of([&] { video_figure("a", folder / "c.mp4"); }), "no H.264");
  write_file(folder / "d.mp4", std::string_view(""));
  EXPECT_SAYS(error_of([&] { video_figure("a", folder / "d.mp4"); }), "is no mp4 file");
}

}  // namespace
}  // namespace darp
