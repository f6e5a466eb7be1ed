#include "darp/eval/video_writer.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libswscale/swscale.h>
}
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <functional>

#include "darp/core/error.h"
#include "darp/core/file.h"
#include "darp/core/rng.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

class Video : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "darp_video_XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path at(std::string_view name) const { return folder_ / name; }
  int64_t entries() const { return std::distance(fs::directory_iterator(folder_), {}); }

  fs::path folder_;
};

/// The left half of one color, the right half of another; a white bar moves with the time.
Image film_picture(int width, int height, int time) {
  Image image(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      uint8_t* rgb = image.at(x, y);
      rgb[0] = x < width / 2 ? 200 : 30;
      rgb[1] = x < width / 2 ? 40 : 90;
      rgb[2] = x < width / 2 ? 60 : 220;
      if (y == time % height) rgb[0] = rgb[1] = rgb[2] = 255;
    }
  return image;
}

Image film_noise(int width, int height, Rng& rng) {
  Image image(width, height);
  for (uint8_t& value : image.pixels) value = static_cast<uint8_t>(rng.below(256));
  return image;
}

void write_film(const fs::path& path, int width, int height, int frames) {
  VideoWriter writer(path, width, height, 25);
  for (int i = 0; i < frames; ++i) writer.add(film_picture(width, height, i));
  writer.finish();
}

/// What another program finds in the file.
struct ReadFilm {
  explicit ReadFilm(const fs::path& path);
  int width = 0, height = 0, frames = 0;
  double frames_per_second = 0, seconds = 0;
  Image first;
};

ReadFilm::ReadFilm(const fs::path& path) {
  AVFormatContext* format = nullptr;
  DARP_CHECK(avformat_open_input(&format, path.c_str(), nullptr, nullptr) == 0, "open");
  DARP_CHECK(avformat_find_stream_info(format, nullptr) >= 0, "streams");
  DARP_CHECK(format->nb_streams == 1, "{} streams", format->nb_streams);
  const AVStream& stream = *format->streams[0];
  DARP_CHECK(stream.codecpar->codec_id == AV_CODEC_ID_H264, "another codec");
  DARP_CHECK(stream.codecpar->format == AV_PIX_FMT_YUV420P, "another pixel format");
  DARP_CHECK(stream.codecpar->color_space == AVCOL_SPC_BT709, "another color space");
  width = stream.codecpar->width;
  height = stream.codecpar->height;
  frames_per_second = av_q2d(stream.avg_frame_rate);
  seconds = static_cast<double>(format->duration) / AV_TIME_BASE;
  const AVCodec* decoder = avcodec_find_decoder(AV_CODEC_ID_H264);
  AVCodecContext* codec = avcodec_alloc_context3(decoder);
  avcodec_parameters_to_context(codec, stream.codecpar);
  DARP_CHECK(avcodec_open2(codec, decoder, nullptr) == 0, "decoder");
  AVPacket* packet = av_packet_alloc();
  AVFrame* frame = av_frame_alloc();
  for (bool more = true; more;) {
    more = av_read_frame(format, packet) >= 0;
    DARP_CHECK(avcodec_send_packet(codec, more ? packet : nullptr) == 0, "decode");
    if (more) av_packet_unref(packet);
    for (; avcodec_receive_frame(codec, frame) == 0; av_frame_unref(frame)) {
      if (frames++ > 0) continue;
      SwsContext* converter = sws_getContext(width, height, AV_PIX_FMT_YUV420P, width, height,
                                             AV_PIX_FMT_RGB24, 0, nullptr, nullptr, nullptr);
      sws_setColorspaceDetails(converter, sws_getCoefficients(SWS_CS_ITU709), 0,
                               sws_getCoefficients(SWS_CS_DEFAULT), 1, 0, 1 << 16, 1 << 16);
      AVFrame* rgb = av_frame_alloc();
      rgb->format = AV_PIX_FMT_RGB24;
      rgb->width = width;
      rgb->height = height;
      av_frame_get_buffer(rgb, 0);
      sws_scale(converter, frame->data, frame->linesize, 0, height, rgb->data, rgb->linesize);
      first = Image(width, height);
      for (int y = 0; y < height; ++y)
        std::copy_n(rgb->data[0] + y * rgb->linesize[0], 3 * width, first.at(0, y));
      av_frame_free(&rgb);
      sws_freeContext(converter);
    }
  }
  av_frame_free(&frame);
  av_packet_free(&packet);
  avcodec_free_context(&codec);
  avformat_close_input(&format);
}

std::array<double, 3> mean_color(const Image& image, int from, int to) {
  std::array<double, 3> sum{};
  for (int y = 0; y < image.height; ++y)
    for (int x = from; x < to; ++x)
      for (size_t c = 0; c < 3; ++c) sum[c] += image.at(x, y)[c];
  for (double& value : sum) value /= (to - from) * image.height;
  return sum;
}

TEST_F(Video, IsWhatWasWrittenWhenOpenedAgain) {
  write_film(at("film.mp4"), 160, 120, 30);
  const ReadFilm film(at("film.mp4"));
  EXPECT_EQ(film.frames, 30);
  EXPECT_EQ(film.width, 160);
  EXPECT_EQ(film.height, 120);
  EXPECT_DOUBLE_EQ(film.frames_per_second, 25);
  EXPECT_NEAR(film.seconds, 30 / 25.0, 0.001);
  const Image picture = film_picture(160, 120, 0);
  for (const int from : {0, 80}) {
    const auto expected = mean_color(picture, from, from + 80);
    const auto found = mean_color(film.first, from, from + 80);
    for (size_t c = 0; c < 3; ++c) EXPECT_NEAR(found[c], expected[c], 4) << from << " " << c;
  }
  EXPECT_EQ(entries(), 1);
}

