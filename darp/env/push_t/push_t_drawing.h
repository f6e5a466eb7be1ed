#pragma once
// Push-T seen from above.

#include "darp/env/image/image.h"
#include "darp/env/push_t/t_shape.h"

namespace darp {

/// The whole room of 512 units, as large as it fits, in the middle of the picture.
Image draw_push_t(Point agent, const TPose& block, int width, int height);

}  // namespace darp
