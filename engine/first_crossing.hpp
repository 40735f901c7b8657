// Where a function of one unknown first rises through zero, one evaluation at a time: whoever evaluates the function (a trajectory, for a
// model that shoots) reports each value and is told where the next one is wanted. Plain numbers; needs no standard header.
#pragma once

#include "engine/host_device.hpp"

namespace gradscape {

struct CrossingRules {
    double tolerance;             ///< |F| at which the unknown counts as found
    double first_growth = 1.02;   ///< the second unknown tried over the first
    double growth = 1.05;         ///< the largest factor from one to the next ...
    double rising_growth = 1.5;   ///< ... and where F has only risen so far, along a line or bending down
    double largest;               ///< no unknown beyond is tried
    int most_evaluations = 300;
};

/// The search upwards from the lowest unknown, where F <= 0 (to the error with which it is known). While F is below zero, the next unknown
/// is the root of the parabola through the last three, or its maximum where it has no root, within the growth allowed; a hump that was
/// jumped over is looked into. Once F changes sign, the parabola's root within the bracket (Muller's method), or bisection where three of
/// them didn't halve the bracket. Muller 1956, Mathematical Tables and Other Aids to Computation 10, 208.
struct FirstCrossing {
    enum class Verdict {
        evaluate,  ///< F is wanted at x
        found,     ///< the F just reported is zero within the tolerance
        none,      ///< F stays below zero up to the largest unknown, or above it from the lowest on, or was evaluated too often
        stalled,   ///< neighbouring numbers lie on both sides of a jump of F
    };

    double x;                      ///< where F is wanted
    double x1, f1, x2, f2, x3, f3; ///< the latest points, newest first
    double low, high;              ///< the bracket: F(low) < 0 < F(high); high is NaN while there is none
    double width;                  ///< of the bracket when it was last halved
    double left, left_f, top, top_f, right, right_f;  ///< a hump that is being looked into: left < top < right
    int points, evaluations, slow, looks, descents;
    bool fell;

    /// Begins, or begins again (evaluations count on), at the lowest unknown. Returns whether that is one.
    HOST_DEVICE_INLINE bool begin(double lowest, const CrossingRules& rules) {
        x = lowest;
        high = __builtin_nan("");
        points = slow = looks = descents = 0;
        fell = false;
        return lowest > 0 && lowest <= rules.largest;
    }

    /// f = F(x).
    HOST_DEVICE_INLINE Verdict report(double f, const CrossingRules& rules) {
        ++evaluations;
        if (f <= rules.tolerance && f >= -rules.tolerance) return Verdict::found;
        if (!(f < 0 || f > 0) || evaluations >= rules.most_evaluations) return Verdict::none;
        if (points == 0 && f > 0) return downwards(f, rules);
        if (high == high) return within_bracket(f);
        if (looks > 0) return look_into_hump(f, rules);
        remember(f);
        if (f > 0) return bracketed(x2, x1);
        low = x1;
        if (descents > 0 && points == 1) {  // the crossing lies below the lowest unknown
            x2 = right, f2 = right_f;
            points = 2;
            return bracketed(x1, x2);
        }
        if (points >= 2 && f1 < f2) {
            fell = true;
            if (points >= 3 && f2 >= f3) {  // a hump between x3 and x1
                left = x3, left_f = f3, top = x2, top_f = f2, right = x1, right_f = f1;
                const Hump hump = hump_of_points();
                if (hump.inside && hump.height > 0.5 * top_f) {
                    looks = 1;
                    x = hump.at;
                    return Verdict::evaluate;
                }
            }
        }
        return upwards(rules);
    }

private:
    static constexpr double epsilon = 2.220446049250313e-16;
    static constexpr int most_looks = 6, most_descents = 8;

    struct Hump {
        double at, height;
        bool inside;
    };

    HOST_DEVICE_INLINE void remember(double f) {
        x3 = x2, f3 = f2;
        x2 = x1, f2 = f1;
        x1 = x, f1 = f;
        if (points < 3) ++points;
    }

    /// Where F <= 0 at the lowest unknown but for the error of its computation, the crossing lies a little below.
    HOST_DEVICE_INLINE Verdict downwards(double f, const CrossingRules& rules) {
        if (descents == most_descents) return Verdict::none;
        ++descents;
        right = x, right_f = f;
        x /= descents == 1 ? rules.first_growth : rules.growth;
        return Verdict::evaluate;
    }

