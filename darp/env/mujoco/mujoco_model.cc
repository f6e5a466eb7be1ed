#include "darp/env/mujoco/mujoco_model.h"

#include <mutex>

#include "darp/core/error.h"

namespace darp {
namespace {

/// Simulations look at mjData's counts; without this MuJoCo would write a log file wherever it is
/// started.
void ignore_warning(const char*) {}

/// MuJoCo is built with unwind tables and expects this function not to return.
void throw_error(const char* message) {
  throw Error("MuJoCo", printable(message),
              "this is a bug in the model or the environment: report it");
}

struct FreeModel {
  // Models are handed out as const; deleting takes a plain pointer.
  void operator()(const mjModel* model) const { mj_deleteModel(const_cast<mjModel*>(model)); }
};

void add_file(mjVFS& files, const std::string& name, std::string_view text) {
  if (mj_makeEmptyFileVFS(&files, name.c_str(), static_cast<int>(text.size())) != 0)
    throw Error(name, "does not fit into MuJoCo's memory", "make the model smaller");
  std::copy(text.begin(), text.end(),
            static_cast<char*>(files.filedata[mj_findFileVFS(&files, name.c_str())]));
}

}  // namespace

std::shared_ptr<const mjModel> compile_mjcf(std::string_view name, std::string_view mjcf,
                                            std::span<const MjcfPiece> pieces) {
  // MuJoCo's parser keeps the last model that it read in a place that all threads share.
  static std::mutex compiling;
  const std::lock_guard lock(compiling);
  mju_user_warning = ignore_warning;
  mju_user_error = throw_error;

  const std::string file = std::string(name) + ".xml";
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  add_file(*files, file, mjcf);
  for (const MjcfPiece& piece : pieces) add_file(*files, piece.name, piece.text);

  char problem[1000] = "";
  mjModel* model = mj_loadXML(file.c_str(), files.get(), problem, sizeof(problem));
  mj_deleteVFS(files.get());
  if (model == nullptr) throw Error(file, problem, "correct the model");
  return std::shared_ptr<const mjModel>(model, FreeModel{});
}

}  // namespace darp
