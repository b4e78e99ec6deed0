/* Inflate: the compressed form of most HDF5 files (RFC 1950 around RFC 1951). The caller knows the size of what
 * comes out and gives exactly that room: a small file cannot fill the memory. */
#include "base/h5/inflate.h"

#include <string.h>

enum {
    MAX_BITS = 15,       /* of a code word */
    LITERALS = 288,      /* symbols for bytes, end of block and lengths */
    DISTANCES = 30,      /* symbols for distances */
    END_OF_BLOCK = 256,  /* symbols above are lengths of copies */
    LENGTH_SYMBOLS = 19, /* symbols in which the lengths of the code words are written */
    FAST = 9,            /* code words up to so many bits are looked up at once */
    HEAD = 2,
    TRAILER = 4, /* bytes of the zlib form before and behind */
};

typedef struct Bits {
    const unsigned char *in;
    size_t n, at;
    uint32_t hold; /* bits read and not used yet, the first one lowest */
    int held;
    int bad; /* asked for more than there is */
} Bits;

static unsigned bits(Bits *b, int n)
{
    while (b->held < n) {
        if (b->at == b->n) {
            b->bad = 1;
            return 0;
        }
        b->hold |= (uint32_t)b->in[b->at++] << b->held;
        b->held += 8;
    }
    unsigned value = b->hold & ((1u << n) - 1);
    b->hold >>= n;
    b->held -= n;
    return value;
}

/* A prefix code: how many words of each length, and the symbols in the order of their words. fast: by the next FAST bits, symbol·16 +
 * length of the word with which they begin; 0: it is longer. */
typedef struct Code {
    short count[MAX_BITS + 1], symbol[LITERALS], fast[1 << FAST];
} Code;

/* Words stand in the file highest bit first, the bits of a byte lowest first. */
static unsigned reversed(unsigned word, int n)
{
    unsigned out = 0;
    for (; n > 0; n--, word >>= 1) out = out << 1 | (word & 1);
    return out;
}

static void make_fast(Code *code, const unsigned char *length, int n)
{
    unsigned next[MAX_BITS + 2] = {0};
    memset(code->fast, 0, sizeof code->fast);
    for (int k = 1; k <= MAX_BITS; k++) next[k + 1] = (next[k] + (unsigned)code->count[k]) << 1;
    for (int i = 0; i < n; i++) {
        int k = length[i];
        unsigned word = k ? next[k]++ : 0;
        if (k == 0 || k > FAST) continue;
        for (unsigned at = reversed(word, k); at < 1u << FAST; at += 1u << k)
            code->fast[at] = (short)(i * 16 + k);
    }
}

/* From the length of each symbol's word (0: it has none). 0: more words than fit. *left: unused ones. */
static int make_code(Code *code, const unsigned char *length, int n, int *left)
{
    short next[MAX_BITS + 2];
    memset(code->count, 0, sizeof code->count);
    for (int i = 0; i < n; i++) code->count[length[i]]++;
    int room = 1;
    for (int k = 1; k <= MAX_BITS; k++) {
        room = 2 * room - code->count[k];
        if (room < 0) return 0;
    }
    *left = code->count[0] == n ? 0 : room;
    next[1] = 0;
    for (int k = 1; k <= MAX_BITS; k++) next[k + 1] = (short)(next[k] + code->count[k]);
    for (int i = 0; i < n; i++)
        if (length[i]) code->symbol[next[length[i]]++] = (short)i;
    make_fast(code, length, n);
    return 1;
}

/* The next symbol, −1: none has these bits. */
static int symbol(Bits *b, const Code *code)
{
    int word = 0, first = 0, index = 0;
    while (b->held < FAST && b->at < b->n) {
        b->hold |= (uint32_t)b->in[b->at++] << b->held;
        b->held += 8;
    }
    int found = code->fast[b->hold & ((1u << FAST) - 1)], used = found & 15;
    if (found && used <= b->held) {
        b->hold >>= used;
        b->held -= used;
        return found >> 4;
    }
    for (int k = 1; k <= MAX_BITS; k++) {
        word |= (int)bits(b, 1);
        int count = code->count[k];
        if (b->bad) return -1;
        if (word - first < count) return code->symbol[index + word - first];
        index += count;
        first = (first + count) << 1;
        word <<= 1;
    }
    return -1;
}

typedef struct Out {
    unsigned char *at;
    size_t used, room;
} Out;

