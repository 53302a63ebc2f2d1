#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

template<class Signature> class callback;

/// Something to call, or nothing. Copies share the callable, so its state counts for all of them.
/// What std::function would be here, without what its header costs every file that
/// includes this one.
template<class R, class... Arguments> class callback<R(Arguments...)> {
public:
    callback() noexcept = default;
    /// Keeps its own `f`. Throws std::bad_alloc, or what moving `f` throws.
    template<class F>
    requires(!std::is_same_v<F, callback> && std::is_invocable_r_v<R, F&, Arguments...>)
        callback(F f)
        : callable_(
              static_cast<void*>(new F(std::move(f))),
              +[](void* callable) { delete static_cast<F*>(callable); }),
          call_([](void* callable, Arguments... arguments) -> R {
              return (*static_cast<F*>(callable))(std::forward<Arguments>(arguments)...);
          }) {}

    /// Whether there is something to call.
    explicit operator bool() const noexcept { return call_ != nullptr; }
    /// Precondition: there is something to call.
    R operator()(Arguments... arguments) const {
        return call_(callable_.get(), std::forward<Arguments>(arguments)...);
    }

private:
    std::shared_ptr<void> callable_{};
    R (*call_)(void*, Arguments...) = nullptr;
};

}  // namespace v0
}  // namespace hurray
