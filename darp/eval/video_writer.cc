#include "darp/eval/video_writer.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/opt.h>
#include <libswscale/swscale.h>
}

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <string>

#include "darp/core/error.h"
#include "darp/core/file.h"
#include "darp/eval/file_stream.h"

namespace darp {

template <auto free>
struct FreeVideoPart {
  template <typename T>
  void operator()(T* object) const {
    if constexpr (requires { free(&object); })
      free(&object);
    else
      free(object);
  }
};
using VideoFormat = std::unique_ptr<AVFormatContext, FreeVideoPart<avformat_free_context>>;
using VideoCodec = std::unique_ptr<AVCodecContext, FreeVideoPart<avcodec_free_context>>;
using VideoFrame = std::unique_ptr<AVFrame, FreeVideoPart<av_frame_free>>;
using VideoPacket = std::unique_ptr<AVPacket, FreeVideoPart<av_packet_free>>;
using VideoConverter = std::unique_ptr<SwsContext, FreeVideoPart<sws_freeContext>>;

namespace {

const AVCodec* h264_encoder(const std::string& path) {
  for (const char* name : {"libx264", "libopenh264"})
    if (const AVCodec* encoder = avcodec_find_encoder_by_name(name)) return encoder;
  if (const AVCodec* encoder = avcodec_find_encoder(AV_CODEC_ID_H264)) return encoder;
  throw Error(path, "cannot be written: libavcodec has no H.264 encoder",
              "apt-get install libavcodec59 (Debian's has libx264), or write frames as PNG");
}

VideoFrame allocate_frame(AVPixelFormat format, int width, int height) {
  VideoFrame frame(av_frame_alloc());
  if (!frame) throw std::bad_alloc();
  frame->format = format;
  frame->width = width;
  frame->height = height;
  if (av_frame_get_buffer(frame.get(), 0) < 0) throw std::bad_alloc();
  return frame;
}

}  // namespace

struct VideoWriter::Encoder {
  Encoder(const std::filesystem::path& path, int width_, int height_, double frames_per_second);

  void open_codec(double frames_per_second);
  void open_file();
  void make_frames();
  void convert(const Image& image);
  /// Encodes a frame, or what is left when there is none, and writes the packets that come out.
  void encode(const AVFrame* frame);
  /// Throws the Error for a code of libav's below 0.
  void check(int code, const char* doing) const;

