#include "engine/json_section.hpp"

#include <algorithm>
#include <cmath>

#include "engine/input_text.hpp"
#include "engine/scenario.hpp"
#include "engine/strict_json.hpp"

namespace gradscape {

using nlohmann::json;

std::string shown(const json& value) {
    if (value.is_object()) return "an object";
    if (value.is_array()) return "a list";
    return one_line(value.dump(-1, ' ', false, json::error_handler_t::replace), 60);
}

void refuse(const std::string& path, const json& value, const std::string& wanted) {
    throw InputError(path + ": " + shown(value) + " is not " + wanted);
}

std::string listed(const std::vector<std::string_view>& names) {
    std::string list;
    for (const std::string_view name : names) list += (list.empty() ? "" : ", ") + std::string(name);
    return list;
}

double real(const json& value, const std::string& path) {
    if (!value.is_number()) refuse(path, value, "a number");
    return value.get<double>();
}

std::int64_t whole(const json& value, const std::string& path, std::int64_t least, std::int64_t most) {
    const std::string wanted = "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
    if (value.is_number_float()) {
        const double number = value.get<double>();
        if (number == std::floor(number) && number >= static_cast<double>(least) && number <= static_cast<double>(most))
            return static_cast<std::int64_t>(number);
    } else if (value.is_number_unsigned()) {
        if (const auto number = value.get<std::uint64_t>();
            number <= static_cast<std::uint64_t>(most) && static_cast<std::int64_t>(number) >= least)
            return static_cast<std::int64_t>(number);
    } else if (value.is_number_integer()) {
        if (const auto number = value.get<std::int64_t>(); number >= least && number <= most) return number;
    }
    refuse(path, value, wanted);
}

bool boolean(const json& value, const std::string& path) {
    if (!value.is_boolean()) refuse(path, value, "true or false");
    return value.get<bool>();
}

std::string text(const json& value, const std::string& path) {
    if (!value.is_string()) refuse(path, value, "a text in quotes");
    return value.get<std::string>();
}

std::size_t choice(const json& value, const std::string& path, const std::vector<std::string_view>& words) {
    if (value.is_string())
        for (std::size_t i = 0; i < words.size(); ++i)
            if (value.get_ref<const std::string&>() == words[i]) return i;
    refuse(path, value, "one of " + listed(words));
}

JsonSection::JsonSection(const json& object, std::string path, const std::vector<std::string_view>& keys, const std::string& kind)
    : object_(object), path_(std::move(path)) {
    if (!object.is_object()) refuse(path_.empty() ? "the scenario" : path_, object, "an object {...}");
    for (const auto& item : object.items())
        if (std::find(keys.begin(), keys.end(), item.key()) == keys.end())
            throw InputError(
                key_path(path_, item.key()) + ": there is no such " + kind +
                (keys.empty() ? "" : "; the nearest is " + in_quotes(nearest_name(item.key(), keys)) + ", all are " + listed(keys)));
}

const json* JsonSection::find(std::string_view key) const {
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
}

std::string JsonSection::path(std::string_view key) const { return key_path(path_, key); }

double JsonSection::required(std::string_view key) const {
    const json* value = find(key);
    if (value == nullptr) throw InputError(path(key) + ": is missing");
    return real(*value, path(key));
}

}  // namespace gradscape