/* Bytes and copies until the end of the block. */
static int compressed(Bits *b, Out *out, const Code *literal, const Code *distance)
{
    static const short length_base[29] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                          31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const short length_bits[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                          2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    static const short back_base[DISTANCES] = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                               33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                               1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    static const short back_bits[DISTANCES] = {0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                               6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};
    for (;;) {
        int s = symbol(b, literal);
        if (s == END_OF_BLOCK) return 1;
        if (s < 0 || s - END_OF_BLOCK > (int)(sizeof length_base / sizeof *length_base)) return 0;
        if (s < END_OF_BLOCK) {
            if (out->used == out->room) return 0;
            out->at[out->used++] = (unsigned char)s;
            continue;
        }
        s -= END_OF_BLOCK + 1;
        size_t n = (size_t)length_base[s] + bits(b, length_bits[s]);
        int d = symbol(b, distance);
        if (d < 0 || d >= DISTANCES) return 0;
        size_t back = (size_t)back_base[d] + bits(b, back_bits[d]);
        if (b->bad || back > out->used || n > out->room - out->used) return 0;
        for (; n > 0; n--, out->used++) out->at[out->used] = out->at[out->used - back];
    }
}

static int stored(Bits *b, Out *out)
{
    b->at -= (size_t)(b->held / 8); /* whole bytes that were taken ahead */
    b->hold = 0;
    b->held = 0;
    if (b->n - b->at < 4) return 0;
    size_t n = b->in[b->at] | (size_t)b->in[b->at + 1] << 8;
    size_t other = b->in[b->at + 2] | (size_t)b->in[b->at + 3] << 8;
    b->at += 4;
    if ((n ^ other) != 0xffff || n > b->n - b->at || n > out->room - out->used) return 0;
    memcpy(out->at + out->used, b->in + b->at, n);
    b->at += n;
    out->used += n;
    return 1;
}

static int fixed_codes(Bits *b, Out *out)
{
    Code literal, distance;
    unsigned char length[LITERALS];
    int left;
    for (int i = 0; i < LITERALS; i++)
        length[i] = (unsigned char)(i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8);
    make_code(&literal, length, LITERALS, &left);
    memset(length, 5, DISTANCES);
    make_code(&distance, length, DISTANCES, &left);
    return compressed(b, out, &literal, &distance);
}

/* Lengths of the words of both codes, themselves in a code with repetitions. */
static int read_lengths(Bits *b, const Code *code, unsigned char *length, int n)
{
    for (int i = 0; i < n;) {
        int s = symbol(b, code), again, value = 0;
        if (s < 0) return 0;
        if (s < 16) {
            length[i++] = (unsigned char)s;
            continue;
        }
        if (s == 16 && i == 0) return 0;
        if (s == 16) value = length[i - 1];
        again = s == 16 ? 3 + (int)bits(b, 2) : s == 17 ? 3 + (int)bits(b, 3) : 11 + (int)bits(b, 7);
        if (b->bad || again > n - i) return 0;
        while (again-- > 0) length[i++] = (unsigned char)value;
    }
    return 1;
}

static int own_codes(Bits *b, Out *out)
{
    static const unsigned char order[LENGTH_SYMBOLS] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                        11, 4,  12, 3, 13, 2, 14, 1, 15};
    unsigned char length[LITERALS + 32] = {0};
    Code code, literal, distance;
    int nliteral = 257 + (int)bits(b, 5), ndistance = 1 + (int)bits(b, 5), ncode = 4 + (int)bits(b, 4), left;
    if (b->bad || nliteral > 286 || ndistance > DISTANCES) return 0;
    for (int i = 0; i < ncode; i++) length[order[i]] = (unsigned char)bits(b, 3);
    if (b->bad || !make_code(&code, length, LENGTH_SYMBOLS, &left) || left) return 0;
    memset(length, 0, sizeof length);
    if (!read_lengths(b, &code, length, nliteral + ndistance) || length[END_OF_BLOCK] == 0) return 0;
    /* a code of one word uses half of what one bit can say */
    if (!make_code(&literal, length, nliteral, &left) ||
        (left && literal.count[0] + literal.count[1] != nliteral))
        return 0;
    if (!make_code(&distance, length + nliteral, ndistance, &left) ||
        (left && distance.count[0] + distance.count[1] != ndistance))
        return 0;
    return compressed(b, out, &literal, &distance);
}

static uint32_t adler32(const unsigned char *at, size_t n)
{
    enum { PRIME = 65521, PIECE = 5552 }; /* so many bytes do not overflow 32 bits */
    uint32_t a = 1, b = 0;
    while (n > 0) {
        size_t m = n < PIECE ? n : PIECE;
        n -= m;
        for (; m > 0; m--) a += *at++, b += a;
        a %= PRIME;
        b %= PRIME;
    }
    return b << 16 | a;
}

/* The blocks; *used: bytes of the input that they took. */
static int blocks(const unsigned char *in, size_t n, Out *to, size_t *used)
{
    Bits b = {.in = in, .n = n};
    for (int last = 0; !last;) {
        last = (int)bits(&b, 1);
        unsigned kind = bits(&b, 2);
        int good = !b.bad && (kind == 0   ? stored(&b, to)
                              : kind == 1 ? fixed_codes(&b, to)
                              : kind == 2 ? own_codes(&b, to)
                                          : 0);
        if (!good || b.bad) return 0;
    }
    *used = b.at - (size_t)(b.held / 8);
    return to->used == to->room;
}

int vg_inflate_raw(const unsigned char *in, size_t n, unsigned char *out, size_t room)
{
    Out to = {out, 0, room};
    size_t used;
    return blocks(in, n, &to, &used);
}

int vg_inflate(const unsigned char *in, size_t n, unsigned char *out, size_t room)
{
    enum { DEFLATE = 8, DICTIONARY = 0x20 };
    if (n < HEAD + TRAILER || (in[0] & 15) != DEFLATE || (in[0] * 256 + in[1]) % 31 || in[1] & DICTIONARY)
        return 0;
    Out to = {out, 0, room};
    size_t used;
    if (!blocks(in + HEAD, n - HEAD - TRAILER, &to, &used)) return 0;
    const unsigned char *sum = in + HEAD + used;
    return adler32(out, room) ==
           ((uint32_t)sum[0] << 24 | (uint32_t)sum[1] << 16 | (uint32_t)sum[2] << 8 | sum[3]);
}
