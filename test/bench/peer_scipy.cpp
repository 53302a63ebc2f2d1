#include "peers.hpp"

#include <cerrno>
#include <fstream>
#include <memory>
#include <stdexcept>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace bench {
namespace {

std::string read_line(int from) {
    std::string line;
    for (char c = 0; ::read(from, &c, 1) == 1 && c != '\n';) line += c;
    return line;
}

void write_raw(std::filesystem::path const& path, void const* data, std::uint64_t bytes) {
    std::ofstream out(path, std::ios::binary);
    out.write(static_cast<char const*>(data), static_cast<std::streamsize>(bytes));
    if (!out) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace

scipy::scipy(std::filesystem::path const& script) {
    if (script.empty()) return;
    signal(SIGPIPE, SIG_IGN);
    int in[2], out[2];
    if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) return;
    process_ = ::fork();
    if (process_ == 0) {
        ::dup2(in[0], 0);
        ::dup2(out[1], 1);
        // Debian's own: where its python3-scipy is.
        ::execl("/usr/bin/python3", "python3", script.c_str(), nullptr);
        ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    to_ = in[1];
    from_ = out[0];
    if (read_line(from_) != "ready") {
        ::close(to_);
        to_ = -1;
    }
}

scipy::~scipy() {
    if (to_ >= 0) ::close(to_);
    if (from_ >= 0) ::close(from_);
    if (process_ > 0) ::waitpid(static_cast<pid_t>(process_), nullptr, 0);
}

double scipy::ask(std::string const& line) {
    auto const text = line + '\n';
    if (::write(to_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        throw std::runtime_error("SciPy is gone");
    auto const answer = read_line(from_);
    if (answer.empty()) throw std::runtime_error("SciPy is gone");
    return std::stod(answer);
}

runner scipy::transpose(seen const& a, std::filesystem::path const& base) {
    if (to_ < 0) return {};
    auto loaded = std::make_shared<bool>(false);
    return [this, a, base, loaded] {
        if (!std::exchange(*loaded, true)) {
            auto const name = base.string();
            write_raw(name + ".offsets", a.offsets, (a.rows + 1) * 8);
            write_raw(name + ".indices", a.indices, a.nnz * 8);
            write_raw(name + ".values", a.values, a.nnz * 8);
            ask("load\t" + std::to_string(a.rows) + '\t' + std::to_string(a.columns) + '\t' + name);
            for (auto const* const end : {".offsets", ".indices", ".values"})
                std::filesystem::remove(name + end);
        }
        return ask("transpose");
    };
}

runner scipy::read_market(std::filesystem::path const& path) {
    if (to_ < 0) return {};
    return [this, path] { return ask("mmread\t" + path.string()); };
}

void scipy::forget() {
    if (to_ >= 0) ask("forget");
}

}  // namespace bench
