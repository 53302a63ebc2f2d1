#pragma once

// What the manifests beside the reference files say, in the library's terms.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <hurray/descriptor.hpp>
#include <hurray/metadata.hpp>

#include "bytes.hpp"

namespace hurray_test {

inline nlohmann::json read_json(std::filesystem::path const& path) {
    std::ifstream in(path);
    return nlohmann::json::parse(in);
}

inline bytes from_hex(std::string const& text) {
    bytes all;
    for (std::size_t i = 0; i + 1 < text.size(); i += 2)
        all.push_back(static_cast<std::byte>(std::stoul(text.substr(i, 2), nullptr, 16)));
    return all;
}

inline hurray::layout layout_named(std::string const& wanted) {
    for (unsigned tag = 1; tag < 0x41; ++tag)
        if (hurray::name(static_cast<hurray::layout>(tag)) == wanted)
            return static_cast<hurray::layout>(tag);
    throw std::runtime_error("no layout " + wanted);
}

/// A value that is not an array: {"int64": 1}.
template<class Value> Value scalar_of(nlohmann::json const& tagged) {
    auto const kind = tagged.items().begin().key();
    auto const& value = tagged.begin().value();
    if (kind == "string") return value.template get<std::string>();
    if (kind == "int64") return value.template get<std::int64_t>();
    if (kind == "uint64") return value.template get<std::uint64_t>();
    if (kind == "float64") return value.template get<double>();
    if (kind == "bool") return value.template get<bool>();
    if (kind == "bytes_hex") return from_hex(value.template get<std::string>());
    throw std::runtime_error("unknown kind of key-value: " + kind);
}

inline hurray::metadata_array array_of(nlohmann::json const& elements) {
    auto const all = [&]<class T>(T) {
        std::vector<T> values;
        for (auto const& e : elements) values.push_back(e.begin().value().get<T>());
        return hurray::metadata_array(std::move(values));
    };
    auto const kind = elements.at(0).items().begin().key();
    if (kind == "string") return all(std::string());
    if (kind == "int64") return all(std::int64_t());
    throw std::runtime_error("unknown kind of array: " + kind);
}

inline hurray::metadata metadata_of(nlohmann::json const& entries) {
    hurray::metadata all;
    for (auto const& entry : entries) {
        auto const& value = entry.at("value");
        auto const key = entry.at("key").get<std::string>();
        if (value.contains("array"))
            all.set(key, array_of(value.at("array")));
        else
            all.set(key, scalar_of<hurray::metadata_value>(value));
    }
    return all;
}

inline std::vector<std::uint64_t> numbers(nlohmann::json const& array) {
    return array.get<std::vector<std::uint64_t>>();
}

inline std::optional<hurray::shard> shard_of(nlohmann::json const& tensor) {
    if (!tensor.contains("shard") || tensor.at("shard").is_null()) return {};
    auto const& s = tensor.at("shard");
    return hurray::shard{numbers(s.at("parent_shape")), numbers(s.at("shard_offset"))};
}

}  // namespace hurray_test
