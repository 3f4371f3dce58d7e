// A set of node numbers below 64 * Words, as machine words. With one word every operation is one instruction.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace infmcs {

using Word = std::uint64_t;

template <std::size_t Words>
struct Bits {
    std::array<Word, Words> words;

    static Bits none() { return {}; }

    // {0, ..., count - 1}
    static Bits below(int count) {
        Bits set{};
        for (std::size_t i = 0; i < Words; ++i) {
            const int here = count - static_cast<int>(64 * i);
            set.words[i] = here >= 64 ? ~Word{0} : here <= 0 ? Word{0} : (Word{1} << here) - 1;
        }
        return set;
    }

    // A row as prepared graphs store it.
    static const Bits& at(const Word* row) { return *reinterpret_cast<const Bits*>(row); }

    bool any() const {
        Word all = 0;
        for (const Word word : words) all |= word;
        return all != 0;
    }

    int count() const {
        int sum = 0;
        for (const Word word : words) sum += std::popcount(word);
        return sum;
    }

    // The smallest number in the set, which must not be empty.
    int first() const {
        std::size_t i = 0;
        if constexpr (Words > 1)
            while (!words[i]) ++i;
        return static_cast<int>(64 * i) + __builtin_ctzll(words[i]);
    }

    bool has(int node) const { return words[place(node)] >> (node & 63) & 1; }
    void add(int node) { words[place(node)] |= Word{1} << (node & 63); }
    void put(int node, bool in) {
        if (in)
            add(node);
        else
            remove(node);
    }
    void flip(int node) { words[place(node)] ^= Word{1} << (node & 63); }
    void remove(int node) { words[place(node)] &= ~(Word{1} << (node & 63)); }

    Bits operator&(const Bits& other) const {
        Bits result;
        for (std::size_t i = 0; i < Words; ++i) result.words[i] = words[i] & other.words[i];
        return result;
    }
    Bits operator^(const Bits& other) const {
        Bits result;
        for (std::size_t i = 0; i < Words; ++i) result.words[i] = words[i] ^ other.words[i];
        return result;
    }
    Bits without(const Bits& other) const {
        Bits result;
        for (std::size_t i = 0; i < Words; ++i) result.words[i] = words[i] & ~other.words[i];
        return result;
    }
    Bits& operator|=(const Bits& other) {
        for (std::size_t i = 0; i < Words; ++i) words[i] |= other.words[i];
        return *this;
    }

    template <class Visit>
    void each(Visit visit) const {
        for (std::size_t i = 0; i < Words; ++i)
            for (Word rest = words[i]; rest; rest &= rest - 1) visit(static_cast<int>(64 * i) + __builtin_ctzll(rest));
    }

private:
    static std::size_t place(int node) {
        if constexpr (Words == 1) return 0;
        return static_cast<std::size_t>(node) >> 6;
    }
};

}  // namespace infmcs
