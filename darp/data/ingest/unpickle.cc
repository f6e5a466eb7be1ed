#include "darp/data/ingest/unpickle.h"

#include "darp/data/ingest/pickle_machine.h"

namespace darp {

Pickle unpickle(Bytes file, const std::string& source) {
  if (file.empty()) throw Error(source, "is empty", "copy or create the file again");
  Pickle pickle;
  pickle.root = PickleMachine(file, source, pickle.arena).run();
  return pickle;
}

}  // namespace darp
