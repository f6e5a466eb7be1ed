#include "darp/env/manipulation/table_scene.h"

#include "darp/env/manipulation/panda.xml.h"
#include "darp/env/manipulation/panda_arm.xml.h"
#include "darp/env/manipulation/table.xml.h"

namespace darp {

std::shared_ptr<const mjModel> compile_table_scene(std::string_view name, std::string_view mjcf) {
  const MjcfPiece pieces[] = {
      {"panda.xml", kPandaXml}, {"panda_arm.xml", kPandaArmXml}, {"table.xml", kTableXml}};
  return compile_mjcf(name, mjcf, pieces);
}

}  // namespace darp
