#include <hurray/callback.hpp>

#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>

BOOST_AUTO_TEST_SUITE(callback)

BOOST_AUTO_TEST_CASE(there_may_be_nothing_to_call) {
    hurray::callback<void()> none;
    BOOST_TEST(!none);
    none = [] {};
    BOOST_TEST(static_cast<bool>(none));
    none = {};
    BOOST_TEST(!none);
}

BOOST_AUTO_TEST_CASE(arguments_and_results_pass_through) {
    hurray::callback<std::string const&(std::string const&)> const same =
        [](std::string const& text) -> std::string const& { return text; };
    std::string const text = "a row";
    BOOST_TEST(&same(text) == &text);
    hurray::callback<int(std::unique_ptr<int>)> const take = [](auto given) { return *given; };
    BOOST_TEST(take(std::make_unique<int>(3)) == 3);
}

BOOST_AUTO_TEST_CASE(what_is_called_may_be_movable_only) {
    hurray::callback<int()> const held = [value = std::make_unique<int>(5)] { return *value; };
    BOOST_TEST(held() == 5);
}

BOOST_AUTO_TEST_CASE(copies_share_what_they_call) {
    hurray::callback<int()> const one = [count = 0]() mutable { return ++count; };
    auto const other = one;
    BOOST_TEST(one() == 1);
    BOOST_TEST(other() == 2);
}

BOOST_AUTO_TEST_CASE(it_takes_what_it_can_call_and_nothing_else) {
    using taker = hurray::callback<bool(int)>;
    static_assert(std::is_constructible_v<taker, bool (*)(long)>);
    static_assert(!std::is_constructible_v<taker, int>);
    static_assert(!std::is_constructible_v<taker, bool (*)(std::string)>);
}

BOOST_AUTO_TEST_SUITE_END()
