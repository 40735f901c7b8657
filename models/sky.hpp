// The sky as seen from the Sun: Galactocentric position and velocity to ICRS coordinates and to the stream frame of GD-1.
//
// The Sun is at (-sqrt(R0^2 - z0^2), 0, z0): R0 from the Galactic centre, z0 above the plane. The Galactocentric axes are those of a
// frame that points at the centre exactly, tilted about y by asin(z0/R0). The rotation from ICRS to that untilted frame is astropy's
// ("v4.0": centre at RA 266.4051, Dec -28.936175 degrees, roll 58.5986320306 degrees), found from astropy's whole rotation at R0 = 8.122,
// z0 = 0.0208 kpc by undoing the tilt in 40 digits; it doesn't depend on R0 and z0.
// Stream frame: Koposov, Rix & Hogg 2010, ApJ 712, 260, appendix.
#pragma once

#include "engine/real.hpp"

namespace gradscape::models {

/// An angle pair on the sky in degrees and its proper motion in mas/yr; that of the longitude includes cos(latitude).
template <class T>
struct SkyAngles {
    T longitude;  ///< -180 to 180
    T latitude;
    T pm_longitude, pm_latitude;
};

template <class T>
struct SkyCoordinates {
    T distance;         ///< kpc
    T radial_velocity;  ///< km/s, positive when receding
    SkyAngles<T> icrs;  ///< longitude is the right ascension, 0 to 360
    SkyAngles<T> stream;
};

/// a v0 + b v1 + c v2
template <class T>
HOST_DEVICE inline T dot(const T* v, double a, double b, double c) {
    return fma(T(a), v[0], fma(T(b), v[1], T(c) * v[2]));
}

/// Angles of the position q (kpc) at the distance d and their change with the velocity w (km/s). At the poles of the frame the proper
/// motions are undefined (NaN).
template <class T>
HOST_DEVICE inline SkyAngles<T> sky_angles(const T* q, const T* w, const T& d) {
    constexpr double degrees = 57.29577951308232;
    constexpr double k = 4.740470463533349;  // km/s per kpc mas/yr
    const T in_plane_squared = fma(q[0], q[0], q[1] * q[1]);
    const T in_plane = sqrt(in_plane_squared);
    const T along_plane = fma(q[0], w[0], q[1] * w[1]);
    const T longitude = T(degrees) * atan2(q[1], q[0]);
    return {select(longitude <= T(-180), T(180), longitude), T(degrees) * atan2(q[2], in_plane),
            fma(q[0], w[1], -(q[1] * w[0])) / (in_plane * d * T(k)),
            fma(w[2], in_plane_squared, -(q[2] * along_plane)) / (in_plane * d * d * T(k))};
}

/// y: Galactocentric x, y, z (kpc), vx, vy, vz (km/s). sun: R0, z0 (kpc), vx, vy, vz (km/s).
template <class T>
HOST_DEVICE inline SkyCoordinates<T> sky_coordinates(const T* y, const T* sun) {
    const T sin_tilt = sun[1] / sun[0];
    const T cos_tilt = sqrt(fma(-sin_tilt, sin_tilt, T(1)));
    const auto icrs = [&](const T& x, const T& lateral, const T& z, T* out) {
        const T untilted[3] = {fma(cos_tilt, x, -(sin_tilt * z)), lateral, fma(sin_tilt, x, cos_tilt * z)};
        out[0] = dot(untilted, -0.054873956175538315, 0.4941107627040048, -0.8676654903323698);
        out[1] = dot(untilted, -0.8734371822248348, -0.4448286178025452, -0.19807824083179426);
        out[2] = dot(untilted, -0.4838350314319809, 0.7469819642829025, 0.45598421836207215);
    };
    const auto stream = [](const T* v, T* out) {
        out[0] = dot(v, -0.4776303088, -0.1738432154, 0.8611897727);
        out[1] = dot(v, 0.510844589, -0.8524449229, 0.111245042);
        out[2] = dot(v, 0.7147776536, 0.4930681392, 0.4959603976);
    };
    T p[3], w[3], q[3], v[3];
    icrs(fma(sun[0], cos_tilt, y[0]), y[1], y[2] - sun[1], p);
    icrs(y[3] - sun[2], y[4] - sun[3], y[5] - sun[4], w);
    stream(p, q);
    stream(w, v);

    SkyCoordinates<T> sky;
    sky.distance = sqrt(fma(p[0], p[0], fma(p[1], p[1], p[2] * p[2])));
    sky.radial_velocity = fma(p[0], w[0], fma(p[1], w[1], p[2] * w[2])) / sky.distance;
    sky.icrs = sky_angles(p, w, sky.distance);
    const T turned = select(sky.icrs.longitude < T(0), sky.icrs.longitude + T(360), sky.icrs.longitude);
    sky.icrs.longitude = select(turned >= T(360), T(0), turned);  // a tiny negative angle rounds to 360
    sky.stream = sky_angles(q, v, sky.distance);
    return sky;
}

}  // namespace gradscape::models
