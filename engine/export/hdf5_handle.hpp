// Owning handles, errors and the lock of the HDF5 library: internal to engine/export.
#pragma once

#include <hdf5.h>

#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

namespace gradscape {

/// Held during every use of the library: builds of HDF5 need not be thread-safe, and its high-level part never is. Also keeps the
/// library from printing its errors; ours say more.
class Hdf5Lock {
public:
    Hdf5Lock();

private:
    std::scoped_lock<std::recursive_mutex> lock_;
};

/// What the library says about the last failed call in this thread: the operating system's reason where there is one.
std::string hdf5_reason();

/// Throws std::runtime_error "<what>: <reason>".
[[noreturn]] void throw_hdf5_error(const std::string& what);

inline void check(herr_t result, const std::string& what) {
    if (result < 0) throw_hdf5_error(what);
}

/// Closes its identifier, ignoring errors; files that were written are closed with close(), which reports them.
class Hdf5Handle {
public:
    using Close = herr_t (*)(hid_t);
    Hdf5Handle() = default;
    Hdf5Handle(hid_t opened, Close closing, const std::string& what) : id_(opened), close_(closing) {
        if (opened < 0) throw_hdf5_error(what);
    }
    Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
    Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
        std::swap(id_, other.id_);
        std::swap(close_, other.close_);
        return *this;
    }
    ~Hdf5Handle() {
        if (id_ >= 0) close_(id_);
    }

    hid_t id() const { return id_; }
    herr_t close() { return id_ >= 0 ? close_(std::exchange(id_, H5I_INVALID_HID)) : 0; }

private:
    hid_t id_ = H5I_INVALID_HID;
    Close close_ = nullptr;
};

/// UTF-8 of any length.
Hdf5Handle text_type();

}  // namespace gradscape
