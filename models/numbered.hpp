// Names for systems of any dimension: states y0, y1, ..., and texts with a number in them.
#pragma once

#include "engine/model.hpp"

namespace gradscape::models {

constexpr int digits_of(int number) { return number < 10 ? 1 : 1 + digits_of(number / 10); }
/// Place 0 is the last one.
constexpr int digit_at(int number, int place) { return place == 0 ? number % 10 : digit_at(number / 10, place - 1); }

/// A C string made at compile time.
template <int capacity>
struct ShortText {
    char text[capacity + 1]{};
    int length = 0;

    constexpr void add(const char* more) {
        for (; *more != 0; ++more) text[length++] = *more;
    }
    /// In at least `width` digits.
    constexpr void add(int number, int width = 1) {
        for (int place = (digits_of(number) > width ? digits_of(number) : width) - 1; place >= 0; --place)
            text[length++] = static_cast<char>('0' + digit_at(number, place));
    }
};

template <int d, int capacity>
constexpr ShortText<capacity + 10> with_number(const char (&text)[capacity]) {
    ShortText<capacity + 10> result;
    result.add(text);
    result.add(d);
    return result;
}

/// The names of `d` numbered states. All have the same number of digits, so that the initial value of y1, "y10" in tables, is no state.
template <int d>
struct NumberedNames {
    std::array<ShortText<16>, d> name{}, symbol{}, latex{};

    constexpr NumberedNames() {
        for (int i = 0; i < d; ++i) {
            const auto n = static_cast<std::size_t>(i);
            name[n].add("y");
            name[n].add(i, digits_of(d - 1));
            symbol[n].add("y");
            constexpr const char* subscripts[] = {"₀", "₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉"};
            for (int place = digits_of(i) - 1; place >= 0; --place) symbol[n].add(subscripts[digit_at(i, place)]);
            latex[n].add("y_{");
            latex[n].add(i);
            latex[n].add("}");
        }
    }
};
template <int d>
inline constexpr NumberedNames<d> numbered_names{};

/// States y0, y1, ... that are alike but for their default: `common` with the value of `default_value(i)`.
template <int d>
constexpr std::array<StateInfo, d> numbered_states(const StateInfo& common, double (*default_value)(int)) {
    std::array<StateInfo, d> states{};
    for (int i = 0; i < d; ++i) {
        const auto n = static_cast<std::size_t>(i);
        states[n] = common;
        states[n].name = numbered_names<d>.name[n].text;
        states[n].symbol = numbered_names<d>.symbol[n].text;
        states[n].latex = numbered_names<d>.latex[n].text;
        states[n].default_value = default_value(i);
    }
    return states;
}

}  // namespace gradscape::models
