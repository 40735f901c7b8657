#include "engine/input_text.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <numeric>

#include "engine/scenario.hpp"

namespace gradscape {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool same = lower(a[i - 1]) == lower(b[j - 1]);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
                row[j] = std::min(row[j], before_last[j - 2] + 1);
        }
        before_last.swap(last);
        last.swap(row);
    }
    return last[b.size()];
}

/// Length of the UTF-8 sequence at the beginning of `text`, 0 when it is none.
std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const std::size_t length = byte(0) < 0x80                      ? 1
                               : byte(0) >= 0xC2 && byte(0) < 0xE0 ? 2
                               : byte(0) >= 0xE0 && byte(0) < 0xF0 ? 3
                               : byte(0) >= 0xF0 && byte(0) < 0xF5 ? 4
                                                                   : 0;
    if (length == 0 || length > text.size()) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xC0) != 0x80) return 0;
    return length;
}

}  // namespace

std::string shortest_text(double value) {
    char buffer[32];
    return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

std::string one_line(std::string_view text, std::size_t most) {
    std::string line;
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        if (line.size() + std::max<std::size_t>(length, 1) > most) return line + "...";
        const auto first = static_cast<unsigned char>(text[0]);
        const bool c1_control = length == 2 && first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0;
        const bool separator = text.starts_with("\u2028") || text.starts_with("\u2029");  // line and paragraph
        if (length == 0 || first < 0x20 || first == 0x7F || c1_control || separator) line += '?';
        else line += text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return line;
}

std::string in_quotes(std::string_view text) { return '`' + one_line(text, 60) + '`'; }

std::string_view nearest_name(std::string_view name, const std::vector<std::string_view>& names) {
    const std::string_view head = name.substr(0, 100);
    std::string_view nearest;
    std::size_t least = std::string_view::npos;
    for (const std::string_view candidate : names)
        if (const std::size_t distance = edit_distance(head, candidate); distance < least) {
            least = distance;
            nearest = candidate;
        }
    return nearest;
}

std::string read_text_file(const std::filesystem::path& file, std::uintmax_t most) {
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored)) throw InputError(one_line(file.string()) + ": can't be read: it is a folder");
    errno = 0;
    std::ifstream in(file, std::ios::binary);
    std::string text;
    char buffer[1 << 16];
    while (in.read(buffer, sizeof buffer) || in.gcount() > 0) {
        text.append(buffer, static_cast<std::size_t>(in.gcount()));
        if (text.size() > most)
            throw InputError(one_line(file.string()) + ": is larger than the " + std::to_string(most) + " bytes that are allowed");
    }
    if (!in.eof()) throw InputError(one_line(file.string()) + ": can't be read: " + std::strerror(errno));
    return text;
}

}  // namespace gradscape