    /// Slope at x1 and half the second derivative of the parabola through the latest points; a line through two.
    HOST_DEVICE_INLINE void parabola(double& slope, double& curvature) const {
        const double chord = (f1 - f2) / (x1 - x2);
        curvature = points < 3 ? 0 : (chord - (f2 - f3) / (x2 - x3)) / (x1 - x3);
        slope = chord + curvature * (x1 - x2);
    }

    /// The next unknown of the search upwards from x1, where F < 0.
    HOST_DEVICE_INLINE Verdict upwards(const CrossingRules& rules) {
        if (x1 >= rules.largest) return Verdict::none;
        if (points < 2) {
            x = x1 * rules.first_growth;
        } else {
            double slope, curvature;
            parabola(slope, curvature);
            double next = x1 * rules.growth;
            if (slope > 0 && f1 > f2) {
                const double discriminant = slope * slope - 4 * curvature * f1;
                if (discriminant >= 0) {
                    next = x1 - 2 * f1 / (slope + __builtin_sqrt(discriminant));
                    if (next - x1 <= 2 * epsilon * x1) return Verdict::stalled;
                } else if (const double to_top = -slope / (2 * curvature); to_top > 1e-3 * x1) {
                    next = x1 + to_top;
                }
            }
            const bool steady = !fell && points == 3 && 2 * curvature * (next - x1) <= 0.2 * slope;
            const double most = x1 * (steady ? rules.rising_growth : rules.growth);
            x = next < most ? next : most;
        }
        if (!(x < rules.largest)) x = rules.largest;
        return Verdict::evaluate;
    }

    /// The top of the parabola through the hump's three points.
    HOST_DEVICE_INLINE Hump hump_of_points() const {
        const double rise = (top_f - left_f) / (top - left), fall = (right_f - top_f) / (right - top);
        const double curvature = (fall - rise) / (right - left);
        const double at = 0.5 * (left + top) - rise / (2 * curvature);
        const double height = top_f + (at - top) * (fall + curvature * (at - right));
        return {at, height, at > left && at < right && at != top};
    }

    HOST_DEVICE_INLINE Verdict look_into_hump(double f, const CrossingRules& rules) {
        if (f > 0) {
            const bool beyond = x > top;
            x2 = beyond ? top : left, f2 = beyond ? top_f : left_f;
            x3 = beyond ? right : top, f3 = beyond ? right_f : top_f;
            x1 = x, f1 = f;
            points = 3;
            return bracketed(x2, x);
        }
        const bool beyond = x > top;
        if (f > top_f) {
            if (beyond)
                left = top, left_f = top_f;
            else
                right = top, right_f = top_f;
            top = x, top_f = f;
        } else if (beyond) {
            right = x, right_f = f;
        } else {
            left = x, left_f = f;
        }
        const Hump hump = hump_of_points();
        if (looks < most_looks && hump.inside && hump.height > 0) {
            ++looks;
            x = hump.at;
            return Verdict::evaluate;
        }
        looks = 0;
        return upwards(rules);  // from behind the hump: x1 still
    }

    HOST_DEVICE_INLINE Verdict bracketed(double below, double above) {
        low = below;
        high = above;
        width = high - low;
        slow = 0;
        return next_in_bracket();
    }

    HOST_DEVICE_INLINE Verdict within_bracket(double f) {
        remember(f);
        (f < 0 ? low : high) = x;
        if (high - low <= 0.5 * width) {
            width = high - low;
            slow = 0;
        } else {
            ++slow;
        }
        return next_in_bracket();
    }

    HOST_DEVICE_INLINE Verdict next_in_bracket() {
        const double middle = low + 0.5 * (high - low);
        if (high - low <= 2 * epsilon * high || !(middle > low && middle < high)) return Verdict::stalled;
        double slope, curvature;
        parabola(slope, curvature);
        const double discriminant = slope * slope - 4 * curvature * f1;
        const double root = discriminant >= 0 ? __builtin_sqrt(discriminant) : __builtin_nan("");
        double next = x1 - 2 * f1 / (slope < 0 ? slope - root : slope + root);
        if (!(next > low && next < high) || slow >= 3) {
            next = middle;
            slow = 0;
        }
        x = next;
        return Verdict::evaluate;
    }
};

}  // namespace gradscape
