// Values of a JSON document with their paths: each reader refuses another type by naming path, value and what is allowed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace gradscape {

/// Throws InputError: "path: value is not wanted".
[[noreturn]] void refuse(const std::string& path, const nlohmann::json& value, const std::string& wanted);

std::string listed(const std::vector<std::string_view>& names);  ///< "a, b, c"
std::string shown(const nlohmann::json& value);                  ///< as in the document, cut; "a list"; "an object"

double real(const nlohmann::json& value, const std::string& path);
bool boolean(const nlohmann::json& value, const std::string& path);
std::string text(const nlohmann::json& value, const std::string& path);

/// A whole number, also when it is written as 2.0 or 2e4.
std::int64_t whole(const nlohmann::json& value, const std::string& path, std::int64_t least, std::int64_t most);

/// Position of the word among those allowed.
std::size_t choice(const nlohmann::json& value, const std::string& path, const std::vector<std::string_view>& words);

/// An object whose keys are known. It is referred to, not copied.
class JsonSection {
public:
    /// Throws InputError when it is no object, or has another key than `keys`; `kind` says what the keys are.
    JsonSection(const nlohmann::json& object, std::string path, const std::vector<std::string_view>& keys, const std::string& kind = "key");

    const nlohmann::json* find(std::string_view key) const;  ///< nullptr when it isn't there
    double required(std::string_view key) const;             ///< the number there; throws InputError when it is missing
    std::string path(std::string_view key) const;

    /// Sets what the key holds, when it is there; `read` gets the value and its path.
    template <class Target, class Read>
    void set(std::string_view key, Target& target, Read read) const {
        if (const nlohmann::json* value = find(key)) target = read(*value, path(key));
    }

private:
    const nlohmann::json& object_;
    std::string path_;
};

}  // namespace gradscape
