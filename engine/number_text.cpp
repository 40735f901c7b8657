#include "engine/number_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace gradscape {

std::string number_text(double value, int digits) {
    if (std::isnan(value)) return "nan";
    const double size = std::fabs(value);
    const bool plain = size == 0 || (size >= 1e-3 && size < std::pow(10.0, std::max(digits, 6)));
    char buffer[64];
    char* end;
    if (!plain) {
        end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific, digits - 1).ptr;
    } else if (size >= std::pow(10.0, digits - 1)) {
        end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, 0).ptr;
    } else {
        end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits).ptr;
    }
    std::string text(buffer, end);
    // 1.00e-08 becomes 1e-8.
    if (const std::size_t e = text.find('e'); e != std::string::npos) {
        std::string mantissa = text.substr(0, e), exponent = text.substr(e + 1);
        if (mantissa.find('.') != std::string::npos) {
            mantissa.erase(mantissa.find_last_not_of('0') + 1);
            if (mantissa.back() == '.') mantissa.pop_back();
        }
        const bool negative = exponent[0] == '-';
        exponent.erase(0, exponent.find_first_not_of("+-0"));
        text = mantissa + (negative ? "e-" : "e") + exponent;
    }
    return text;
}

std::string bytes_text(std::uint64_t bytes) {
    constexpr std::array units = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
    if (bytes < 1000) return std::to_string(bytes) + " bytes";
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; value >= 999.5 && unit + 1 < units.size(); ++unit) value /= 1000;
    return number_text(value) + ' ' + units[unit];
}

}  // namespace gradscape
