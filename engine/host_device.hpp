// Marks functions that g++, nvcc and NVRTC all compile. This header and those that only include it need no standard header.
#pragma once

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define HOST_DEVICE __host__ __device__
#define HOST_DEVICE_INLINE __host__ __device__ __forceinline__
#else
#define HOST_DEVICE
/// For the stepper's hot path: one straight run of code, whatever the compiler's idea of a function's size.
#define HOST_DEVICE_INLINE [[gnu::always_inline]] inline
#endif
