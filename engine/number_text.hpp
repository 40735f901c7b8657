// Numbers as people read them; a decimal point in every locale.
#pragma once

#include <cstdint>
#include <string>

namespace gradscape {

std::string number_text(double value, int digits = 3);  ///< "0.0123", "1.2e-8", "nan"
std::string bytes_text(std::uint64_t bytes);            ///< "512 bytes", "45.3 MB" (10^6)

}  // namespace gradscape
