//! Converts XHTML for an HTML parser, which takes `<script/>` for a tag that stays open: closes
//! such tags and writes CDATA as text.

use std::borrow::Cow;

/// Elements without an end tag in HTML.
const VOID: &[&str] =
    &["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"];

/// The same document as HTML.
pub(super) fn as_html(text: &str) -> Cow<'_, str> {
    let mut html = String::with_capacity(text.len() + text.len() / 16);
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'<', rest.as_bytes()) {
        html.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(data) = rest.strip_prefix("<![CDATA[") {
            let (inner, after) = data.split_once("]]>").unwrap_or((data, ""));
            html.push_str(&inner.replace('&', "&amp;").replace('<', "&lt;"));
            rest = after;
        } else if rest.starts_with("<!--") {
            let end = rest.find("-->").map_or(rest.len(), |end| end + 3);
            rest = &rest[end..];
        } else if rest.get(..9).is_some_and(|start| start.eq_ignore_ascii_case("<!doctype")) {
            rest = &rest[end_of_doctype(rest)..];
        } else {
            let end = end_of_tag(rest);
            push_tag(&mut html, &rest[..end]);
            rest = &rest[end..];
        }
    }
    html.push_str(rest);
    Cow::Owned(html)
}

/// Offset after the `>` that ends a tag.
pub(super) fn end_of_tag(text: &str) -> usize {
    find_outside_quotes(text, b">").map_or(text.len(), |end| end + 1)
}

/// Offset after a document type declaration, including its internal subset.
fn end_of_doctype(text: &str) -> usize {
    match find_outside_quotes(text, b">[") {
        Some(at) if text[at..].starts_with('[') => text.find("]>").map_or(text.len(), |end| end + 2),
        _ => end_of_tag(text),
    }
}

/// The first of these bytes outside of quotation marks.
fn find_outside_quotes(text: &str, wanted: &[u8]) -> Option<usize> {
    let mut quote = None;
    text.bytes().position(|byte| {
        match quote {
            None if wanted.contains(&byte) => return true,
            None if matches!(byte, b'"' | b'\'') => quote = Some(byte),
            Some(open) if open == byte => quote = None,
            _ => {}
        }
        false
    })
}

fn push_tag(html: &mut String, tag: &str) {
    let name = tag[1..].split(|c: char| c.is_whitespace() || matches!(c, '/' | '>')).next().unwrap_or_default();
    match tag.strip_suffix("/>") {
        Some(open) if !name.is_empty() && !VOID.contains(&name.to_ascii_lowercase().as_str()) => {
            html.extend([open, "></", name, ">"]);
        }
        _ => html.push_str(tag),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_elements_are_closed_and_data_is_written_out() {
        let check = |xml: &str, html: &str| assert_eq!(as_html(xml), html);
        check("<script src=\"a>b\"/><p>x</p><br/>", "<script src=\"a>b\"></script><p>x</p><br/>");
        check("<a/><![CDATA[1 < 2 & 3]]><!-- <p/> -->", "<a></a>1 &lt; 2 &amp; 3");
        check("<!DOCTYPE html [<!ENTITY a \"b>\"> ]><p>x</p>", "<p>x</p>");
        check("<!doctype html PUBLIC '[>'>x", "x");
        check("<a", "<a");
        check("a < b", "a < b");
        check("<![CDATA[x", "x");
        check("</>", "</>");
    }
}