TEST_F(Video, HasItsIndexInFrontSoThatBrowsersPlayItAtOnce) {
  write_film(at("film.mp4"), 64, 64, 10);
  const MappedFile file(at("film.mp4"));
  const std::string_view text = as_text(file.bytes());
  ASSERT_NE(text.find("moov"), std::string_view::npos);
  EXPECT_LT(text.find("moov"), text.find("mdat"));
}

TEST_F(Video, TheSamePicturesAreTheSameBytes) {
  write_film(at("a.mp4"), 100, 80, 30);
  write_film(at("b.mp4"), 100, 80, 30);
  EXPECT_EQ(as_text(MappedFile(at("a.mp4")).bytes()), as_text(MappedFile(at("b.mp4")).bytes()));
}

TEST_F(Video, OddSizesLoseTheirLastRowOrColumn) {
  write_film(at("odd.mp4"), 101, 67, 3);
  const ReadFilm odd(at("odd.mp4"));
  EXPECT_EQ(odd.width, 100);
  EXPECT_EQ(odd.height, 66);
  EXPECT_EQ(odd.frames, 3);
  write_film(at("small.mp4"), 3, 2, 1);
  const ReadFilm small(at("small.mp4"));
  EXPECT_EQ(small.width, 2);
  EXPECT_EQ(small.frames, 1);
}

TEST_F(Video, TakesAnyNumberOfFramesPerSecond) {
  for (const double rate : {0.5, 29.97, 125.0, 1 / 0.008}) {
    VideoWriter writer(at("film.mp4"), 32, 32, rate);
    for (int i = 0; i < 12; ++i) writer.add(film_picture(32, 32, i));
    writer.finish();
    const ReadFilm film(at("film.mp4"));
    EXPECT_EQ(film.frames, 12);
    EXPECT_NEAR(film.seconds, 12 / rate, 0.002) << rate;
  }
}

TEST_F(Video, ReplacesAnOlderFileOnlyWhenFinished) {
  write_file(at("film.mp4"), "old");
  {
    VideoWriter writer(at("film.mp4"), 32, 32, 25);
    writer.add(film_picture(32, 32, 0));
    EXPECT_EQ(as_text(MappedFile(at("film.mp4")).bytes()), "old");
  }
  EXPECT_EQ(as_text(MappedFile(at("film.mp4")).bytes()), "old");
  EXPECT_EQ(entries(), 1);
  { const VideoWriter unused(at("other.mp4"), 32, 32, 25); }
  EXPECT_EQ(entries(), 1);
  write_film(at("film.mp4"), 32, 32, 2);
  EXPECT_EQ(ReadFilm(at("film.mp4")).frames, 2);
}

std::string video_error(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

// Files may not grow beyond `bytes` while it lives: writing fails as on a full disk.
struct FileSizeLimit {
  explicit FileSizeLimit(rlim_t bytes) : handler(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before);
    const rlimit limit = {bytes, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
  }
  rlimit before{};
  void (*handler)(int);
};

TEST_F(Video, AFullDiskIsAnErrorThatLeavesNoTrace) {
  // Full while pictures are written, while the last are, and while the index moves to the front.
  Rng rng(3);
  std::vector<Image> pictures;
  for (int i = 0; i < 20; ++i) pictures.push_back(film_noise(160, 120, rng));
  const auto write = [&] {
    VideoWriter writer(at("film.mp4"), 160, 120, 25);
    for (const Image& picture : pictures) writer.add(picture);
    writer.finish();
  };
  write();
  const auto whole = static_cast<rlim_t>(fs::file_size(at("film.mp4")));
  fs::remove(at("film.mp4"));
  ASSERT_GT(whole, 150'000u);
  for (const rlim_t room : {rlim_t{0}, rlim_t{1000}, whole / 3, whole - 5000, whole - 1}) {
    const FileSizeLimit limit(room);
    const std::string error = video_error(write);
    EXPECT_NE(error.find("film.mp4: writing failed: File too large; free some space"),
              std::string::npos)
        << room << " of " << whole << ": " << error;
    EXPECT_EQ(entries(), 0) << room;
  }
  write();
  EXPECT_EQ(ReadFilm(at("film.mp4")).frames, 20);
}

TEST_F(Video, WhatCannotBeWrittenOrEncodedIsAnError) {
  EXPECT_NE(video_error([&] {
              VideoWriter(at("missing/film.mp4"), 32, 32, 25);
            }).find("missing/film.mp4: cannot be written: No such file"),
            std::string::npos);
  EXPECT_NE(video_error([&] {
              VideoWriter(at("film.mp4"), 1, 32, 25);
            }).find("film.mp4: pictures of 1 x 32 pixels make no video"),
            std::string::npos);
  EXPECT_NE(video_error([&] {
              VideoWriter(at("film.mp4"), 30000, 30000, 25);
            }).find("film.mp4: starting the H.264 encoder failed: "),
            std::string::npos);
  EXPECT_EQ(entries(), 0);
}

TEST_F(Video, PicturesOfAnotherSizeAndMissingOnesAbort) {
  VideoWriter writer(at("film.mp4"), 32, 32, 25);
  EXPECT_DEATH(writer.add(Image(32, 31)), "32 x 31 in a video of 32 x 32");
  EXPECT_DEATH(writer.finish(), "without pictures");
  EXPECT_DEATH(VideoWriter(at("x.mp4"), 32, 32, 0), "0 frames per second");
  writer.add(Image(32, 32));
  writer.finish();
  EXPECT_DEATH(writer.finish(), "finished twice");
  EXPECT_DEATH(writer.add(Image(32, 32)), "after the end");
}

}  // namespace
}  // namespace darp
