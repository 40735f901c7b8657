// Products of vectors in space.
#pragma once

#include "engine/real.hpp"

namespace gradscape::models {

template <class T>
HOST_DEVICE_INLINE T dot(const T* a, const T* b) {
    return fma(a[0], b[0], fma(a[1], b[1], a[2] * b[2]));
}

template <class T>
HOST_DEVICE_INLINE void cross(const T* a, const T* b, T* result) {
    result[0] = fma(a[1], b[2], -(a[2] * b[1]));
    result[1] = fma(a[2], b[0], -(a[0] * b[2]));
    result[2] = fma(a[0], b[1], -(a[1] * b[0]));
}

template <class T>
HOST_DEVICE_INLINE T length(const T* a) {
    return sqrt(dot(a, a));
}

/// 0 to pi. Keeps its digits near 0 and pi, where an arc cosine loses half of them.
template <class T>
HOST_DEVICE inline T angle_between(const T* a, const T* b) {
    T normal[3];
    cross(a, b, normal);
    return atan2(length(normal), dot(a, b));
}

}  // namespace gradscape::models
