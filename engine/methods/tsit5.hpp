// Tsitouras 5(4), 7 stages, first same as last; dense output of order 4 without extra stages.
// Ch. Tsitouras, Runge-Kutta pairs of order 5(4) satisfying only the first column simplifying assumption,
// Comput. Math. Appl. 62 (2011) 770-775. The interpolant's digits follow from the order conditions.
#pragma once

#include "engine/host_device.hpp"

namespace gradscape {

struct Tsit5 {
    static constexpr int order = 5, embedded_order = 4;
    static constexpr int stages = 7;
    static constexpr int extra_stages = 0;  ///< of the dense output, computed only for steps in which a row lies
    static constexpr int dense_order = 4, dense_degree = 4;

    /// Nodes of the stages, the extra ones of the dense output included.
    HOST_DEVICE static constexpr double c(int i) {
        constexpr double table[] = {0, 0.161, 0.327, 0.9, 0.9800255409045097, 1, 1};
        return table[i];
    }

    /// Stage i is f(t + c_i h, y0 + h sum_j a_ij k_j).
    HOST_DEVICE static constexpr double a(int i, int j) {
        constexpr double table[][6] = {
            {0, 0, 0, 0, 0, 0},
            {0.161, 0, 0, 0, 0, 0},
            {-0.008480655492356989, 0.335480655492357, 0, 0, 0, 0},
            {2.8971530571054935, -6.359448489975075, 4.3622954328695815, 0, 0, 0},
            {5.325864828439257, -11.748883564062828, 7.4955393428898365, -0.09249506636175525, 0, 0},
            {5.86145544294642, -12.92096931784711, 8.159367898576159, -0.071584973281401, -0.028269050394068383, 0},
            {0.09646076681806523, 0.01, 0.4798896504144996, 1.379008574103742, -3.290069515436081, 2.324710524099774},
        };
        return table[i][j];
    }

    /// Weights of the solution: y1 = y0 + h sum_i b_i k_i.
    HOST_DEVICE static constexpr double b(int i) {
        constexpr double table[] = {0.09646076681806523, 0.01, 0.4798896504144996, 1.379008574103742, -3.290069515436081,
                                    2.324710524099774, 0};
        return table[i];
    }

    /// Weights of the error estimate, b - b_hat.
    HOST_DEVICE static constexpr double b_error(int i) {
        constexpr double table[] = {0.0017800110522257714, 0.0008164344596567469, -0.007880878010261995, 0.1447110071732629,
                                    -0.5823571654525552, 0.45808210592918697, -0.015151515151515152};
        return table[i];
    }

    /// Dense output: y(t + theta h) = y0 + h sum_i b_i(theta) k_i with b_i(theta) = sum_j p_ij theta^(j+1).
    HOST_DEVICE static constexpr double p(int i, int j) {
        constexpr double table[][4] = {
            {1, -2.763706197274826, 2.9132554618219126, -1.0530884977290216},
            {0, 0.1317, -0.2234, 0.1017},
            {0, 3.9302962368947516, -5.941033872131505, 2.490627285651253},
            {0, -12.411077166933676, 30.33818863028232, -16.548102889244902},
            {0, 37.50931341651104, -88.1789048947664, 47.37952196281928},
            {0, -27.896526289197286, 65.09189467479366, -34.87065786149661},
            {0, 1.5, -4, 2.5},
        };
        return table[i][j];
    }
};

}  // namespace gradscape
