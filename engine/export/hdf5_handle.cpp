#include "engine/export/hdf5_handle.hpp"

#include <charconv>
#include <string_view>
#include <system_error>

namespace gradscape {
namespace {

std::recursive_mutex hdf5_mutex;

struct Reason {
    std::string innermost, system;
};

herr_t look_at(unsigned position, const H5E_error2_t* error, void* data) {
    auto& reason = *static_cast<Reason*>(data);
    const std::string_view text = error->desc != nullptr ? error->desc : "";
    if (position == 0) reason.innermost = text;
    constexpr std::string_view key = "errno = ";
    if (const std::size_t at = text.find(key); at != std::string_view::npos && reason.system.empty()) {
        int number = 0;
        const char* const digits = text.data() + at + key.size();
        if (std::from_chars(digits, text.data() + text.size(), number).ec == std::errc())
            reason.system = std::generic_category().message(number);
    }
    return 0;
}

}  // namespace

Hdf5Lock::Hdf5Lock() : lock_(hdf5_mutex) {
    // Every file is closed by its owner. What the library does beyond that when the program ends crashes after a failed close.
    static const herr_t no_clean_up_at_exit = H5dont_atexit();
    static_cast<void>(no_clean_up_at_exit);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

std::string hdf5_reason() {
    Reason reason;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, look_at, &reason);
    if (!reason.system.empty()) return reason.system;
    return reason.innermost.empty() ? "the HDF5 library gives no reason" : reason.innermost;
}

void throw_hdf5_error(const std::string& what) { throw std::runtime_error(what + ": " + hdf5_reason()); }

Hdf5Handle text_type() {
    Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "text type");
    check(H5Tset_size(type.id(), H5T_VARIABLE), "text type");
    check(H5Tset_cset(type.id(), H5T_CSET_UTF8), "text type");
    return type;
}

}  // namespace gradscape
