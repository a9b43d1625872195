//! The kind of a body: a page, text, data or binary.

use serde::de::IgnoredAny;

use super::charset::is_utf16;

/// Kind of a response body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// HTML.
    Html,
    /// HTML in the syntax of XML.
    Xhtml,
    /// Markdown: shown as it is.
    Markdown,
    /// JSON: shown as it is.
    Json,
    /// Other text: shown as it is.
    Text,
    /// A PDF.
    Pdf,
    /// Not text: its declared type, and its real type where that differs.
    Binary(String),
}

/// The first bytes of binary formats; they override the header.
const MAGIC: &[(&[u8], &str)] = &[
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"\x7fELF", "application/x-executable"),
    (b"BZh", "application/x-bzip2"),
    (b"\xfd7zXZ", "application/x-xz"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"\0asm", "application/wasm"),
    (b"OggS", "application/ogg"),
    (b"SQLite format 3\0", "application/vnd.sqlite3"),
];

/// The kind of a body with this `Content-Type`.
pub fn kind_of(content_type: Option<&str>, bytes: &[u8]) -> Kind {
    let named = content_type.and_then(|text| text.split(';').next()).map(|text| text.trim().to_ascii_lowercase());
    let named = named.filter(|text| !text.is_empty());
    if bytes.starts_with(b"%PDF-") {
        return Kind::Pdf;
    }
    if let Some((_, found)) = MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Kind::Binary((*found).to_owned());
    }
    if !is_utf16(content_type) && is_binary(bytes) {
        return Kind::Binary(match named {
            Some(named) if is_text(&named) => format!("binary data labelled `{}`", shown(&named)),
            Some(named) => shown(&named),
            None => "binary data".to_owned(),
        });
    }
    let Some(named) = named else { return sniffed(bytes) };
    match named.as_str() {
        "text/html" if is_json(bytes) => Kind::Json,
        "text/html" => Kind::Html,
        "application/xml" | "text/xml" if is_xhtml(bytes) => Kind::Xhtml,
        "application/xhtml+xml" => Kind::Xhtml,
        "text/markdown" | "text/x-markdown" => Kind::Markdown,
        "application/octet-stream" => sniffed(bytes),
        json if json.ends_with("/json") || json.ends_with("+json") || json.ends_with("/x-ndjson") => Kind::Json,
        text if is_text(text) => Kind::Text,
        // Files that programs exchange often have a type of their own.
        other if is_of_programs(other) && std::str::from_utf8(bytes).is_ok() => sniffed(bytes),
        other => Kind::Binary(shown(other)),
    }
}

/// A media type without characters that are unsafe to show: it comes from a server.
fn shown(named: &str) -> String {
    named.chars().filter(|c| c.is_ascii_graphic() && *c != '`').take(80).collect()
}

fn is_text(named: &str) -> bool {
    let applications = [
        "xml",
        "javascript",
        "x-javascript",
        "ecmascript",
        "typescript",
        "yaml",
        "x-yaml",
        "toml",
        "sql",
        "graphql",
        "x-sh",
        "x-httpd-php",
        "rtf",
        "x-tex",
        "x-www-form-urlencoded",
        "xhtml+xml",
    ];
    named.starts_with("text/")
        || named.ends_with("+xml")
        || named.ends_with("+yaml")
        || named.strip_prefix("application/").is_some_and(|rest| applications.contains(&rest))
}

fn is_of_programs(named: &str) -> bool {
    named.starts_with("message/") || named.starts_with("application/") && named != "application/pdf"
}

/// Whether the body is JSON; servers may declare it as HTML, or not at all.
fn is_json(bytes: &[u8]) -> bool {
    let begins = bytes.trim_ascii_start().first().is_some_and(|byte| matches!(byte, b'{' | b'['));
    begins && serde_json::from_slice::<IgnoredAny>(bytes).is_ok()
}

fn is_xhtml(bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(1024)]);
    head.contains("<html") && head.contains("http://www.w3.org/1999/xhtml")
}

fn sniffed(bytes: &[u8]) -> Kind {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(512)]).to_ascii_lowercase();
    let head = head.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
    if head.starts_with("<!doctype html")
        || head.starts_with("<html")
        || head.contains("<head")
        || head.contains("<body")
    {
        Kind::Html
    } else if head.starts_with(['{', '[']) {
        Kind::Json
    } else {
        Kind::Text
    }
}

/// Whether the beginning contains too many zero bytes and control characters for text. UTF-16 text
/// is recognised by its byte order mark.
fn is_binary(bytes: &[u8]) -> bool {
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return false;
    }
    let head = &bytes[..bytes.len().min(4096)];
    let odd = head.iter().filter(|byte| matches!(byte, 0..=8 | 14..=26 | 28..=31)).count();
    odd > 8 && odd * 20 > head.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_what_its_bytes_and_its_header_agree_on() {
        let check = |header: Option<&str>, bytes: &[u8], expected: Kind| {
            assert_eq!(kind_of(header, bytes), expected, "{header:?}");
        };
        let binary = |text: &str| Kind::Binary(text.to_owned());
        check(Some("text/html; charset=utf-8"), b"<p>a", Kind::Html);
        check(Some("TEXT/HTML"), b"", Kind::Html);
        check(Some("application/xhtml+xml"), b"<html/>", Kind::Xhtml);
        check(Some("text/markdown"), b"# a", Kind::Markdown);
        check(Some("application/ld+json"), b"{}", Kind::Json);
        check(Some("application/rss+xml"), b"<rss/>", Kind::Text);
        check(Some("text/css"), b"a {}", Kind::Text);
        check(None, b"  <!DOCTYPE html><p>", Kind::Html);
        check(None, b"[1]", Kind::Json);
        check(Some("application/octet-stream"), b"just text", Kind::Text);
        check(Some("image/svg+xml"), b"<svg/>", Kind::Text);
        check(Some("application/pdf"), b"%PDF-1.7", Kind::Pdf);
        check(Some("text/html"), b"%PDF-1.7", Kind::Pdf);
        check(Some("application/pdf"), b"no PDF", binary("application/pdf"));
        check(Some("image/png"), b"not really", binary("image/png"));
        check(Some("text/html"), &[0, 1, 2, 3].repeat(500), binary("binary data labelled `text/html`"));
        check(Some("text/html"), b"<p>before\0after \x1b[31mred\x07", Kind::Html);
        check(Some("text/html; charset=utf-16le"), b"<\0p\0>\0a\0b\0c\0d\0e\0f\0g\0h\0i\0", Kind::Html);
        check(Some("text/html"), b" {\"a\": [1]}\n", Kind::Json);
        check(Some("text/html"), b"{x} <p>a", Kind::Html);
        check(Some("application/xml"), b"<?xml?><html xmlns=\"http://www.w3.org/1999/xhtml\">", Kind::Xhtml);
        check(Some("application/xml"), b"<a>&lt;html</a>", Kind::Text);
        check(Some("message/rfc822"), b"From: a", Kind::Text);
        check(Some("application/x-perl"), b"print 1", Kind::Text);
        check(Some("application/x-perl"), b"\xe9", binary("application/x-perl"));
        check(Some("text/plain"), b"\xff\xfea\0b\0", Kind::Text);
    }
}
