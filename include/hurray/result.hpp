#pragma once

#include <cassert>
#include <new>
#include <type_traits>
#include <utility>

#include <hurray/error.hpp>

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

namespace detail {

/// A T, or an error in its place. std::optional and std::variant could be this; every file that
/// uses the library would pay for what else they can do, once for each T.
template<class T, bool = std::is_trivially_copyable_v<T>> struct value_or_error {
    template<class... U> explicit value_or_error(std::in_place_t, U&&... from)
        : value(std::forward<U>(from)...), has_value(true) {}
    explicit value_or_error(error const& e) noexcept : why(e), has_value(false) {}

    union {
        T value;
        error why;
    };
    bool has_value;
};

template<class T> struct value_or_error<T, false> {
    template<class... U> explicit value_or_error(std::in_place_t, U&&... from)
        : value(std::forward<U>(from)...), has_value(true) {}
    explicit value_or_error(error const& e) noexcept : why(e), has_value(false) {}
    value_or_error(value_or_error const& other) requires std::is_copy_constructible_v<T>
        : has_value(other.has_value) {
        if (has_value)
            ::new (&value) T(other.value);
        else
            ::new (&why) error(other.why);
    }
    value_or_error(value_or_error&& other) noexcept(std::is_nothrow_move_constructible_v<T>)
        : has_value(other.has_value) {
        if (has_value)
            ::new (&value) T(std::move(other.value));
        else
            ::new (&why) error(other.why);
    }
    value_or_error&
    operator=(value_or_error const& other) requires std::is_copy_constructible_v<T> {
        return *this = value_or_error(other);
    }
    value_or_error&
    operator=(value_or_error&& other) noexcept(std::is_nothrow_move_constructible_v<T>) {
        if (this == &other) return *this;
        if (has_value) value.~T();
        has_value = false;
        otherwise_error undo{this};
        if (!other.has_value) return undo.why = other.why, *this;
        ::new (&value) T(std::move(other.value));
        has_value = true;
        undo.of = nullptr;
        return *this;
    }
    ~value_or_error() {
        if (has_value) value.~T();
    }

    union {
        T value;
        error why;
    };
    bool has_value;

private:
    /// What throws while a value is made leaves an error in its place.
    struct otherwise_error {
        value_or_error* of;
        error why{};
        ~otherwise_error() {
            if (of != nullptr) ::new (&of->why) error(why);
        }
    };
};

}  // namespace detail

/// A value, or the error that prevented it.
/// The part of std::expected<T, error> that this library needs. It converts implicitly from both,
/// so a function that fails because another did says `return header.error();`.
template<class T> class [[nodiscard]] result {
public:
    using value_type = T;
    using error_type = hurray::error;

    template<class U = T>
    requires(!std::is_same_v<std::remove_cvref_t<U>, result> &&
             !std::is_same_v<std::remove_cvref_t<U>, hurray::error> &&
             !std::is_same_v<std::remove_cvref_t<U>, errc> && std::is_convertible_v<U, T>)
        result(U&& value)
        : state_(std::in_place, std::forward<U>(value)) {}
    result(hurray::error const& e) noexcept : state_(e) {}
    result(errc e) noexcept : state_(hurray::error{.code = e}) {}

    bool has_value() const noexcept { return state_.has_value; }
    explicit operator bool() const noexcept { return has_value(); }

    /// The value. Throws hurray::failure if there is none. From a temporary it comes out whole, so
    /// that `for (auto [column, value] : lazy.row(i).value())` walks something that lives.
    T& value() & { return check(), **this; }
    T const& value() const& { return check(), **this; }
    T value() && { return check(), *std::move(*this); }

    /// The value. Precondition: has_value().
    T& operator*() & noexcept { return assert(has_value()), state_.value; }
    T const& operator*() const& noexcept { return assert(has_value()), state_.value; }
    T operator*() && noexcept(std::is_nothrow_move_constructible_v<T>) {
        return assert(has_value()), std::move(state_.value);
    }
    T* operator->() noexcept { return &**this; }
    T const* operator->() const noexcept { return &**this; }

    template<class U> T value_or(U&& otherwise) const& {
        return has_value() ? **this : static_cast<T>(std::forward<U>(otherwise));
    }

    /// Why there is no value. Precondition: !has_value().
    hurray::error const& error() const noexcept { return assert(!has_value()), state_.why; }

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
    detail::value_or_error<T> state_;
};

/// Success, or an error. Success costs nothing to make.
template<> class [[nodiscard]] result<void> {
public:
    using value_type = void;
    using error_type = hurray::error;

    result() noexcept : none_{}, failed_(false) {}
    result(hurray::error const& e) noexcept : error_(e), failed_(true) {}
    result(errc e) noexcept : result(hurray::error{.code = e}) {}

    bool has_value() const noexcept { return !failed_; }
    explicit operator bool() const noexcept { return has_value(); }
    /// Throws hurray::failure if there was an error.
    void value() const {
        if (failed_) detail::throw_failure(error_);
    }
    /// Why it failed. Precondition: !has_value().
    hurray::error const& error() const noexcept { return assert(failed_), error_; }

private:
    union {  // a success does not pay for the places of an error
        char none_;
        hurray::error error_;
    };
    bool failed_;
};

}  // namespace v0
}  // namespace hurray
