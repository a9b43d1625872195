//! The hash chain that makes a log tamper-evident: sealing of lines, and parsing of sealed lines.
//! Pure.
//!
//! A line is one JSON object whose first members are `v` and `seq` and whose last are `prev` and
//! `hash`. `hash` is the SHA-256 of the 64 digits of `prev` followed by the bytes of the line as
//! stored in the file, without its member `hash` (the text up to the `,"hash"`, and a closing
//! brace). `prev` is the `hash` of the previous line; 64 zeros in the very first line. Checking
//! does not parse and rewrite anything.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tools_core::hex;

/// The `prev` of the very first line.
pub const ZERO_HASH: &str = "0000000000000000000000000000000000000000000000000000000000000000";

const DIGITS: usize = 64;
const START: &str = r#"{"v":1,"seq":"#;
const PREV: &str = r#","prev":""#;
const HASH: &str = r#"","hash":""#;
const END: &str = r#""}"#;

/// The last line of a chain: the next line is chained to it, and noting it elsewhere reveals a cut
/// tail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// Its number; 0 before the first line.
    pub seq: u64,
    /// Its hash.
    pub hash: String,
}

impl std::fmt::Display for Head {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.seq, self.hash)
    }
}

impl std::str::FromStr for Head {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.trim().split_once(':').and_then(|(seq, hash)| Some((seq.parse().ok()?, hash)));
        let is_hash = |hash: &str| split_digits(hash.as_bytes()).is_some_and(|(rest, _)| rest.is_empty());
        match parts {
            Some((seq, hash)) if is_hash(hash) => Ok(Self { seq, hash: hash.to_owned() }),
            _ => Err("a head is a number, a colon and 64 hexadecimal digits".to_owned()),
        }
    }
}

impl Default for Head {
    fn default() -> Self {
        Self { seq: 0, hash: ZERO_HASH.to_owned() }
    }
}

/// An event between two lines of the file, stored in the second one so that it is part of the
/// chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    /// Bytes that are no line of the chain precede this line: a write was interrupted.
    Damaged {
        /// Number of bytes.
        bytes: u64,
        /// Their SHA-256.
        sha256: String,
    },
    /// This is the first line of its file; it continues the chain of another file.
    Continues {
        /// The name of the other file, in the same folder.
        file: String,
    },
    /// This is the first line of a new chain; the earlier chain in its place is gone.
    Replaces {
        /// The number of the earlier chain's last line.
        seq: u64,
        /// The hash of the earlier chain's last line.
        hash: String,
    },
}

/// Appends the line that follows `head` to `out`, with its newline, and returns the new head.
///
/// `body` holds the members of the line without braces (`"ts":"…","tool":"…"`).
pub fn seal(head: &Head, body: &str, mark: Option<&Mark>, out: &mut String) -> Head {
    let start = out.len();
    let seq = head.seq.saturating_add(1);
    // Writing to a `String` cannot fail.
    let _ = write!(out, "{START}{seq},{body}");
    match mark {
        None => {}
        Some(Mark::Damaged { bytes, sha256 }) => {
            let _ = write!(out, r#","damaged":{{"bytes":{bytes},"sha256":"{sha256}"}}"#);
        }
        Some(Mark::Replaces { seq, hash }) => {
            let _ = write!(out, r#","replaces":{{"seq":{seq},"hash":"{hash}"}}"#);
        }
        Some(Mark::Continues { file }) => {
            let _ = write!(out, r#","continues":{}"#, serde_json::Value::String(file.as_str().to_owned()));
        }
    }
    out.push_str(PREV);
    out.push_str(&head.hash);
    let hash = digest(&head.hash, &out.as_bytes()[start..], END);
    out.push_str(HASH);
    out.push_str(&hash);
    out.push_str(END);
    out.push('\n');
    Head { seq, hash }
}

/// A parsed line of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SealedLine<'a> {
    /// Its number.
    pub seq: u64,
    /// The hash of the previous line, as stated in this one.
    pub prev: &'a str,
    /// The hash of this line, as stated in it.
    pub hash: &'a str,
    /// The line without `","hash":"…"}`.
    hashed: &'a [u8],
}

impl SealedLine<'_> {
    /// Whether the line is unchanged since it was sealed.
    pub fn is_intact(&self) -> bool {
        digest(self.prev, self.hashed, END) == self.hash
    }

    /// Hash that the next line is chained to.
    pub fn head(&self) -> Head {
        Head { seq: self.seq, hash: self.hash.to_owned() }
    }
}

/// Parses a line without its newline; `None` if it does not have the form written by [`seal`].
pub fn unseal(line: &[u8]) -> Option<SealedLine<'_>> {
    let rest = line.strip_suffix(END.as_bytes())?;
    let (rest, hash) = split_digits(rest)?;
    let hashed = rest.strip_suffix(HASH.as_bytes())?;
    let (rest, prev) = split_digits(hashed)?;
    let rest = rest.strip_suffix(PREV.as_bytes())?;
    let numbered = rest.strip_prefix(START.as_bytes())?;
    let digits = numbered.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, rest) = numbered.split_at(digits);
    let seq = std::str::from_utf8(number).ok()?.parse().ok()?;
    rest.starts_with(b",").then_some(SealedLine { seq, prev, hash, hashed })
}

