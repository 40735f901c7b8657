// JSON read without leniency: what nlohmann's parser would let pass or report without a place is refused with the key's path.
#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

namespace gradscape {

/// Throws InputError on anything but one JSON value in UTF-8: syntax errors with line and column; keys given twice, numbers beyond the
/// range of doubles and nesting deeper than 64 levels with their path. A byte order mark is skipped.
nlohmann::json parse_strict_json(std::string_view text);

/// `key` appended to a path; strange keys are made printable.
std::string key_path(std::string_view path, std::string_view key);

}  // namespace gradscape
