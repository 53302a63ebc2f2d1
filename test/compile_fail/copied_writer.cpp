// refused: deleted
#include <utility>

#include <hurray/writer.hpp>

hurray::writer good(hurray::writer& out) { return std::move(out); }

#ifdef OFFENDING
hurray::writer bad(hurray::writer& out) { return out; }
#endif
