//! Which characters the bytes of a page are: by the mark at its start, by the header, by the page
//! itself, and else by what it looks like.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// A page says in its first bytes which characters it has.
const PRESCAN: usize = 1024;
/// More than this changes no guess.
const GUESSED_FROM: usize = 64 * 1024;

/// Origin of the encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CharsetFrom {
    /// The mark at the start.
    Mark,
    /// `Content-Type`.
    Header,
    /// The page (`<meta charset>`, `<?xml encoding>`).
    Page,
    /// Nobody: it was guessed.
    Guess,
}

/// Text out of bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodedText<'a> {
    /// The text.
    pub text: Cow<'a, str>,
    /// The name of the encoding (`windows-1251`).
    pub charset: &'static str,
    /// Origin of the encoding.
    pub from: CharsetFrom,
    /// Whether some bytes were none of its characters.
    pub damaged: bool,
}

/// Decodes a body; `content_type` is its header, `truncated` says that its end is missing.
pub fn decode<'a>(bytes: &'a [u8], content_type: Option<&str>, truncated: bool) -> DecodedText<'a> {
    let (encoding, from, mark) = encoding_of(bytes, content_type);
    let rest = &bytes[mark..];
    let rest = if truncated && encoding == UTF_8 { without_cut_character(rest) } else { rest };
    let (text, damaged) = encoding.decode_without_bom_handling(rest);
    DecodedText { text, charset: encoding.name(), from, damaged }
}

fn encoding_of(bytes: &[u8], content_type: Option<&str>) -> (&'static Encoding, CharsetFrom, usize) {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        return (encoding, CharsetFrom::Mark, length);
    }
    if let Some(encoding) =
        content_type.and_then(charset_parameter).and_then(|label| Encoding::for_label(label.as_bytes()))
    {
        return (encoding, CharsetFrom::Header, 0);
    }
    let head = &bytes[..bytes.len().min(PRESCAN)];
    if let Some(encoding) = declared(head) {
        return (encoding, CharsetFrom::Page, 0);
    }
    (guessed(bytes), CharsetFrom::Guess, 0)
}

/// The `charset` of a media type, quoted or not.
fn charset_parameter(content_type: &str) -> Option<&str> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches(['"', '\'']))
    })
}

/// The encoding that a page names in its first bytes.
fn declared(head: &[u8]) -> Option<&'static Encoding> {
    let text: String = head.iter().map(|byte| char::from(byte.to_ascii_lowercase())).collect();
    let label =
        if text.trim_start().starts_with("<?xml") { label_after(text.split("?>").next()?, "encoding") } else { None };
    let label =
        label.or_else(|| text.split("<meta").skip(1).find_map(|tag| label_after(tag.split('>').next()?, "charset")))?;
    let encoding = Encoding::for_label(label.as_bytes())?;
    // Text in which this could be read is no UTF-16.
    Some(if encoding == UTF_16LE || encoding == UTF_16BE { UTF_8 } else { encoding })
}

/// What stands behind `name =`, with or without quotation marks.
fn label_after<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = text;
    while let Some(at) = rest.find(name) {
        rest = &rest[at + name.len()..];
        let Some(value) = rest.trim_start().strip_prefix('=') else { continue };
        let value = value.trim_start().trim_start_matches(['"', '\'']);
        let end =
            value.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';' | '>' | '/')).unwrap_or(value.len());
        return Some(&value[..end]).filter(|label| !label.is_empty());
    }
    None
}

fn guessed(bytes: &[u8]) -> &'static Encoding {
    let head = &bytes[..bytes.len().min(GUESSED_FROM)];
    if std::str::from_utf8(without_cut_character(head)).is_ok() {
        return UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(head, head.len() == bytes.len());
    detector.guess(None, Utf8Detection::Allow)
}

/// The bytes without the beginning of a UTF-8 character at their end.
fn without_cut_character(bytes: &[u8]) -> &[u8] {
    let tail = bytes.len().saturating_sub(3);
    match bytes[tail..].iter().rposition(|byte| byte & 0xc0 == 0xc0) {
        Some(at) if std::str::from_utf8(&bytes[tail + at..]).is_err_and(|error| error.error_len().is_none()) => {
            &bytes[..tail + at]
        }
        _ => bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_encoding_comes_from_the_first_that_names_one() {
        use CharsetFrom as F;
        let check = |bytes: &[u8], header: Option<&str>, expected: (&str, F)| {
            let decoded = decode(bytes, header, false);
            assert_eq!((decoded.charset, decoded.from), expected, "{header:?} {bytes:?}");
        };
        check(b"\xef\xbb\xbfx", Some("text/html; charset=koi8-r"), ("UTF-8", F::Mark));
        check(b"\xff\xfex\0", None, ("UTF-16LE", F::Mark));
        check(b"<meta charset=koi8-r>", Some("text/html; charset=\"EUC-KR\""), ("EUC-KR", F::Header));
        check(b"<meta charset=koi8-r>", Some("text/html; charset=x-klingon"), ("KOI8-R", F::Page));
        check(
            b"<META http-equiv=content-type content='text/html; charset = windows-1251'>",
            None,
            ("windows-1251", F::Page),
        );
        check(b"<?xml version='1.0' encoding=\"shift_jis\"?><a/>", None, ("Shift_JIS", F::Page));
        check(b"<meta charset=utf-16>", None, ("UTF-8", F::Page));
        check("plain Grüße".as_bytes(), None, ("UTF-8", F::Guess));
        check(b"", None, ("UTF-8", F::Guess));
    }

    #[test]
    fn what_nobody_names_is_guessed() {
        let (bytes, ..) = encoding_rs::WINDOWS_1251.encode("Съешь же ещё этих мягких французских булок, да выпей чаю.");
        assert_eq!(
            decode(&bytes, Some("text/html"), false).text,
            "Съешь же ещё этих мягких французских булок, да выпей чаю."
        );
    }

    #[test]
    fn a_character_that_was_cut_is_no_damage() {
        let bytes = "ab€".as_bytes();
        for end in 2..bytes.len() {
            let decoded = decode(&bytes[..end], None, true);
            assert_eq!((decoded.text.as_ref(), decoded.damaged), ("ab", false), "{end}");
        }
        assert!(decode(b"a\xff\xffb", Some("text/html; charset=utf-8"), false).damaged);
    }
}
