// Numbers as people read them; a decimal point in every locale.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gradscape {

std::string number_text(double value, int digits = 3);  ///< "0.0123", "1.2e-8", "nan"
std::string bytes_text(std::uint64_t bytes);            ///< "512 bytes", "45.3 MB" (10^6)
std::string seconds_text(double seconds);               ///< "0:07", "12:34", "1:02:03"

/// Columns on a terminal: characters, not bytes of UTF-8.
std::size_t text_width(std::string_view text);

}  // namespace gradscape
