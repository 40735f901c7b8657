// What the tests of the export share.
#pragma once

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "engine/ensemble.hpp"

namespace gradscape {

inline bool same(const std::vector<double>& a, const std::vector<double>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

inline void compare(const EnsembleChunk& a, const EnsembleChunk& b) {
    QCOMPARE(a.first, b.first);
    QCOMPARE(a.count, b.count);
    QCOMPARE(a.rows, b.rows);
    QVERIFY(same(a.drawn, b.drawn));
    QVERIFY(same(a.internals, b.internals));
    QVERIFY(same(a.states, b.states));
    QVERIFY(same(a.observables, b.observables));
    QVERIFY(same(a.row_times, b.row_times));
    QVERIFY(same(a.drift, b.drift));
    QVERIFY(same(a.span_start, b.span_start));
    QVERIFY(same(a.span_end, b.span_end));
    QVERIFY(same(a.stopped_at, b.stopped_at));
    QVERIFY(a.status == b.status);
    QVERIFY(a.accepted == b.accepted);
    QVERIFY(a.rejected == b.rejected);
}

/// What `action` throws, or "".
template <class Action>
std::string message(Action action) {
    try {
        action();
    } catch (const std::exception& failure) {
        return failure.what();
    }
    return {};
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

inline std::vector<std::string> names_in(const std::filesystem::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace gradscape
