#pragma once

#include <memory>
#include <string>

#include <hurray/file_view.hpp>

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

/// A Hurray file on disk. Owns the mapping (or the memory it was read into) together with its
/// copies: cheap to copy, and the last copy lets go. Views of it must not outlive it, which is why
/// asking a temporary for a view does not compile.
class file : private file_view {
public:
    /// Opens and maps the file and reads its metadata. The path (a std::filesystem::path converts)
    /// is opened once.
    /// Errors: the system's, with its code; not_a_regular_file; those of catalog::read().
    /// Complexity: that of the index; with load::read, linear in the size of the file.
    static result<file> open(std::string const& path, read_options const& = {});

    using file_view::bytes;
    using file_view::catalog;
    using file_view::csc;
    using file_view::csr;
    using file_view::data_alignment;
    using file_view::describe;
    using file_view::metadata;
    using file_view::notes;
    using file_view::partition;
    using file_view::size;
    using file_view::tensors;
    using file_view::verify;

    /// The same file as a file_view. Lifetime: this file's.
    file_view const& view() const& noexcept { return *this; }
    file_view const& view() const&& = delete;

    /// What must live as long as a view does, for those who keep the view elsewhere.
    std::shared_ptr<void const> keep_alive() const noexcept { return backing_; }

    /// Whether the path still names the file that was opened, with the same size and times.
    /// Errors: the system's, when the path cannot be looked at. Complexity: one system call.
    result<bool> unchanged() const;

private:
    struct backing;
    file(file_view view, std::shared_ptr<backing const> held) noexcept
        : file_view(std::move(view)), backing_(std::move(held)) {}
    std::shared_ptr<backing const> backing_;
};

/// visit() of an open file.
template<class F, validation V = eager_t>
auto visit(file const& file, std::string_view name, F&& f, V when = V{}) {
    return visit(file.view(), name, std::forward<F>(f), when);
}

}  // namespace v0
}  // namespace hurray
