// Tables of samples as text with commas.
#include "engine/scenario.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "engine/input_text.hpp"

namespace gradscape {
namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(blanks);
    return first == std::string_view::npos ? std::string_view() : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// The cell without blanks around it and without the quotes that spreadsheets put there.
std::string_view cell_text(std::string_view cell) {
    cell = trimmed(cell);
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') cell = trimmed(cell.substr(1, cell.size() - 2));
    return cell;
}

std::vector<std::string_view> cells_of(std::string_view line) {
    std::vector<std::string_view> cells;
    for (std::size_t comma = line.find(','); comma != std::string_view::npos; comma = line.find(',')) {
        cells.push_back(cell_text(line.substr(0, comma)));
        line.remove_prefix(comma + 1);
    }
    cells.push_back(cell_text(line));
    return cells;
}

std::optional<double> number(std::string_view text) {
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// Adds the lines of one file to the table.
class Reader {
public:
    explicit Reader(const std::filesystem::path& file) : file_(one_line(file.string())) {}

    void line(std::string_view text) {
        ++line_;
        text = trimmed(text.substr(0, text.find('#')));
        if (text.empty()) return;
        const std::vector<std::string_view> cells = cells_of(text);
        if (table_.names.empty()) read_names(cells);
        else read_row(cells);
    }

    SampleTable table() {
        if (table_.size() == 0)
            throw InputError(file_ + ": has no " + (table_.names.empty() ? "line with the names of the columns" : "rows"));
        return std::move(table_);
    }

private:
    std::string place() const { return file_ + ", line " + std::to_string(line_); }
    std::string place(std::size_t column) const { return place() + ", column " + std::to_string(column + 1); }

    void read_names(const std::vector<std::string_view>& cells) {
        for (std::size_t c = 0; c < cells.size(); ++c) {
            if (cells[c].empty()) throw InputError(place(c) + ": the name is empty");
            if (number(cells[c]))
                throw InputError(place(c) + ": " + in_quotes(cells[c]) + " is a number; the first line must name the columns");
            if (cells[c].find_first_of(";\t") != std::string_view::npos)
                throw InputError(place(c) + ": " + in_quotes(cells[c]) + " is no name; columns are separated by commas");
            if (std::find(table_.names.begin(), table_.names.end(), cells[c]) != table_.names.end())
                throw InputError(place(c) + ": the name " + in_quotes(cells[c]) + " is given twice");
            table_.names.emplace_back(cells[c]);
        }
        table_.columns.resize(cells.size());
    }

    void read_row(const std::vector<std::string_view>& cells) {
        const std::size_t columns = table_.names.size();
        if (cells.size() != columns)
            throw InputError(place() + ": has " + std::to_string(cells.size()) + " values where the first line names " +
                             std::to_string(columns) + " columns");
        for (std::size_t c = 0; c < columns; ++c) {
            const std::optional<double> value = number(cells[c]);
            if (!value || !std::isfinite(*value))
                throw InputError(place(c) + " (" + one_line(table_.names[c], 60) + "): " + in_quotes(cells[c]) + " is not a finite number");
            table_.columns[c].push_back(*value);
        }
    }

    std::string file_;
    std::int64_t line_ = 0;
    SampleTable table_;
};

}  // namespace

SampleTable read_csv_table(const std::filesystem::path& file) {
    constexpr std::uintmax_t largest_file = std::uintmax_t{1} << 40;
    const std::string text = read_text_file(file, largest_file);
    std::string_view rest = text;
    if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);  // byte order mark
    Reader reader(file);
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        reader.line(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return reader.table();
}

}  // namespace gradscape
