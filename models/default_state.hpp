// The initial state of models whose start doesn't depend on the parameters.
#pragma once

#include "engine/host_device.hpp"

namespace gradscape::models {

/// y[i] = default value of state i. The values are compile-time constants, so that device code needs no table of them.
template <class Model, unsigned i = 0, class T>
HOST_DEVICE void default_state(T* y) {
    if constexpr (i < Model::states.size()) {
        constexpr double value = Model::states[i].default_value;
        y[i] = T(value);
        default_state<Model, i + 1>(y);
    }
}

}  // namespace gradscape::models
