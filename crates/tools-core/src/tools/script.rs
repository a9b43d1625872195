//! Code files that calls run, with their content at the time of inspection.

use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use sha2::{Digest as _, Sha256};

use super::path_text::lossy;
use crate::hex;

/// A code file that a call runs, or that determines what it runs, in its state at inspection.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Script {
    /// Canonical and absolute; as written if it is known only at run time.
    #[serde(serialize_with = "lossy")]
    pub path: PathBuf,
    /// Digest of its content; `None` if unknown: the file is too large, not regular, or leads out
    /// of the workspace.
    pub digest: Option<ContentDigest>,
    /// Its text, to show changes; `None` if it is not text, or long.
    #[serde(skip)]
    pub text: Option<Arc<str>>,
}

/// Code files without their texts, to be compared with their later states.
pub type ScriptStates = Arc<[(PathBuf, Option<ContentDigest>)]>;

/// SHA-256 of a file's content.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ContentDigest([u8; 32]);

impl Script {
    /// A script of which only the name is known.
    pub fn unknown(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), digest: None, text: None }
    }

    /// Whether both are the same file with the same content. Unknown content never counts as the
    /// same.
    pub fn is_same(&self, other: &Self) -> bool {
        self.path == other.path && self.digest.is_some() && self.digest == other.digest
    }

    /// Its name below a folder, or its whole path.
    pub fn shown_from(&self, folder: &Path) -> String {
        self.path.strip_prefix(folder).unwrap_or(&self.path).to_string_lossy().into_owned()
    }
}

impl ContentDigest {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The digest of all bytes of a reader; `None` if there are more than `most`.
    ///
    /// # Errors
    /// Errors of the reader.
    pub fn of_reader(mut reader: impl Read, most: u64) -> io::Result<Option<Self>> {
        let (mut hash, mut chunk, mut total) = (Sha256::new(), vec![0; 64 * 1024], 0);
        loop {
            let count = reader.read(&mut chunk)?;
            if count == 0 {
                return Ok(Some(Self(hash.finalize().into())));
            }
            total += count as u64;
            if total > most {
                return Ok(None);
            }
            hash.update(&chunk[..count]);
        }
    }

    /// The digest as hexadecimal digits.
    pub fn to_hex(self) -> String {
        hex(&self.0)
    }

    fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix("sha256:").filter(|digits| digits.len() == 64 && digits.is_ascii())?;
        let mut bytes = [0; 32];
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(digits.get(2 * at..2 * at + 2)?, 16).ok()?;
        }
        Some(Self(bytes))
    }
}

impl fmt::Display for ContentDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.to_hex())
    }
}

impl fmt::Debug for ContentDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentDigest({self})")
    }
}

impl Serialize for ContentDigest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ContentDigest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| D::Error::custom("it is not a digest of the form `sha256:` and 64 digits"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_read_back_as_it_is_written() {
        let digest = ContentDigest::of(b"abc");
        let text = serde_json::to_string(&digest).unwrap();
        assert_eq!(text, "\"sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"");
        assert_eq!(serde_json::from_str::<ContentDigest>(&text).unwrap(), digest);
        let long = "a".repeat(65);
        let other = format!("é{}", "a".repeat(62));
        for wrong in ["", "sha256:", "sha256:ab", long.as_str(), other.as_str(), &format!("sha256:{}", "g".repeat(64))]
        {
            assert!(ContentDigest::parse(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn a_reader_is_read_to_its_end_or_to_the_limit() {
        let bytes = vec![7; 100_000];
        let of = |most| ContentDigest::of_reader(bytes.as_slice(), most).unwrap();
        assert_eq!(of(100_000), Some(ContentDigest::of(&bytes)));
        assert_eq!(of(99_999), None);
    }

    #[test]
    fn what_cannot_be_told_is_never_the_same() {
        let known = Script { digest: Some(ContentDigest::of(b"a")), ..Script::unknown("/w/x.sh") };
        assert!(known.is_same(&known.clone()));
        assert!(!known.is_same(&Script { path: "/w/y.sh".into(), ..known.clone() }));
        assert!(!known.is_same(&Script { digest: Some(ContentDigest::of(b"b")), ..known.clone() }));
        assert!(!Script::unknown("/w/x.sh").is_same(&Script::unknown("/w/x.sh")));
    }
}
