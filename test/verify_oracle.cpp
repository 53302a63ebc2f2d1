// Generated and damaged matrices: every way to verify against the loop that defines the answer.

#include <compressed.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include "sampled.hpp"

namespace {

namespace detail = hurray::detail;
using hurray::errc;
using hurray::error;

// Offsets and indices in one piece of memory, as they lie in a file.
struct matrix {
    std::uint64_t major = 0;
    std::uint64_t minor = 0;
    std::vector<std::uint64_t> indices;
    std::vector<std::uint64_t> offsets;
    std::vector<std::uint64_t> file;

    // An exact fit on the heap, so that a sanitizer sees a read outside of the arrays.
    detail::structure lay_out() {
        file.assign(indices.begin(), indices.end());
        file.insert(file.end(), offsets.begin(), offsets.end());
        file.shrink_to_fit();
        return {.major = major,
                .minor = minor,
                .nnz = indices.size(),
                .offsets = file.data() + indices.size(),
                .indices = file.data(),
                .origin = std::as_bytes(std::span(file)).data()};
    }
};

error at(errc code, std::uint64_t word, std::uint64_t slice,
         std::uint64_t position = error::nowhere) {
    return {.code = code, .offset = 8 * word, .slice = slice, .position = position};
}

// The definition. `code` of the error is empty when all is well.
error naive(matrix const& m, std::uint64_t first, std::uint64_t count) {
    auto const nnz = m.indices.size();
    if (first == 0 && m.offsets[0] != 0) return at(errc::offsets_not_anchored, nnz, 0);
    if (first + count == m.major && m.offsets[m.major] != nnz)
        return at(errc::offsets_not_anchored, nnz + m.major, m.major == 0 ? 0 : m.major - 1);
    for (auto i = first; i < first + count; ++i) {
        auto const a = m.offsets[i];
        auto const b = m.offsets[i + 1];
        if (b < a) return at(errc::offsets_decrease, nnz + i + 1, i);
        if (b > nnz) return at(errc::offsets_not_anchored, nnz + i + 1, i);
        for (auto k = a; k < b; ++k) {
            if (m.indices[k] >= m.minor) return at(errc::index_exceeds_shape, k, i, k - a);
            if (k > a && m.indices[k] <= m.indices[k - 1])
                return at(errc::indices_not_increasing, k, i, k - a);
        }
    }
    return {};
}

class generator {
public:
    explicit generator(std::uint64_t seed) : random_(seed) {}

    std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
    bool once_in(std::uint64_t n) { return below(n) == 0; }

    // A matrix that keeps every rule.
    void fill(matrix& m, std::uint64_t most_rows, std::uint64_t longest) {
        m.major = below(most_rows + 1);
        m.minor = bound();
        m.indices.clear();
        m.offsets.assign(1, 0);
        auto const empty_in = 1 + below(4);
        for (std::uint64_t i = 0; i < m.major; ++i) {
            if (!once_in(empty_in)) fill_row(m, below(longest + 1));
            m.offsets.push_back(m.indices.size());
        }
    }

    // One to three words changed, most of them to something that almost fits.
    void damage(matrix& m) {
        for (auto n = 1 + below(3); n != 0; --n) {
            auto const in_offsets = m.indices.empty() || once_in(2);
            auto& words = in_offsets ? m.offsets : m.indices;
            auto& word = words[place(words.size(), in_offsets)];
            switch (below(8)) {
            case 0:
                word += 1;
                break;
            case 1:
                word -= 1;
                break;
            case 2:
                word = words[below(words.size())];
                break;
            case 3:
                word = in_offsets ? m.indices.size() : m.minor;
                break;
            case 4:
                word = in_offsets ? m.indices.size() + 1 : m.minor - 1;
                break;
            case 5:
                word = random_() >> below(64);
                break;
            case 6:
                std::swap(word, words[place(words.size(), in_offsets)]);
                break;
            default:
                word ^= std::uint64_t{1} << below(64);
                break;
            }
        }
    }

private:
    // The anchors are only two words, and whatever is done to them is found at once.
    std::uint64_t place(std::uint64_t size, bool in_offsets) {
        if (!in_offsets || size < 3 || once_in(8)) return below(size);
        return 1 + below(size - 2);
    }

    // Small, so that damage is often harmless; or at an edge of signed or unsigned words.
    std::uint64_t bound() {
        constexpr auto top = std::uint64_t{1} << 63;
        constexpr std::array edges = {~std::uint64_t{0}, top, top - 1, top + 1,
                                      std::uint64_t{1} << 32};
        return once_in(3) ? edges[below(edges.size())] : below(40);
    }

    void fill_row(matrix& m, std::uint64_t length) {
        auto const step = 1 + (m.minor > 1000 && once_in(2) ? m.minor / 20 : below(3));
        auto next = below(4);
        for (; length != 0 && next < m.minor; --length) {
            m.indices.push_back(next);
            auto const by = 1 + below(step);
            if (by > ~std::uint64_t{0} - next) break;
            next += by;
        }
        // The last index there may be.
        if (m.minor != 0 && once_in(4) && (length == 0 || next < m.minor) && !m.indices.empty() &&
            m.offsets.back() != m.indices.size() && m.indices.back() < m.minor - 1)
            m.indices.push_back(m.minor - 1);
    }

