#pragma once

#include <cassert>
#include <optional>
#include <type_traits>
#include <utility>

#include <hurray/error.hpp>

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

/// A value, or the error that prevented it.
/// The part of std::expected<T, error> that this library needs. It converts implicitly from both,
/// so a function that fails because another did says `return header.error();`.
template<class T> class [[nodiscard]] result {
public:
    using value_type = T;
    using error_type = hurray::error;

    template<class U = T>
    requires(std::is_convertible_v<U, T> && !std::is_same_v<std::remove_cvref_t<U>, result> &&
             !std::is_same_v<std::remove_cvref_t<U>, hurray::error> &&
             !std::is_same_v<std::remove_cvref_t<U>, errc>) result(U&& value)
        : value_(std::in_place, std::forward<U>(value)), none_{} {}
    result(hurray::error e) : error_(e) {}
    result(errc e) : result(hurray::error{.code = e}) {}

    bool has_value() const noexcept { return value_.has_value(); }
    explicit operator bool() const noexcept { return has_value(); }

    /// The value. Throws hurray::failure if there is none. From a temporary it comes out whole, so
    /// that `for (auto [column, value] : lazy.row(i).value())` walks something that lives.
    T& value() & { return check(), **this; }
    T const& value() const& { return check(), **this; }
    T value() && { return check(), *std::move(*this); }

    /// The value. Precondition: has_value().
    T& operator*() & noexcept { return assert(has_value()), *value_; }
    T const& operator*() const& noexcept { return assert(has_value()), *value_; }
    T operator*() && noexcept { return assert(has_value()), *std::move(value_); }
    T* operator->() noexcept { return &**this; }
    T const* operator->() const noexcept { return &**this; }

    template<class U> T value_or(U&& otherwise) const& {
        return has_value() ? **this : static_cast<T>(std::forward<U>(otherwise));
    }

    /// Why there is no value. Precondition: !has_value().
    hurray::error const& error() const noexcept { return assert(!has_value()), error_; }

    /// f(value), which gives a result itself; or this error.
    template<class F> auto and_then(F&& f) && -> std::invoke_result_t<F, T&&> {
        if (!has_value()) return error();
        return std::forward<F>(f)(*std::move(*this));
    }

    /// A result of f(value); or this error.
    template<class F>
    auto transform(F&& f) && -> result<std::remove_cvref_t<std::invoke_result_t<F, T&&>>> {
        if (!has_value()) return error();
        return std::forward<F>(f)(*std::move(*this));
    }

private:
    void check() const {
        if (!has_value()) detail::throw_failure(error());
    }
    std::optional<T> value_;
    union {  // a success does not pay for the places of an error
        char none_;
        hurray::error error_;
    };
};

/// Success, or an error. Success costs nothing to make.
template<> class [[nodiscard]] result<void> {
public:
    using value_type = void;
    using error_type = hurray::error;

    result() = default;
    result(hurray::error e) : error_(e) {}
    result(errc e) : result(hurray::error{.code = e}) {}

    bool has_value() const noexcept { return !error_.has_value(); }
    explicit operator bool() const noexcept { return has_value(); }
    /// Throws hurray::failure if there was an error.
    void value() const {
        if (error_) detail::throw_failure(*error_);
    }
    hurray::error const& error() const noexcept { return assert(error_), *error_; }

private:
    std::optional<hurray::error> error_;
};

}  // namespace v0
}  // namespace hurray
