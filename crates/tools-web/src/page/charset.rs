//! The character encoding of a page: from its byte order mark, its header, its markup, or a guess.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::xhtml::end_of_tag;

/// Number of bytes searched for the encoding that a page declares. The standard wants it within
/// 1024 bytes; in practice it may follow scripts.
const PRESCAN: usize = 8 * 1024;
/// Number of bytes that the guess uses: more do not change it.
const GUESSED_FROM: usize = 64 * 1024;

/// Source of the encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CharsetSource {
    /// The byte order mark.
    Mark,
    /// `Content-Type`.
    Header,
    /// The page (`<meta charset>`, `<?xml encoding>`).
    Page,
    /// A guess.
    Guess,
}

/// Decoded text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodedText<'a> {
    /// The text.
    pub text: Cow<'a, str>,
    /// The name of the encoding (`windows-1251`).
    pub charset: &'static str,
    /// Source of the encoding.
    pub from: CharsetSource,
    /// Whether some bytes are not valid in the encoding.
    pub damaged: bool,
}

/// Decodes a body; `content_type` is its header, `truncated` says whether its end is missing.
pub fn decode<'a>(bytes: &'a [u8], content_type: Option<&str>, truncated: bool) -> DecodedText<'a> {
    let (encoding, from, mark) = encoding_of(bytes, content_type);
    let rest = &bytes[mark..];
    let rest = if truncated && encoding == UTF_8 { without_cut_character(rest) } else { rest };
    let (encoding, from) = if encoding == UTF_8 && mark == 0 && is_no_utf8(rest) {
        let other = declared(rest).filter(|other| *other != UTF_8).map(|other| (other, CharsetSource::Page));
        other.unwrap_or_else(|| (guessed(rest), CharsetSource::Guess))
    } else {
        (encoding, from)
    };
    let (text, damaged) = encoding.decode_without_bom_handling(rest);
    DecodedText { text, charset: encoding.name(), from, damaged }
}

fn encoding_of(bytes: &[u8], content_type: Option<&str>) -> (&'static Encoding, CharsetSource, usize) {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        return (encoding, CharsetSource::Mark, length);
    }
    // About half of the bytes of UTF-16 markup are zero.
    let fits =
        |encoding: &&Encoding| !is_two_bytes(encoding) || bytes.contains(&0) || std::str::from_utf8(bytes).is_err();
    if let Some(encoding) = named(content_type).filter(fits) {
        return (encoding, CharsetSource::Header, 0);
    }
    if let Some(encoding) = declared(bytes) {
        return (encoding, CharsetSource::Page, 0);
    }
    (guessed(bytes), CharsetSource::Guess, 0)
}

/// Whether the `Content-Type` header names UTF-16.
pub(super) fn is_utf16(content_type: Option<&str>) -> bool {
    named(content_type).is_some_and(is_two_bytes)
}

fn is_two_bytes(encoding: &Encoding) -> bool {
    encoding == UTF_16LE || encoding == UTF_16BE
}

/// The encoding that a header names.
fn named(content_type: Option<&str>) -> Option<&'static Encoding> {
    Encoding::for_label(charset_parameter(content_type?)?.as_bytes())
}

/// Whether the bytes contain non-ASCII bytes, none of which is part of a valid UTF-8 character. A
/// declaration of UTF-8 is wrong then.
fn is_no_utf8(bytes: &[u8]) -> bool {
    let mut has_other = false;
    for chunk in bytes.utf8_chunks() {
        if !chunk.valid().is_ascii() {
            return false;
        }
        has_other |= !chunk.invalid().is_empty();
    }
    has_other
}

/// The `charset` of a media type, quoted or not.
fn charset_parameter(content_type: &str) -> Option<&str> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches(['"', '\'']))
    })
}

/// The encoding that a page names in its first bytes, outside of comments.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(PRESCAN)];
    let text: String = head.iter().map(|byte| char::from(byte.to_ascii_lowercase())).collect();
    let of_xml = text.trim_start().strip_prefix("<?xml").and_then(|rest| rest.split_once("?>"));
    let of_xml = of_xml.and_then(|(declaration, _)| attribute(declaration, "encoding"));
    let label = of_xml.or_else(|| of_meta(&text))?;
    let encoding = Encoding::for_label(label.as_bytes())?;
    // The text was readable as ASCII, so it is not UTF-16.
    Some(if is_two_bytes(encoding) { UTF_8 } else { encoding })
}

