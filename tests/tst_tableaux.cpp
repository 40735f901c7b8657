// Every coefficient of a method against the order conditions: one equation per rooted tree, for the solution, the embedded solution and
// each power of the dense output (Hairer, Nørsett & Wanner I, section II.2). A new method is tested by adding its type to the list.
#include <cmath>
#include <utility>
#include <vector>

#include <QtTest>

#include "engine/methods/method_list.hpp"

namespace {

using namespace gradscape;

struct Tree {
    int order = 1;
    double gamma = 1;
    std::vector<std::size_t> children;  ///< indices in the list of trees, ascending
};

/// Extends `tree` by subtrees from `first` on until it has the given order.
void grow(const Tree& tree, std::size_t first, int order, std::vector<Tree>& trees, std::size_t known) {
    if (tree.order == order) {
        trees.push_back(tree);
        trees.back().gamma *= order;
        return;
    }
    for (std::size_t i = first; i < known && tree.order + trees[i].order <= order; ++i) {
        Tree larger = tree;
        larger.order += trees[i].order;
        larger.gamma *= trees[i].gamma;
        larger.children.push_back(i);
        grow(larger, i, order, trees, known);
    }
}

/// The rooted trees up to an order: 1, 1, 2, 4, 9, 20, 48 of them.
std::vector<Tree> rooted_trees(int order) {
    std::vector<Tree> trees;
    for (int n = 1; n <= order; ++n) grow(Tree{}, 0, n, trees, trees.size());
    return trees;
}

/// A method's table as numbers, and what it claims.
struct Table {
    std::vector<std::vector<double>> a;  ///< the extra stages of the dense output included
    std::vector<double> b, b_embedded;
    std::vector<std::vector<double>> p;
    int order, embedded_order, dense_order;

    /// phi[tree][stage]
    std::vector<std::vector<double>> elementary_weights(const std::vector<Tree>& trees) const {
        std::vector<std::vector<double>> phi;
        for (const Tree& tree : trees) {
            std::vector<double> weight(a.size(), 1);
            for (const std::size_t child : tree.children)
                for (std::size_t i = 0; i < a.size(); ++i) {
                    double sum = 0;
                    for (std::size_t j = 0; j < i; ++j) sum += a[i][j] * phi[child][j];
                    weight[i] *= sum;
                }
            phi.push_back(weight);
        }
        return phi;
    }
};

template <class Tableau>
Table table_of() {
    constexpr int all = Tableau::stages + Tableau::extra_stages;
    Table table{{}, {}, {}, {}, Tableau::order, Tableau::embedded_order, Tableau::dense_order};
    for (int i = 0; i < all; ++i) {
        table.a.emplace_back();
        for (int j = 0; j < i; ++j) table.a.back().push_back(Tableau::a(i, j));
        table.p.emplace_back();
        for (int j = 0; j < Tableau::dense_degree; ++j) table.p.back().push_back(Tableau::p(i, j));
        if (i >= Tableau::stages) continue;
        table.b.push_back(Tableau::b(i));
        table.b_embedded.push_back(Tableau::b(i) - Tableau::b_error(i));
    }
    return table;
}

const Table tables[] = {table_of<Tsit5>(), table_of<Vern7>()};
static_assert(std::size(tables) == methods.size(), "every method is in the list");

double sum_over_stages(const std::vector<double>& weights, const std::vector<double>& phi) {
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * phi[i];
    return sum;
}

/// Largest violation of the order conditions of one order.
double violation(const Table& table, const std::vector<double>& weights, int order) {
    const std::vector<Tree> trees = rooted_trees(order);
    const auto phi = table.elementary_weights(trees);
    double largest = 0;
    for (std::size_t t = 0; t < trees.size(); ++t)
        if (trees[t].order == order) largest = std::max(largest, std::abs(sum_over_stages(weights, phi[t]) - 1 / trees[t].gamma));
    return largest;
}

/// Largest violation of sum_i b_i(theta) phi_i = theta^n / gamma, power by power of theta, relative to the largest sums.
double dense_violation(const Table& table) {
    const std::vector<Tree> trees = rooted_trees(table.dense_order);
    const auto phi = table.elementary_weights(trees);
    double largest = 0;
    for (std::size_t t = 0; t < trees.size(); ++t)
        for (std::size_t power = 1; power <= table.p.front().size(); ++power) {
            double sum = 0, size = 1;
            for (std::size_t i = 0; i < table.p.size(); ++i) {
                sum += table.p[i][power - 1] * phi[t][i];
                size += std::abs(table.p[i][power - 1] * phi[t][i]);
            }
            const double right = static_cast<int>(power) == trees[t].order ? 1 / trees[t].gamma : 0;
            largest = std::max(largest, std::abs(sum - right) / size);
        }
    return largest;
}

constexpr double rounding = 2e-13;  ///< of sums whose terms reach a few hundred

}  // namespace

