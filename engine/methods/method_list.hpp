// The methods by name, each with what users ask of it.
#pragma once

#include <array>
#include <string_view>

#include "engine/methods/tsit5.hpp"
#include "engine/methods/vern7.hpp"

namespace gradscape {

struct MethodInfo {
    std::string_view name, title;
    int order, embedded_order, stages, dense_order;
    std::string_view citation;
};

inline constexpr std::array methods = {
    MethodInfo{"tsit5", "Tsitouras 5(4)", Tsit5::order, Tsit5::embedded_order, Tsit5::stages, Tsit5::dense_order,
               "Ch. Tsitouras, Comput. Math. Appl. 62 (2011) 770"},
    MethodInfo{"vern7", "Verner 7(6), most efficient", Vern7::order, Vern7::embedded_order, Vern7::stages, Vern7::dense_order,
               "J. H. Verner, Numer. Algorithms 53 (2010) 383; www.sfu.ca/~jverner"},
};

/// Index in `methods`, or -1.
constexpr int method_index(std::string_view name) {
    for (std::size_t i = 0; i < methods.size(); ++i)
        if (methods[i].name == name) return static_cast<int>(i);
    return -1;
}

}  // namespace gradscape
