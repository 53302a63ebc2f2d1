#include "generators.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "file_access.hpp"
#include "text.hpp"

namespace hurray::tool {
namespace {

__extension__ using wide = unsigned __int128;

[[noreturn]] void wrong(std::string const& what) { throw stop(status::wrong_usage, what); }

/// Every slice has as many entries as the others, give or take one, at random places.
class uniform : public generator {
public:
    explicit uniform(std::uint64_t all) : all_(all) { nnz = all; }

    void fill(std::uint64_t i, slice_random& random, made_slice& into) override {
        auto const count = begin(i + 1) - begin(i);
        if (count == 0) return;
        into.indices.resize(count);
        gaps_.resize(count);
        // The gaps between sorted random places are exponential: no sorting is needed.
        double sum = 0;
        for (auto& gap : gaps_) gap = sum -= std::log(random.fraction());
        sum -= std::log(random.fraction());
        auto const free = bound - count;
        auto const scale = (static_cast<double>(free) + 1) / sum;
        for (std::uint64_t k = 0; k < count; ++k)
            into.indices[k] = std::min(static_cast<std::uint64_t>(gaps_[k] * scale), free) + k;
    }

private:
    std::uint64_t begin(std::uint64_t i) const noexcept {
        return static_cast<std::uint64_t>(wide{i} * all_ / slices);
    }
    std::uint64_t all_;
    std::vector<double> gaps_;
};

/// All places at most so far from the diagonal.
class banded : public generator {
public:
    explicit banded(std::uint64_t width) : width_(width) {}

    void count() {
        wide all = 0;
        for (std::uint64_t i = 0; i < slices; ++i) all += last(i) - first(i);
        if (all >> 63 != 0) wrong("the matrix would have too many entries");
        nnz = static_cast<std::uint64_t>(all);
    }
    void fill(std::uint64_t i, slice_random&, made_slice& into) override {
        for (auto at = first(i); at < last(i); ++at) into.indices.push_back(at);
    }

private:
    std::uint64_t first(std::uint64_t i) const noexcept {
        return std::min(i > width_ ? i - width_ : 0, bound);
    }
    std::uint64_t last(std::uint64_t i) const noexcept {
        return width_ >= bound || i >= bound - width_ ? bound : i + width_ + 1;
    }
    std::uint64_t width_;
};

/// The five-point Laplace operator on a square grid.
class poisson2d : public generator {
public:
    explicit poisson2d(std::uint64_t side) : side_(side) {
        if (side >= std::uint64_t{1} << 30) wrong("--grid must be below 2^30");
        slices = bound = side * side;
        nnz = side == 0 ? 0 : 5 * side * side - 4 * side;
    }
    void fill(std::uint64_t i, slice_random&, made_slice& into) override {
        auto const across = i % side_;
        auto const add = [&](std::uint64_t at, double value) {
            into.indices.push_back(at);
            into.values.push_back(value);
        };
        if (i >= side_) add(i - side_, -1);
        if (across != 0) add(i - 1, -1);
        add(i, 4);
        if (across + 1 != side_) add(i + 1, -1);
        if (i + side_ < slices) add(i + side_, -1);
    }

private:
    std::uint64_t side_;
};

class identity : public generator {
public:
    void fill(std::uint64_t i, slice_random&, made_slice& into) override {
        if (i >= bound) return;
        into.indices.push_back(i);
        into.values.push_back(1);
    }
};

/// Full squares along the diagonal.
class block_diagonal : public generator {
public:
    explicit block_diagonal(std::uint64_t side) : side_(side) {}

    void count() {
        auto const rest = slices % side_;
        auto const all = wide{slices - rest} * side_ + wide{rest} * rest;
        if (all >> 63 != 0) wrong("the matrix would have too many entries");
        nnz = static_cast<std::uint64_t>(all);
    }
    void fill(std::uint64_t i, slice_random&, made_slice& into) override {
        auto const first = i / side_ * side_;
        auto const last = std::min(first + side_, bound);
        for (auto at = first; at < last; ++at) into.indices.push_back(at);
    }

private:
    std::uint64_t side_;
};

/// Power-law graphs: each edge descends into one of four quadrants, with the probabilities of
/// Graph500, once per bit of its row and column. Here the number of edges in each half of the rows
/// is drawn first, so that rows come out in order and nothing is kept but the way down.
class rmat : public generator {
public:
    rmat(unsigned scale, std::uint64_t edges, std::uint64_t seed)
        : scale_(scale), seed_(seed), edges_(scale + 1) {
        slices = bound = std::uint64_t{1} << scale;
        edges_[0] = edges;
    }

    void fill(std::uint64_t i, slice_random& random, made_slice& into) override {
        descend(i);
        for (auto k = edges_[scale_]; k != 0; --k) into.indices.push_back(column_in(i, random));
        std::sort(into.indices.begin(), into.indices.end());
        into.indices.erase(std::unique(into.indices.begin(), into.indices.end()),
                           into.indices.end());
    }

private:
    static constexpr double a = 0.57, b = 0.19, c = 0.19, d = 0.05;

    /// Edges below each node on the way to row i; what the row before shares is there already.
    void descend(std::uint64_t i) {
        auto const level = i == 0 ? 0 : scale_ - static_cast<unsigned>(std::bit_width(i ^ (i - 1)));
        for (auto at = level; at < scale_; ++at) {
            auto const node = i >> (scale_ - at);
            slice_random random(seed_ ^ (std::uint64_t{at} + 1) << 56, node);
            auto const upper = binomial(edges_[at], a + b, random);
            bool const down = ((i >> (scale_ - at - 1)) & 1) != 0;
            edges_[at + 1] = down ? edges_[at] - upper : upper;
        }
    }

