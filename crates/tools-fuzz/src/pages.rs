//! A selector, a newline, and any bytes as a page: it is decoded, parsed, read and searched, and
//! the result has no control characters.

use std::time::Duration;

use tools_web::page::{Document, Extract, Format, decode, kind_of, readable, select};

const PATIENCE: Duration = Duration::from_secs(1);
const TYPES: [Option<&str>; 3] = [None, Some("text/html"), Some("application/xhtml+xml")];

pub(crate) fn check(bytes: &[u8]) {
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(0);
    let (selector, page) = (String::from_utf8_lossy(&bytes[..end]), &bytes[end..]);
    for content_type in TYPES {
        let kind = kind_of(content_type, page);
        let text = decode(page, content_type, false).text;
        let document = Document::parse(&text, &kind, PATIENCE);
        for format in [Format::Text, Format::Markdown] {
            let read = readable(&document, None, format, PATIENCE);
            let control = read.text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t'));
            assert_eq!(control, None, "a control character is left in {:?}", read.text);
        }
        for extract in [Extract::Text, Extract::Html, Extract::Attribute("href".to_owned())] {
            if let Ok(found) = select(&document, &selector, &extract, 10, PATIENCE) {
                assert!(found.matches.len() <= found.total.min(10));
            }
        }
    }
}
