// A combination of host, kernel and self-gravity that the catalogue doesn't offer and a reference point has.
#pragma once

#include "models/stream_star.hpp"

namespace gradscape::models {

struct StreamStarFardalSelfGravity : StreamStarOf<LogHalo, Fardal2015, true> {
    static constexpr ModelInfo info = [] {
        ModelInfo info = StreamStarSelfGravity::info;
        info.name = "stream_star_fardal_self_gravity";
        return info;
    }();
};

}  // namespace gradscape::models
