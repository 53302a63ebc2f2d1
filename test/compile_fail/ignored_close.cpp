// refused: ignoring return
#include <hurray/writer.hpp>

void good(hurray::writer& out) { out.close().value(); }

#ifdef OFFENDING
void bad(hurray::writer& out) { out.close(); }
#endif
