#include "engine/strict_json.hpp"

#include <string>
#include <vector>

#include "engine/input_text.hpp"
#include "engine/scenario.hpp"

namespace gradscape {
namespace {

using nlohmann::json;

constexpr std::size_t deepest = 64;

/// Builds the value from the parser's events and knows the path of the value that comes next.
class Builder final : public json::json_sax_t {
public:
    json take() { return std::move(root_); }

    bool null() override { return add(nullptr); }
    bool boolean(bool value) override { return add(value); }
    bool number_integer(number_integer_t value) override { return add(value); }
    bool number_unsigned(number_unsigned_t value) override { return add(value); }
    bool number_float(number_float_t value, const string_t& /*text*/) override { return add(value); }
    bool string(string_t& value) override { return add(std::move(value)); }
    bool binary(binary_t& value) override { return add(std::move(value)); }
    bool start_object(std::size_t /*size*/) override { return open(json::object()); }
    bool start_array(std::size_t /*size*/) override { return open(json::array()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }

    bool key(string_t& name) override {
        open_.back().key = name;
        if (open_.back().value->contains(name)) throw InputError(path() + ": is given twice");
        return true;
    }

    bool parse_error(std::size_t /*position*/, const std::string& token, const nlohmann::detail::exception& error) override {
        constexpr int number_overflow = 406;
        if (error.id == number_overflow) throw InputError(path() + ": " + one_line(token, 60) + " is not a finite number");
        const std::string_view what = error.what();  // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
        throw InputError("no valid JSON: " + one_line(what.substr(what.find("] ") + 2), 300));
    }

private:
    struct Open {
        json* value;
        std::string key;
    };

    std::string path() const {
        std::string path;
        for (const Open& level : open_) {
            if (level.value->is_array()) path += '[' + std::to_string(level.value->size() - (&level == &open_.back() ? 0 : 1)) + ']';
            else path = key_path(path, level.key);
        }
        return path.empty() ? "the scenario" : path;
    }

    json* place(json value) {
        if (open_.empty()) return &(root_ = std::move(value));
        json& parent = *open_.back().value;
        if (parent.is_array()) return &parent.emplace_back(std::move(value));
        return &(parent[open_.back().key] = std::move(value));
    }

    bool add(json value) {
        place(std::move(value));
        return true;
    }

    bool open(json value) {
        if (open_.size() == deepest) throw InputError(one_line(path()) + ": is nested deeper than " + std::to_string(deepest) + " levels");
        open_.push_back({place(std::move(value)), {}});
        return true;
    }

    bool close() {
        open_.pop_back();
        return true;
    }

    json root_;
    std::vector<Open> open_;
};

bool is_identifier(std::string_view key) {
    for (const char c : key)
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_')) return false;
    return !key.empty();
}

}  // namespace

json parse_strict_json(std::string_view text) {
    Builder builder;
    json::sax_parse(text.begin(), text.end(), &builder);
    return builder.take();
}

std::string key_path(std::string_view path, std::string_view key) {
    std::string joined(path);
    if (!joined.empty()) joined += '.';
    return joined + (is_identifier(key) && key.size() <= 60 ? std::string(key) : in_quotes(key));
}

}  // namespace gradscape