fn of_meta(text: &str) -> Option<&str> {
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = comment.split_once("-->")?.1;
        } else if rest.strip_prefix("meta").is_some_and(|tag| tag.starts_with(is_end)) {
            let (tag, after) = rest.split_at(end_of_tag(rest));
            let tag = &tag["meta".len()..];
            rest = after;
            let label = attribute(tag, "charset").or_else(|| {
                let is_type = attribute(tag, "http-equiv").is_some_and(|name| name.trim() == "content-type");
                attribute(tag, "content").filter(|_| is_type).and_then(charset_parameter)
            });
            if label.is_some() {
                return label;
            }
        }
    }
    None
}

fn is_end(c: char) -> bool {
    c.is_ascii_whitespace() || matches!(c, '/' | '>')
}

/// The value of an attribute, quoted or not; `tag` starts at the attributes of a tag.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = tag;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        let (found, behind) = rest.split_at(rest.find(|c| is_end(c) || c == '=').unwrap_or(rest.len()));
        let value = behind.trim_start().strip_prefix('=').map(str::trim_start);
        let (value, after) = match value.map(|value| (value, value.chars().next())) {
            Some((value, Some(quote @ ('"' | '\'')))) => value[1..].split_once(quote)?,
            Some((value, _)) => value.split_at(value.find(|c: char| is_end(c) && c != '/').unwrap_or(value.len())),
            None => ("", behind),
        };
        if found.is_empty() && value.is_empty() {
            return None;
        }
        if found == name {
            return Some(value.trim_end_matches('/')).filter(|value| !value.is_empty());
        }
        rest = after;
    }
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

/// The bytes without an incomplete UTF-8 character at their end.
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
        use CharsetSource as F;
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
        check(b"<p>a", Some("text/html; charset=utf-16le"), ("UTF-8", F::Guess));
        check(b"<\0p\0>\0", Some("text/html; charset=utf-16le"), ("UTF-16LE", F::Header));
        check(b"<meta charset=utf-16>", None, ("UTF-8", F::Page));
        check(b"<!-- <meta charset=koi8-r> --><meta charset=euc-kr>", None, ("EUC-KR", F::Page));
        check(
            b"<meta name=d content='charset=koi8-r'><meta data-charset=koi8-r charset=euc-kr/>",
            None,
            ("EUC-KR", F::Page),
        );
        check(b"<meta content='text/html;charset=big5' http-equiv='Content-Type'>", None, ("Big5", F::Page));
        check(b"<meta name=\"<meta charset=koi8-r>\"><meta =\"", None, ("UTF-8", F::Guess));
        let late = [b"<script>".as_slice(), &[b';'; 3000], b"</script><meta charset=koi8-r>"].concat();
        check(&late, None, ("KOI8-R", F::Page));
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
    fn a_page_of_which_no_character_is_utf8_is_something_else() {
        let check = |bytes: &[u8], expected: (&str, bool)| {
            let decoded = decode(bytes, Some("text/html; charset=utf-8"), false);
            assert_eq!((decoded.text.as_ref(), decoded.damaged), expected);
        };
        check(b"<meta charset=windows-1251>\xcf\xe0\xf0\xee\xec", ("<meta charset=windows-1251>Паром", false));
        check(b"<meta charset=utf-8>it\x92s", ("<meta charset=utf-8>it’s", false));
        check("é\u{fffd}".as_bytes(), ("é\u{fffd}", false));
        check(b"\xc3\xa9 and \xe9", ("é and \u{fffd}", true));
    }

    #[test]
    fn a_character_that_was_cut_is_no_damage() {
        let bytes = "ab€".as_bytes();
        for end in 2..bytes.len() {
            let decoded = decode(&bytes[..end], None, true);
            assert_eq!((decoded.text.as_ref(), decoded.damaged), ("ab", false), "{end}");
        }
        assert!(decode(b"\xc3\xa9\xff\xffb", Some("text/html; charset=utf-8"), false).damaged);
    }
}
