#pragma once

#include <bit>
#include <string>

namespace hurray::tool {

/// A library that is loaded by the command that needs it. Linked, those that read .npz and HDF5
/// would bring some thirty others to each start of the program, which takes longer than most of
/// what it does.
class shared_library {
public:
    /// `file`: its name as the dynamic linker knows it. `reads`: what it is needed for.
    /// Throws stop: it cannot be loaded.
    shared_library(char const* file, char const* reads);

    /// A function or variable of the library, as the pointer that its header declares.
    /// Throws stop: the library has none of that name.
    template<class Pointer> Pointer get(char const* name) const {
        return std::bit_cast<Pointer>(address(name));
    }

private:
    void* address(char const* name) const;

    std::string file_;
    void* handle_;  // never closed: the library's own clean-up may run when the program ends
};

}  // namespace hurray::tool

/// A member with the name and type of a library's function, in a class whose `library` is one.
/// (In two steps, because a header may give a function's name to one of its versions.)
#define HURRAY_LOADED(function) HURRAY_LOADED_AS(function)
#define HURRAY_LOADED_AS(function)                                                                 \
    decltype(&::function) function = library.get<decltype(&::function)>(#function)
