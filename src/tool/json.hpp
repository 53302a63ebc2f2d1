#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <hurray/error.hpp>
#include <hurray/metadata.hpp>

namespace hurray::tool {

/// Members keep the order in which they were put in.
using json = nlohmann::ordered_json;

/// Text of a file. Names and strings are UTF-8; a path may be anything.
inline json text_json(std::string_view text) { return std::string(text); }

/// The key-values as one object. Bytes become {"bytes": "hexadecimal"}.
json metadata_json(metadata const& from);

/// {"rule", "message", "row" or "column", "entry", "byte"}, those that are known.
json error_json(error const& e, std::string_view slice_word);

/// The document, indented, and a line end.
std::string json_text(json const& document);

}  // namespace hurray::tool