    std::uint64_t column_in(std::uint64_t row, slice_random& random) const {
        std::uint64_t column = 0;
        for (unsigned at = 0; at < scale_; ++at) {
            bool const down = ((row >> (scale_ - at - 1)) & 1) != 0;
            bool const right = random.fraction() < (down ? d / (c + d) : b / (a + b));
            column = column * 2 + (right ? 1 : 0);
        }
        return column;
    }

    /// How many of n fall to a side of probability p; for large n, the normal approximation.
    static std::uint64_t binomial(std::uint64_t n, double p, slice_random& random) {
        constexpr std::uint64_t few = 64;
        if (n <= few) {
            std::uint64_t hits = 0;
            for (std::uint64_t k = 0; k < n; ++k) hits += random.fraction() < p ? 1U : 0U;
            return hits;
        }
        constexpr double turn = 6.283185307179586;
        auto const size = static_cast<double>(n);
        auto const normal =
            std::sqrt(-2 * std::log(random.fraction())) * std::cos(turn * random.fraction());
        auto const drawn = std::round(size * p + normal * std::sqrt(size * p * (1 - p)));
        return static_cast<std::uint64_t>(std::clamp(drawn, 0.0, size));
    }

    unsigned scale_;
    std::uint64_t seed_;
    std::vector<std::uint64_t> edges_;
};

struct sizes {
    std::uint64_t slices, bound;
};

sizes sizes_of(generate_options const& options) {
    auto const columns = options.columns == 0 ? options.rows : options.columns;
    if (major_named(options.layout) == axis::rows) return {options.rows, columns};
    return {columns, options.rows};
}

template<class Kind> std::unique_ptr<generator> sized(Kind kind, generate_options const& options) {
    auto const [slices, bound] = sizes_of(options);
    kind.slices = slices;
    kind.bound = bound;
    if constexpr (requires { kind.count(); }) kind.count();
    return std::make_unique<Kind>(std::move(kind));
}

std::unique_ptr<generator> make_uniform(generate_options const& options) {
    auto const [slices, bound] = sizes_of(options);
    if (wide{options.nnz} > wide{slices} * bound) wrong("--nnz is more than the matrix has places");
    if (options.nnz >> 63 != 0) wrong("the matrix would have too many entries");
    return sized(uniform(options.nnz), options);
}

std::unique_ptr<generator> make_square(generate_options const& options, std::uint64_t block) {
    if (options.columns != 0 && options.columns != options.rows)
        wrong("--kind " + options.kind + " makes square matrices");
    if (block == 0) wrong("--block must be at least 1");
    return sized(block_diagonal(block), options);
}

std::unique_ptr<generator> make_rmat(generate_options const& options) {
    if (options.scale == 0 || options.scale > 40)
        wrong("--scale must be from 1 to 40: 2^scale rows and columns");
    if (options.nnz == 0 || options.nnz >> 53 != 0)
        wrong("--nnz must be from 1 to 2^53 - 1: the edges to draw");
    return std::make_unique<rmat>(options.scale, options.nnz, options.seed);
}

std::unique_ptr<generator> make_identity(generate_options const& options) {
    auto made = sized(identity(), options);
    made->nnz = std::min(made->slices, made->bound);
    return made;
}

/// The sizes that a kind must get, and those that it may.
struct kind_of_matrix {
    std::string name;
    std::vector<std::string> needed, optional{};
};

std::string text_of(std::vector<std::string> const& options) {
    std::string text;
    for (auto const& option : options) text += ' ' + option;
    return text;
}

void check_sizes(generate_options const& options) {
    std::vector<kind_of_matrix> const kinds = {
        {"uniform", {"--rows", "--nnz"}, {"--columns"}},
        {"rmat", {"--scale", "--nnz"}},
        {"banded", {"--rows"}, {"--columns", "--bandwidth"}},
        {"poisson2d", {"--grid"}},
        {"identity", {"--rows"}, {"--columns"}},
        {"block-diagonal", {"--rows", "--block"}, {"--columns"}},
    };
    auto const kind = std::find_if(kinds.begin(), kinds.end(),
                                   [&](auto const& one) { return one.name == options.kind; });
    if (kind == kinds.end()) {
        std::vector<std::string> names;
        for (auto const& one : kinds) names.push_back(one.name);
        wrong("there is no kind " + in_quotes(options.kind) + '.' +
              did_you_mean(options.kind, names) + " The kinds are:" + text_of(names));
    }
    auto const has = [](std::vector<std::string> const& all, std::string const& one) {
        return std::find(all.begin(), all.end(), one) != all.end();
    };
    for (auto const& one : kind->needed)
        if (!has(options.sizes, one))
            wrong("--kind " + kind->name + " needs" + text_of(kind->needed) + "; " + one +
                  " is missing");
    for (auto const& one : options.sizes)
        if (!has(kind->needed, one) && !has(kind->optional, one))
            wrong("--kind " + kind->name + " does not take " + one + "; it takes" +
                  text_of(kind->needed) + text_of(kind->optional));
}

}  // namespace

std::unique_ptr<generator> make_generator(generate_options const& options) {
    check_sizes(options);
    if (options.kind == "uniform") return make_uniform(options);
    if (options.kind == "banded") return sized(banded(options.bandwidth), options);
    if (options.kind == "identity") return make_identity(options);
    if (options.kind == "block-diagonal") return make_square(options, options.block);
    if (options.kind == "rmat") return make_rmat(options);
    return std::make_unique<poisson2d>(options.grid);
}

}  // namespace hurray::tool
