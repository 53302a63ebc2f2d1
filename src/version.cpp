#include <hurray/version.hpp>

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

version_number library_version() noexcept { return header_version; }

}  // namespace v0
}  // namespace hurray
