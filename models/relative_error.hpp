// The error measure of most models: the length of the difference against the length of the reference.
#pragma once

#include "engine/real.hpp"

namespace gradscape::models {

/// |y - reference| / |reference| over the first n components; 0 where both are zero.
template <int n, class T>
HOST_DEVICE T relative_error(const T* y, const T* reference) {
    T difference = T(0), size = T(0);
    for (int i = 0; i < n; ++i) {
        const T d = y[i] - reference[i];
        difference = fma(d, d, difference);
        size = fma(reference[i], reference[i], size);
    }
    return sqrt(difference / max(T(1e-300), size));
}

}  // namespace gradscape::models
