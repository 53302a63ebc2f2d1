#include "json.hpp"

#include <cmath>

namespace hurray::tool {
namespace {

json value_json(std::string const& text) { return text; }
json value_json(std::int64_t number) { return number; }
json value_json(std::uint64_t number) { return number; }
json value_json(bool truth) { return truth; }
json value_json(double number) {
    if (std::isfinite(number)) return number;
    return std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";  // JSON has no such numbers
}
json value_json(std::vector<std::byte> const& bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (auto const byte : bytes) {
        text += digits[std::to_integer<unsigned>(byte) >> 4];
        text += digits[std::to_integer<unsigned>(byte) & 15];
    }
    return json{{"bytes", text}};
}
json value_json(metadata_array const& array) {
    return std::visit(
        [](auto const& elements) {
            using element_type = typename std::remove_cvref_t<decltype(elements)>::value_type;
            auto list = json::array();
            for (element_type const& element : elements) list.push_back(value_json(element));
            return list;
        },
        array);
}

}  // namespace

json metadata_json(metadata const& from) {
    auto object = json::object();
    for (auto const& [key, value] : from)
        object[key] = std::visit([](auto const& known) { return value_json(known); }, value);
    return object;
}

json error_json(error const& e, std::string_view slice_word) {
    json object;
    if (auto const number = rule(e.code); number != 0) object["rule"] = number;
    object["message"] = e.code.message();
    auto const add = [&](std::string_view key, std::uint64_t value) {
        if (value != error::nowhere) object[std::string(key)] = value;
    };
    add(slice_word, e.slice);
    add("entry", e.position);
    add("byte", e.offset);
    return object;
}

std::string json_text(json const& document) {
    return document.dump(2, ' ', false, json::error_handler_t::replace) + '\n';
}

}  // namespace hurray::tool