  std::string name;
  int width, height;
  AtomicFile file;
  FileStream stream;
  VideoFormat format;
  VideoCodec codec;
  VideoFrame picture, converted;
  VideoConverter converter;
  VideoPacket packet;
  int64_t frames = 0;
};

VideoWriter::Encoder::Encoder(const std::filesystem::path& path, int width_, int height_,
                              double frames_per_second)
    : name(path.string()),
      width(width_),
      height(height_),
      file(path),
      stream(file.descriptor(), true),
      packet(av_packet_alloc()) {
  DARP_CHECK(std::isfinite(frames_per_second) && frames_per_second > 0, "{} frames per second",
             frames_per_second);
  if (width < 2 || height < 2)
    throw Error(name, fmt::format("pictures of {} x {} pixels make no video", width, height),
                "ask for at least 2 pixels each way");
  // Whatever libav has to say becomes an Error.
  av_log_set_level(AV_LOG_QUIET);
  AVFormatContext* made = nullptr;
  check(avformat_alloc_output_context2(&made, nullptr, "mp4", nullptr), "making an mp4 file");
  format.reset(made);
  if (!packet) throw std::bad_alloc();
  open_codec(frames_per_second);
  open_file();
  make_frames();
}

void VideoWriter::Encoder::check(int code, const char* doing) const {
  if (code >= 0) return;
  if (stream.error() != 0) {
    errno = stream.error();
    file.fail("writing");
  }
  char why[AV_ERROR_MAX_STRING_SIZE] = "";
  av_strerror(code, why, sizeof(why));
  throw Error(name, fmt::format("{} failed: {}", doing, why),
              "try another size of pictures, or write frames as PNG");
}

void VideoWriter::Encoder::open_codec(double frames_per_second) {
  const AVCodec* encoder = h264_encoder(name);
  codec.reset(avcodec_alloc_context3(encoder));
  if (!codec) throw std::bad_alloc();
  codec->width = width & ~1;  // the encoder halves colors: even sizes only
  codec->height = height & ~1;
  codec->pix_fmt = AV_PIX_FMT_YUV420P;  // the one that all browsers play
  codec->framerate = av_d2q(frames_per_second, 100000);
  codec->time_base = av_inv_q(codec->framerate);
  codec->color_range = AVCOL_RANGE_MPEG;
  codec->colorspace = AVCOL_SPC_BT709;
  codec->color_primaries = AVCOL_PRI_BT709;
  codec->color_trc = AVCOL_TRC_BT709;
  // One thread: how many there are changes x264's choices, and so the file.
  codec->thread_count = 1;
  codec->flags |= AV_CODEC_FLAG_BITEXACT;
  if ((format->oformat->flags & AVFMT_GLOBALHEADER) != 0)
    codec->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  // Quality is set where the encoder knows these; others take a bit rate that is plenty.
  codec->bit_rate = 0;
  if (av_opt_set(codec->priv_data, "crf", "20", 0) < 0) codec->bit_rate = 4'000'000;
  av_opt_set(codec->priv_data, "preset", "fast", 0);
  check(avcodec_open2(codec.get(), encoder, nullptr), "starting the H.264 encoder");
}

void VideoWriter::Encoder::open_file() {
  AVStream* video = avformat_new_stream(format.get(), nullptr);
  if (video == nullptr) throw std::bad_alloc();
  video->time_base = codec->time_base;
  video->avg_frame_rate = codec->framerate;
  check(avcodec_parameters_from_context(video->codecpar, codec.get()), "describing the video");
  format->flags |= AVFMT_FLAG_BITEXACT;
  stream.attach(*format);
  // The index goes to the front, so that browsers begin to play before they have it all.
  AVDictionary* options = nullptr;
  av_dict_set(&options, "movflags", "+faststart", 0);
  const int code = avformat_write_header(format.get(), &options);
  av_dict_free(&options);
  check(code, "writing the header");
}

void VideoWriter::Encoder::make_frames() {
  picture = allocate_frame(AV_PIX_FMT_RGB24, codec->width, codec->height);
  converted = allocate_frame(AV_PIX_FMT_YUV420P, codec->width, codec->height);
  converter.reset(sws_getContext(codec->width, codec->height, AV_PIX_FMT_RGB24, codec->width,
                                 codec->height, AV_PIX_FMT_YUV420P,
                                 SWS_BICUBIC | SWS_ACCURATE_RND | SWS_BITEXACT, nullptr, nullptr,
                                 nullptr));
  if (!converter) throw Error(name, "libswscale does not take pictures of this size", "");
  sws_setColorspaceDetails(converter.get(), sws_getCoefficients(SWS_CS_DEFAULT), 1,
                           sws_getCoefficients(SWS_CS_ITU709), 0, 0, 1 << 16, 1 << 16);
}

void VideoWriter::Encoder::convert(const Image& image) {
  // libswscale may read past the ends of rows: its own frame has room there.
  for (int y = 0; y < codec->height; ++y)
    std::copy_n(image.at(0, y), 3 * static_cast<ptrdiff_t>(codec->width),
                picture->data[0] + static_cast<ptrdiff_t>(y) * picture->linesize[0]);
  check(av_frame_make_writable(converted.get()), "converting a picture");
  check(sws_scale(converter.get(), picture->data, picture->linesize, 0, codec->height,
                  converted->data, converted->linesize),
        "converting a picture");
}

void VideoWriter::Encoder::encode(const AVFrame* frame) {
  check(avcodec_send_frame(codec.get(), frame), "encoding a picture");
  for (;;) {
    const int code = avcodec_receive_packet(codec.get(), packet.get());
    if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return;
    check(code, "encoding a picture");
    packet->duration = 1;
    av_packet_rescale_ts(packet.get(), codec->time_base, format->streams[0]->time_base);
    check(av_interleaved_write_frame(format.get(), packet.get()), "writing a picture");
    // libav finds out late that a write failed.
    check(stream.error() == 0 ? 0 : -1, "writing a picture");
  }
}

VideoWriter::VideoWriter(const std::filesystem::path& path, int width, int height,
                         double frames_per_second)
    : encoder_(std::make_unique<Encoder>(path, width, height, frames_per_second)) {}

VideoWriter::~VideoWriter() = default;

void VideoWriter::add(const Image& image) {
  DARP_CHECK(encoder_ != nullptr, "a picture after the end of a video");
  Encoder& encoder = *encoder_;
  DARP_CHECK(image.width == encoder.width && image.height == encoder.height,
             "a picture of {} x {} in a video of {} x {}", image.width, image.height, encoder.width,
             encoder.height);
  encoder.convert(image);
  encoder.converted->pts = encoder.frames++;
  encoder.encode(encoder.converted.get());
}

void VideoWriter::finish() {
  DARP_CHECK(encoder_ != nullptr, "a video is finished twice");
  Encoder& encoder = *encoder_;
  DARP_CHECK(encoder.frames > 0, "{}: a video without pictures", encoder.name);
  encoder.encode(nullptr);
  encoder.check(av_write_trailer(encoder.format.get()), "writing the index");
  encoder.check(encoder.stream.error() == 0 ? 0 : -1, "writing the index");
  encoder.file.commit();
  encoder_.reset();
}

}  // namespace darp
