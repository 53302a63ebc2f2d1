# Read by demo.sh and check.sh: what both need before they can build anything.

say() { printf '%s\n' "$*"; }
fail() { printf '%s\n' "$*" >&2; exit 1; }

# Runs a command as root, if that can be had.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"
    elif command -v sudo >/dev/null 2>&1; then sudo "$@"
    else fail "This needs root; run as root: $*"
    fi
}

# install_packages PACKAGE...: installs those Debian packages that are missing.
install_packages() {
    if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg-query >/dev/null 2>&1; then
        say "This is no Debian: please see to it that these, or what they hold, are installed:" >&2
        say "  $*" >&2
        return 0
    fi
    missing=
    for package in "$@"; do
        status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || status=
        [ "$status" = installed ] || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    say "Installing:$missing"
    as_root apt-get update -q || fail "apt-get update failed; cannot install:$missing"
    # Unquoted: one word per package.
    # shellcheck disable=SC2086
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
        $missing || fail "Could not install:$missing"
}

# Ninja and ccache, where they are; builds started by tests inherit the choice.
choose_build_tools() {
    command -v cmake >/dev/null 2>&1 || fail "cmake is not installed"
    if command -v ninja >/dev/null 2>&1; then export CMAKE_GENERATOR=Ninja; fi
    if command -v ccache >/dev/null 2>&1; then export CMAKE_CXX_COMPILER_LAUNCHER=ccache; fi
    jobs=$(nproc 2>/dev/null || echo 2)
}
