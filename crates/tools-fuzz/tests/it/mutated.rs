//! Variants of the kept inputs: cut, doubled, joined with others and with characters that parsers
//! trip over. They reach less than a fuzzer that watches what runs, and need no other build.
//!
//! `HAFT_FUZZ_SEED` sets another seed, `HAFT_FUZZ_VARIANTS` another number.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tools_fuzz::{check, corpus};
use tools_testkit::Numbers;

/// Variants of each target in an ordinary run.
const VARIANTS: u64 = 60;
/// Kept inputs above this size are left to the replay: a variant of one tells little.
const MAX_BYTES: usize = 3000;

/// What is put between the pieces.
const PIECES: &[&[u8]] = &[
    b"\0",
    b"\n",
    b"\r\n",
    b"\t",
    b" ",
    b"\"",
    b"'",
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b"(",
    b")",
    b":",
    b";",
    b"=",
    b"#",
    b"-",
    b"*",
    b"**",
    b"!",
    b"/",
    b"../",
    b"%00",
    b"&",
    b"<",
    b">",
    b"$",
    b"`",
    b"0",
    b"-1",
    b"1e999",
    b"18446744073709551616",
    b"null",
    b"true",
    b"\xff",
    b"\xc3",
    b"\xf0\x9f",
    b"\x1b[",
    b"\x7f",
    b"\x08",
    "\u{feff}".as_bytes(),
    "\u{2028}".as_bytes(),
    "\u{202e}".as_bytes(),
    "\u{301}".as_bytes(),
    "é".as_bytes(),
    "ﬀ".as_bytes(),
    "İ".as_bytes(),
    "𝒂".as_bytes(),
    "👩‍💻".as_bytes(),
    b"",
];

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

fn place(numbers: &mut Numbers, bytes: &[u8]) -> usize {
    usize::try_from(numbers.below(bytes.len() as u64 + 1)).unwrap()
}

fn range(numbers: &mut Numbers, bytes: &[u8]) -> std::ops::Range<usize> {
    let (a, b) = (place(numbers, bytes), place(numbers, bytes));
    // Most changes are small.
    let end = if numbers.below(4) == 0 { a.max(b) } else { a.max(b).min(a.min(b) + 8) };
    a.min(b)..end
}

fn variant(numbers: &mut Numbers, inputs: &[&[u8]]) -> Vec<u8> {
    let mut bytes = numbers.of(inputs).to_vec();
    for _ in 0..=numbers.below(4) {
        match numbers.below(6) {
            0 => drop(bytes.drain(range(numbers, &bytes))),
            1 => {
                let copied = bytes[range(numbers, &bytes)].to_vec();
                let at = place(numbers, &bytes);
                bytes.splice(at..at, copied);
            }
            2 => {
                let other = numbers.of(inputs);
                let piece = other[range(numbers, other)].to_vec();
                let at = range(numbers, &bytes);
                bytes.splice(at, piece);
            }
            3 => {
                let at = range(numbers, &bytes);
                bytes.splice(at, numbers.of(PIECES).to_vec());
            }
            4 => {
                let at = place(numbers, &bytes);
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << numbers.below(8);
                }
            }
            _ => {
                let at = place(numbers, &bytes);
                bytes.splice(at..at, numbers.of(PIECES).to_vec());
            }
        }
    }
    bytes
}

/// The input as it is kept.
fn written(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => serde_json::Value::from(text).to_string(),
        Err(_) => serde_json::Value::from(bytes).to_string(),
    }
}

fn mutate(name: &str) {
    let kept = corpus(name);
    let inputs: Vec<&[u8]> = kept.iter().map(Vec::as_slice).filter(|input| input.len() <= MAX_BYTES).collect();
    let seed = setting("HAFT_FUZZ_SEED").unwrap_or(1);
    let mut numbers = Numbers::new(seed);
    for _ in 0..setting("HAFT_FUZZ_VARIANTS").unwrap_or(VARIANTS) {
        let bytes = variant(&mut numbers, &inputs);
        let checked = catch_unwind(AssertUnwindSafe(|| check(name, &bytes)));
        assert!(checked.is_ok(), "seed {seed}: fuzz/inputs/{name}.json takes this input: {}", written(&bytes));
    }
}

macro_rules! mutated {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                mutate(stringify!($name));
            }
        )*
    };
}

crate::with_targets!(mutated);
