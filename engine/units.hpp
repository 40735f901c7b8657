// The units that descriptions name. The name is what files say: a string that astropy, pint and UDUNITS all parse, except the solar
// mass, for which no such string exists. The SI factor goes into files too, so that a reader needs no unit library.
#pragma once

#include <array>
#include <string_view>

namespace gradscape {

struct Unit {
    std::string_view name;       ///< as in descriptions and files
    std::string_view symbol;     ///< on screen; empty when dimensionless
    double si;                   ///< one of it in SI units
    std::string_view si_symbol;  ///< "m/s", "kg"; "1" when dimensionless
};

// IAU 2012/2015: au = 149597870700 m, parsec = 648000/pi au, GMsun = 1.3271244e20 m^3/s^2; G = 6.67430e-11 (CODATA 2018); a year is
// 365.25 days.
inline constexpr std::array units{
    Unit{"1", "", 1, "1"},
    Unit{"rad", "rad", 1, "rad"},
    Unit{"degree", "°", 0.017453292519943295, "rad"},
    Unit{"kiloparsec", "kpc", 3.085677581491367e19, "m"},
    Unit{"Gyr", "Gyr", 3.15576e16, "s"},
    Unit{"km/s", "km/s", 1e3, "m/s"},
    Unit{"km^2/s^2", "km²/s²", 1e6, "m^2/s^2"},
    Unit{"kiloparsec*km/s", "kpc km/s", 3.085677581491367e22, "m^2/s"},
    Unit{"milliarcsecond/yr", "mas/yr", 1.5362818500441604e-16, "rad/s"},
    Unit{"km", "km", 1e3, "m"},
    Unit{"Msun", "M☉", 1.9884098706980507e30, "kg"},
    Unit{"megaparsec", "Mpc", 3.085677581491367e22, "m"},
    Unit{"km/s/megaparsec", "km/s/Mpc", 3.240779289444365e-20, "1/s"},
    Unit{"1e10 Msun", "10¹⁰ M☉", 1.9884098706980507e40, "kg"},
};

/// nullptr when the table lacks it.
constexpr const Unit* find_unit(std::string_view name) {
    for (const Unit& unit : units)
        if (unit.name == name) return &unit;
    return nullptr;
}

}  // namespace gradscape