    std::mt19937_64 random_;
};

std::string described(matrix const& m, error const& expected, error const& found) {
    std::string text = "minor " + std::to_string(m.minor) + ", offsets";
    for (auto const word : m.offsets) text += ' ' + std::to_string(word);
    text += ", indices";
    for (auto const word : m.indices) text += ' ' + std::to_string(word);
    return text + ": expected " + expected.message() + ", found " + found.message();
}

error found_by(hurray::result<void> const& outcome) { return outcome ? error{} : outcome.error(); }

// Slice after slice, as a lazy view checks them; the anchors are not its business.
error lazily(detail::structure const& s, std::uint64_t first, std::uint64_t count) {
    for (auto i = first; i < first + count; ++i) {
        auto const range = detail::check_bounds(s, i);
        if (!range) return range.error();
        if (auto const ok = detail::check_order(s, i, *range); !ok) return ok.error();
    }
    return {};
}

struct tally {
    std::uint64_t matrices = 0;
    std::uint64_t valid = 0;
    std::array<std::uint64_t, 4> broken{};  // R-102 ... R-105
    std::uint64_t differ = 0;
    std::uint64_t doubted = 0;

    void count(error const& e) {
        ++matrices;
        if (!e.code)
            ++valid;
        else
            ++broken.at(static_cast<std::size_t>(hurray::rule(e.code) - 102));
    }

    void expect(matrix const& m, error const& expected, error const& found) {
        if (expected == found) return;
        if (++differ <= 5) BOOST_ERROR(described(m, expected, found));
    }
};

// What this processor lacks is not tested on it.
std::vector<detail::instructions> kernels() {
    std::vector<detail::instructions> all = {detail::instructions::portable};
    if (detail::best_instructions() != all[0]) all.push_back(detail::best_instructions());
    return all;
}

// Whether the fast pass alone sees that a valid matrix is one: a doubt would cost only time.
bool without_doubt(detail::structure const& s, std::uint64_t first, std::uint64_t count,
                   detail::check_plan const& plan) {
    if (count == 0) return true;
    detail::region const whole{first, first + count, {s.offsets[first], s.offsets[first + count]}};
    for (std::uint64_t done = 0, next = 0; done < whole.work(); done = next) {
        next = std::min(done + plan.part, whole.work());
        if (!detail::part_holds(s, whole, whole.at(s, done), whole.at(s, next), plan.block,
                                plan.with))
            return false;
    }
    return true;
}

// Parts and blocks of a few words: a small matrix has many seams.
void compare(tally& t, generator& random, matrix& m) {
    auto const s = m.lay_out();
    auto const all = random.once_in(2);
    auto const first = all ? 0 : random.below(m.major + 1);
    auto const count = all ? m.major : random.below(m.major - first + 1);
    auto const expected = naive(m, first, count);
    t.count(expected);
    for (auto const with : kernels()) {
        detail::check_plan plan{with, 0, 1 + random.below(40)};
        t.expect(m, expected, found_by(detail::check_slices(s, first, count, {}, plan)));
        plan.part = 1 + random.below(24);
        t.expect(m, expected, found_by(detail::check_slices(s, first, count, {}, plan)));
        if (!expected.code) t.doubted += !without_doubt(s, first, count, plan);
    }
    auto const without_anchors = expected.code != errc::offsets_not_anchored;
    if (without_anchors) t.expect(m, expected, lazily(s, first, count));
}

void compare_with_threads(tally& t, generator& random, matrix& m) {
    auto const s = m.lay_out();
    auto const expected = naive(m, 0, m.major);
    t.count(expected);
    for (unsigned const threads : {2u, 3u})
        for (auto const with : kernels()) {
            detail::check_plan const plan{with, 1 + random.below(12), 1 + random.below(9)};
            t.expect(m, expected,
                     found_by(detail::check_slices(s, 0, m.major, {.threads = threads}, plan)));
        }
}

void report(tally const& t) {
    BOOST_TEST_MESSAGE(t.matrices << " matrices, valid " << t.valid << ", R-102 " << t.broken[0]
                                  << ", R-103 " << t.broken[1] << ", R-104 " << t.broken[2]
                                  << ", R-105 " << t.broken[3]);
    BOOST_TEST(t.differ == 0u);
    BOOST_TEST(t.doubted == 0u);
    // Damage that leaves nearly all matrices whole, or nearly none, would prove little.
    for (auto const n : t.broken) BOOST_TEST(n > t.matrices / 50);
    BOOST_TEST(t.valid > t.matrices / 20);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(verify_oracle)

BOOST_AUTO_TEST_CASE(R_102_R_103_R_104_R_105_first_error_of_a_million_matrices) {
    generator random(20240501);
    tally t;
    matrix m;
    while (t.matrices < hurray_test::times(1'000'000)) {
        random.fill(m, 8, 6);
        if (random.once_in(16)) random.fill(m, 3, 200);
        if (!random.once_in(10)) random.damage(m);
        compare(t, random, m);
    }
    report(t);
}

BOOST_AUTO_TEST_CASE(R_102_R_103_R_104_R_105_first_error_with_threads) {
    generator random(7);
    tally t;
    matrix m;
    while (t.matrices < 3'000) {
        random.fill(m, 12, 8);
        if (!random.once_in(10)) random.damage(m);
        compare_with_threads(t, random, m);
    }
    report(t);
}

// Blocks of their real size.
BOOST_AUTO_TEST_CASE(R_102_R_103_R_104_R_105_first_error_across_blocks) {
    generator random(99);
    tally t;
    matrix m;
    while (t.matrices < 400) {
        random.fill(m, 400, random.once_in(2) ? 1000 : 30);
        if (!random.once_in(10)) random.damage(m);
        auto const s = m.lay_out();
        auto const expected = naive(m, 0, m.major);
        t.count(expected);
        for (auto const with : kernels())
            t.expect(m, expected, found_by(detail::check_slices(s, 0, m.major, {}, {with})));
    }
    BOOST_TEST(t.differ == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
