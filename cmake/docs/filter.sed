# What Doxygen sees of the headers: no inline namespace, no overload that exists only to be refused and no qualifier
# that tells it apart, no specialisation for each type; and headings for what is said of errors and the like.
/^inline namespace \[\[gnu::visibility\("default"\)\]\] v0 \{$/d
/^\} +\/\/ namespace v0$/d
/^template<> inline constexpr element_type element_type_of<.*;$/d
/\) const ?&& ?= delete;$/d
/^ +template<.*>>$/{
N
/= delete;$/d
}
/^    (T const& value\(\) const&|T value\(\) &&|T const& operator\*\(\) const&|T operator\*\(\) &&|T\* operator->|T const\* operator->)/i\
/// As above.
s/\) const ?& ?(noexcept|;|\{)/) const \1/
s/^( *)\/\/\/ (Precondition|Errors|Complexity|Lifetime|Memory|Copies): (.*)$/\1\/\/\/ @par \2\n\1\/\/\/ \3/
