// Text for messages about input: values as the user would write them, one line whatever the input holds, and the nearest valid name.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gradscape {

/// The shortest decimal form that reads back as the same double: "0.1", "1e-08", "nan".
std::string shortest_text(double value);

/// The text as one printable line: control characters and bytes that are no UTF-8 become '?', and all beyond `most` bytes "...".
std::string one_line(std::string_view text, std::size_t most = 200);

/// One line in backquotes.
std::string in_quotes(std::string_view text);

/// The name that takes the fewest insertions, deletions, replacements and swaps of neighbours, upper and lower case being the same; "" when
/// there are no names.
std::string_view nearest_name(std::string_view name, const std::vector<std::string_view>& names);

/// The whole file. Throws InputError that names it and the reason, also when it is larger than `most` bytes.
std::string read_text_file(const std::filesystem::path& file, std::uintmax_t most);

}  // namespace gradscape
