// Marks functions that g++, nvcc and NVRTC all compile. This header and those that only include it need no standard header.
#pragma once

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define HOST_DEVICE __host__ __device__
#else
#define HOST_DEVICE
#endif
