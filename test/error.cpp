// The table of errors against the enumeration as it stands in the header, and against the rules.

#include <hurray/hurray.hpp>

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <new>
#include <regex>
#include <set>
#include <string>

namespace {

namespace fs = std::filesystem;
using hurray::condition;
using hurray::errc;

std::string text_of(fs::path const& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Names and values of errc, from the header's text.
std::map<std::string, int> enumerators() {
    auto const all = text_of(fs::path(HURRAY_TEST_DATA) / "../../include/hurray/error.hpp");
    auto const from = all.find("enum class errc");
    auto const body = all.substr(from, all.find("};", from) - from);
    std::map<std::string, int> found;
    std::regex const line(R"((\w+) = (\d+),)");
    for (std::sregex_iterator i(body.begin(), body.end(), line), end; i != end; ++i)
        found[(*i)[1]] = std::stoi((*i)[2]);
    return found;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(error)

BOOST_AUTO_TEST_CASE(every_errc_has_a_message_a_rule_and_one_condition) {
    auto const all = enumerators();
    BOOST_REQUIRE(all.size() > 100u);
    BOOST_TEST(all.at("bad_file_magic") == 4);
    auto const rules = text_of(fs::path(HURRAY_TEST_DATA) / "../requirements.csv");
    std::set<std::string> messages;
    std::set<int> values;
    for (auto const& [name, value] : all) {
        auto const code = make_error_code(static_cast<errc>(value));
        BOOST_TEST_CONTEXT(name) {
            BOOST_TEST(values.insert(value).second);
            BOOST_TEST(code.message() != "unknown error");
            BOOST_TEST(messages.insert(code.message()).second);
            BOOST_TEST(hurray::rule(code) == (value < 1000 ? value : 0));
            int const conditions = (code == condition::corrupt) + (code == condition::unsupported) +
                                   (code == condition::mismatch);
            BOOST_TEST(conditions == 1);
            if (value < 1000) {
                auto number = std::to_string(value);
                number.insert(0, 3 - number.size(), '0');
                BOOST_TEST(rules.find("R-" + number + ",") != std::string::npos);
            }
        }
    }
    // And nothing but the enumerators is known.
    for (int value = 0; value < 4000; ++value)
        BOOST_TEST((make_error_code(static_cast<errc>(value)).message() != "unknown error") ==
                   values.contains(value));
}

BOOST_AUTO_TEST_CASE(conditions) {
    BOOST_TEST((hurray::error{.code = errc::bad_file_magic}.code == condition::corrupt));
    BOOST_TEST((hurray::error{.code = errc::unknown_layout}.code == condition::unsupported));
    BOOST_TEST((hurray::error{.code = errc::slice_does_not_exist}.code == condition::mismatch));
    BOOST_TEST((hurray::error{.code = errc::bad_file_magic}.code == errc::bad_file_magic));
    auto const system = std::make_error_code(std::errc::io_error);
    for (auto const c : {condition::corrupt, condition::unsupported, condition::mismatch}) {
        BOOST_TEST((system != c));
        BOOST_TEST(make_error_condition(c).message() != "unknown condition");
    }
    BOOST_TEST(hurray::rule(system) == 0);
    BOOST_TEST(std::string(hurray::error_category().name()) == "hurray");
}

BOOST_AUTO_TEST_CASE(messages_say_where) {
    hurray::error const all{
        .code = errc::indices_not_increasing, .offset = 12416, .slice = 7, .position = 3};
    auto const text = all.message();
    for (auto const* part : {"R-104", "7", "3", "12416"})
        BOOST_TEST(text.find(part) != std::string::npos, text);
    hurray::error const bare{.code = errc::bad_option};
    BOOST_TEST(bare.message() == bare.code.message());
    hurray::error const system{.code = std::make_error_code(std::errc::no_space_on_device)};
    BOOST_TEST(system.message() == system.code.message());
}

BOOST_AUTO_TEST_CASE(value_throws_what_went_wrong) {
    hurray::error const e{.code = errc::offsets_decrease, .offset = 8, .slice = 1};
    auto const thrown = [&](auto const& r) {
        try {
            r.value();
        } catch (hurray::failure const& f) {
            BOOST_TEST(f.code() == e.code);
            BOOST_TEST(std::string(f.what()).find("R-103") != std::string::npos);
            return f.error() == e;
        }
        return false;
    };
    BOOST_TEST(thrown(hurray::result<int>(e)));
    BOOST_TEST(thrown(hurray::result<void>(e)));
    BOOST_TEST(hurray::result<int>(3).value() == 3);
    BOOST_CHECK_NO_THROW(hurray::result<void>().value());
}

// A value that is copied or moved and may throw then; throwing is the third state of none.
struct fragile {
    static inline bool throws = false;
    static inline int alive = 0;
    int number;
    explicit fragile(int n) : number(n) { ++alive; }
    fragile(fragile const& other) : number(other.number) { come(); }
    fragile(fragile&& other) : number(other.number) { come(); }
    ~fragile() { --alive; }
    static void come() {
        if (throws) throw std::bad_alloc();
        ++alive;
    }
};

BOOST_AUTO_TEST_CASE(results_are_copied_moved_and_assigned) {
    using one = hurray::result<fragile>;
    static_assert(!std::is_nothrow_copy_assignable_v<one>);
    static_assert(!std::is_copy_constructible_v<hurray::result<std::unique_ptr<int>>>);
    static_assert(!std::is_copy_assignable_v<hurray::result<std::unique_ptr<int>>>);
    static_assert(std::is_nothrow_move_assignable_v<hurray::result<std::unique_ptr<int>>>);
    static_assert(std::is_trivially_copyable_v<hurray::result<int>>);
    {
        one const seven = fragile(7), failed = hurray::errc::no_such_tensor;
        one a = seven, b = failed;
        auto& same = a;
        a = same;
        BOOST_TEST(a->number == 7);
        b = a;
        BOOST_TEST(b->number == 7);
        b = failed;
        BOOST_TEST((b.error() == failed.error()));
        b = one(fragile(8));
        BOOST_TEST(b->number == 8);
        fragile::throws = true;
        BOOST_CHECK_THROW(a = seven, std::bad_alloc);
        BOOST_TEST(a->number == 7);  // the copy was to be made first
        BOOST_CHECK_THROW(a = std::move(b), std::bad_alloc);
        BOOST_TEST_REQUIRE(!a.has_value());
        BOOST_TEST((a.error() == hurray::error{}));
        fragile::throws = false;
        a = seven;
        BOOST_TEST(a->number == 7);
    }
    BOOST_TEST(fragile::alive == 0);
}

BOOST_AUTO_TEST_CASE(results_compose) {
    auto const half = [](int n) -> hurray::result<int> {
        if (n % 2 != 0) return errc::bad_option;
        return n / 2;
    };
    BOOST_TEST(hurray::result<int>(8).and_then(half).and_then(half).value() == 2);
    BOOST_TEST(hurray::result<int>(6).and_then(half).and_then(half).error().code ==
               errc::bad_option);
    BOOST_TEST(hurray::result<int>(3).transform([](int n) { return n + 0.5; }).value() == 3.5);
    BOOST_TEST(
        hurray::result<int>(errc::bad_option).transform([](int n) { return n; }).error().code ==
        errc::bad_option);
    BOOST_TEST(hurray::result<int>(errc::bad_option).value_or(7) == 7);
    BOOST_TEST(hurray::result<int>(1).value_or(7) == 1);
}

BOOST_AUTO_TEST_SUITE_END()
