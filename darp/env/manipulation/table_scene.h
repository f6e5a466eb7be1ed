#pragma once
// What the table tasks share beside ManipulationTask.

#include <memory>
#include <numbers>
#include <string_view>

#include "darp/env/manipulation/manipulation_task.h"

namespace darp {

/// The arm above the table's middle, its fingers down.
inline constexpr ArmVector kTablePosture = {0,
                                            std::numbers::pi / 16,
                                            0,
                                            -(std::numbers::pi / 2 + std::numbers::pi / 3),
                                            0,
                                            std::numbers::pi - 0.2,
                                            std::numbers::pi / 4};

/// A scene that includes panda.xml and table.xml.
std::shared_ptr<const mjModel> compile_table_scene(std::string_view name, std::string_view mjcf);

}  // namespace darp