fn split_digits(text: &[u8]) -> Option<(&[u8], &str)> {
    let (rest, digits) = text.split_at_checked(text.len().checked_sub(DIGITS)?)?;
    let lower_hex = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if !digits.iter().all(lower_hex) {
        return None;
    }
    Some((rest, std::str::from_utf8(digits).ok()?))
}

fn digest(prev: &str, hashed: &[u8], end: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(prev.as_bytes());
    hash.update(hashed);
    hash.update(end.as_bytes());
    hex(&hash.finalize())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn line(head: &Head, body: &str, mark: Option<&Mark>) -> (String, Head) {
        let mut out = String::new();
        let head = seal(head, body, mark, &mut out);
        assert_eq!(out.pop(), Some('\n'));
        (out, head)
    }

    #[test]
    fn the_hash_is_the_one_that_the_documentation_describes() {
        let (text, head) = line(&Head::default(), r#""tool":"bash""#, None);
        let without_hash = format!(r#"{{"v":1,"seq":1,"tool":"bash","prev":"{ZERO_HASH}"}}"#);
        let hash = tools_core::sha256_hex(format!("{ZERO_HASH}{without_hash}").as_bytes());
        assert_eq!(text, format!(r#"{{"v":1,"seq":1,"tool":"bash","prev":"{ZERO_HASH}","hash":"{hash}"}}"#));
        assert_eq!(head, Head { seq: 1, hash });
    }

    #[test]
    fn marks_are_members_of_the_line() {
        let head = Head::default();
        let damaged = Mark::Damaged { bytes: 3, sha256: "ab".into() };
        let continues = Mark::Continues { file: "a\"b.jsonl".into() };
        let replaces = Mark::Replaces { seq: 7, hash: "cd".into() };
        for (mark, member) in [
            (damaged, r#""damaged":{"bytes":3,"sha256":"ab"}"#),
            (continues, r#""continues":"a\"b.jsonl""#),
            (replaces, r#""replaces":{"seq":7,"hash":"cd"}"#),
        ] {
            let (text, _) = line(&head, r#""tool":"x""#, Some(&mark));
            assert!(text.contains(member), "{text}");
            assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok());
            assert!(unseal(text.as_bytes()).unwrap().is_intact());
        }
    }

    #[test]
    fn what_is_no_sealed_line_is_not_taken_for_one() {
        let (text, _) = line(&Head::default(), r#""tool":"x""#, None);
        for bad in [
            String::new(),
            "\"}".into(),
            "{}".into(),
            text.replace("\"v\":1", "\"v\":2"),
            text.replace("\"seq\":1", "\"seq\":"),
            text.replace("\"seq\":1", "\"seq\":99999999999999999999999"),
            text.replace("\"prev\"", "\"prew\""),
            text[1..].to_owned(),
            text[..text.len() - 1].to_owned(),
        ] {
            assert_eq!(unseal(bad.as_bytes()), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn any_changed_byte_is_found(text in "[a-z\"\\\\{}é]{0,40}", at in any::<prop::sample::Index>(), byte in any::<u8>()) {
            let body = format!(r#""tool":{}"#, serde_json::Value::String(text));
            let (line, _) = line(&Head::default(), &body, None);
            let mut changed = line.clone().into_bytes();
            let at = at.index(changed.len());
            prop_assume!(changed[at] != byte);
            changed[at] = byte;
            prop_assert!(unseal(line.as_bytes()).is_some_and(|sealed| sealed.is_intact()));
            prop_assert!(unseal(&changed).is_none_or(|sealed| !sealed.is_intact()));
        }
    }
}