class TestTableaux : public QObject {
    Q_OBJECT

private slots:
    void there_are_as_many_rooted_trees_as_known() {
        const std::vector<Tree> trees = rooted_trees(8);
        int count[9] = {};
        for (const Tree& tree : trees) ++count[tree.order];
        constexpr int known[] = {0, 1, 1, 2, 4, 9, 20, 48, 115};
        for (int n = 1; n <= 8; ++n) QCOMPARE(count[n], known[n]);
    }

    void the_solution_has_its_order_and_no_more_data() { add_methods(); }
    void the_solution_has_its_order_and_no_more() {
        const Table& table = this->table();
        for (int n = 1; n <= table.order; ++n) QVERIFY2(violation(table, table.b, n) < rounding, qPrintable(QString::number(n)));
        QVERIFY(violation(table, table.b, table.order + 1) > 1e-9);
    }

    void the_embedded_solution_has_its_order_and_no_more_data() { add_methods(); }
    void the_embedded_solution_has_its_order_and_no_more() {
        const Table& table = this->table();
        for (int n = 1; n <= table.embedded_order; ++n)
            QVERIFY2(violation(table, table.b_embedded, n) < rounding, qPrintable(QString::number(n)));
        QVERIFY(violation(table, table.b_embedded, table.embedded_order + 1) > 1e-6);
    }

    void the_dense_output_has_its_order_everywhere_data() { add_methods(); }
    void the_dense_output_has_its_order_everywhere() { QVERIFY(dense_violation(table()) < rounding); }

    void any_coefficient_wrong_in_its_ninth_digit_is_noticed_data() { add_methods(); }
    void any_coefficient_wrong_in_its_ninth_digit_is_noticed() {
        const auto noticed = [](const Table& table) {
            double largest = dense_violation(table);
            for (int n = 1; n <= table.order; ++n) largest = std::max(largest, violation(table, table.b, n));
            for (int n = 1; n <= table.embedded_order; ++n) largest = std::max(largest, violation(table, table.b_embedded, n));
            return largest > rounding;
        };
        Table broken = table();
        QVERIFY(!noticed(broken));
        const auto verify_each = [&](std::vector<double>& coefficients, const char* which, std::size_t row) {
            for (std::size_t j = 0; j < coefficients.size(); ++j) {
                if (coefficients[j] == 0) continue;
                const double right = std::exchange(coefficients[j], coefficients[j] * (1 + 1e-9));
                QVERIFY2(noticed(broken), qPrintable(QString("%1, row %2, number %3").arg(which).arg(row).arg(j)));
                coefficients[j] = right;
            }
        };
        verify_each(broken.b, "b", 0);
        verify_each(broken.b_embedded, "embedded b", 0);
        for (std::size_t i = 0; i < broken.a.size(); ++i) {
            verify_each(broken.a[i], "a", i);
            verify_each(broken.p[i], "p", i);
        }
    }

    void the_dense_output_starts_with_the_slope_and_ends_at_the_solution_data() { add_methods(); }
    void the_dense_output_starts_with_the_slope_and_ends_at_the_solution() {
        const Table& table = this->table();
        for (std::size_t i = 0; i < table.p.size(); ++i) {
            QCOMPARE(table.p[i][0], i == 0 ? 1.0 : 0.0);
            double end = 0;
            for (const double coefficient : table.p[i]) end += coefficient;
            QVERIFY(std::abs(end - (i < table.b.size() ? table.b[i] : 0)) < 1e-11);
        }
    }

private:
    static void add_methods() {
        QTest::addColumn<int>("method");
        for (std::size_t i = 0; i < methods.size(); ++i) QTest::newRow(std::string(methods[i].name).c_str()) << static_cast<int>(i);
    }
    const Table& table() const {
        QFETCH(int, method);
        return tables[method];
    }
};

QTEST_GUILESS_MAIN(TestTableaux)
#include "tst_tableaux.moc"
