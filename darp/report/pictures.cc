#include "darp/report/pictures.h"

#include <algorithm>
#include <vector>

#include "darp/core/file.h"
#include "darp/core/numbers.h"
#include "darp/report/html_page.h"
#include "darp/report/plot_frame.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

void check_size(const fs::path& path, const MappedFile& file) {
  if (file.bytes().size() > kLargestPicture)
    throw Error(path.string(),
                fmt::format("has {} bytes, too many for a page (at most {})", file.bytes().size(),
                            kLargestPicture),
                "record less of it, or smaller: darp eval --width 320 --height 240");
}

std::vector<fs::path> pngs_of(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code failure;
  for (fs::directory_iterator at(folder, failure), end; !failure && at != end;
       at.increment(failure))
    if (at->path().extension() == ".png") found.push_back(at->path());
  if (failure)
    throw Error(folder.string(), "cannot be read: " + failure.message(),
                "give --pictures LABEL=DIR a folder that darp eval --frames wrote");
  if (found.empty())
    throw Error(folder.string(), "has no PNG pictures in it",
                "give --pictures LABEL=DIR a folder that darp eval --frames wrote");
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

Markup video_figure(const std::string& label, const fs::path& path) {
  const MappedFile file(path);
  check_size(path, file);
  const std::string_view text = as_text(file.bytes());
  if (text.size() < 8 || text.substr(4, 4) != "ftyp")
    throw Error(path.string(), "is no mp4 file",
                "give --video LABEL=FILE what darp eval --video wrote");
  if (text.find("avc1") == std::string_view::npos)
    throw Error(path.string(), "has no H.264 film in it, which is what all browsers play",
                "convert it: ffmpeg -i IN.mp4 -c:v libx264 -pix_fmt yuv420p OUT.mp4");
  return figure(embedded_mp4(file.bytes(), label), label);
}

Markup picture_strip(const std::string& label, const fs::path& folder, int count) {
  constexpr std::string_view kPngSignature = "\x89PNG\r\n\x1a\n";
  const std::vector<fs::path> files = pngs_of(folder);
  Markup pictures{"<div class=\"strip\">"};
  for (const size_t i : evenly_chosen(files.size(), static_cast<size_t>(count))) {
    const MappedFile file(files[i]);
    check_size(files[i], file);
    if (!as_text(file.bytes()).starts_with(kPngSignature))
      throw Error(files[i].string(), "is no PNG picture", "remove it from the folder");
    pictures += embedded_png(file.bytes(), label + ", " + files[i].stem().string());
  }
  pictures += Markup{"</div>"};
  const auto total = static_cast<int64_t>(files.size());
  const auto shown = std::min<int64_t>(total, count);
  return figure(pictures, total == shown
                              ? label
                              : fmt::format("{}: {} of {}, evenly chosen, from left to right",
                                            label, shown, counted(total, "picture")));
}

}  // namespace darp
