//! Writes JSON directly into a buffer in call order, so that equal requests give equal bytes and no
//! intermediate values are built.

use std::io::Write as _;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use tools_core::Media;

/// Writes an object whose members `fill` writes.
pub(super) fn object(out: &mut Vec<u8>, fill: impl FnOnce(&mut Members<'_>)) {
    out.push(b'{');
    fill(&mut Members { out, is_first: true });
    out.push(b'}');
}

/// Writer of an object's members.
pub(super) struct Members<'a> {
    out: &'a mut Vec<u8>,
    is_first: bool,
}

/// Writer of an array's items.
pub(super) struct Items<'a> {
    out: &'a mut Vec<u8>,
    is_first: bool,
}

impl Members<'_> {
    fn name(&mut self, name: &str) -> &mut Vec<u8> {
        comma(self.out, &mut self.is_first);
        text(self.out, name);
        self.out.push(b':');
        self.out
    }

    pub(super) fn text(&mut self, name: &str, value: &str) {
        text(self.name(name), value);
    }

    pub(super) fn number(&mut self, name: &str, value: u64) {
        // Writing to a `Vec` cannot fail.
        let _ = write!(self.name(name), "{value}");
    }

    pub(super) fn flag(&mut self, name: &str, value: bool) {
        self.raw(name, if value { "true" } else { "false" });
    }

    /// Writes a value that is already JSON.
    pub(super) fn raw(&mut self, name: &str, json: &str) {
        self.name(name).extend_from_slice(json.as_bytes());
    }

    pub(super) fn object(&mut self, name: &str, fill: impl FnOnce(&mut Members<'_>)) {
        object(self.name(name), fill);
    }

    pub(super) fn array(&mut self, name: &str, fill: impl FnOnce(&mut Items<'_>)) {
        let out = self.name(name);
        out.push(b'[');
        fill(&mut Items { out, is_first: true });
        out.push(b']');
    }

    /// Writes a picture as text: `data:image/png;base64,…`, or only the encoded data.
    pub(super) fn picture(&mut self, name: &str, picture: &Media, form: Picture) {
        let out = self.name(name);
        out.push(b'"');
        picture_text(out, picture, form);
        out.push(b'"');
    }
}

/// Format of a picture.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Picture {
    DataUrl,
    Base64,
}

fn picture_text(out: &mut Vec<u8>, picture: &Media, form: Picture) {
    if form == Picture::DataUrl {
        let mime = serde_json::Value::from(picture.mime.as_str()).to_string();
        let _ = write!(out, "data:{};base64,", mime.trim_matches('"'));
    }
    out.extend_from_slice(STANDARD.encode(&picture.data).as_bytes());
}

impl Items<'_> {
    pub(super) fn object(&mut self, fill: impl FnOnce(&mut Members<'_>)) {
        comma(self.out, &mut self.is_first);
        object(self.out, fill);
    }

    pub(super) fn raw(&mut self, json: &str) {
        comma(self.out, &mut self.is_first);
        self.out.extend_from_slice(json.as_bytes());
    }

    pub(super) fn text(&mut self, value: &str) {
        comma(self.out, &mut self.is_first);
        text(self.out, value);
    }

    pub(super) fn picture(&mut self, picture: &Media) {
        comma(self.out, &mut self.is_first);
        self.out.push(b'"');
        picture_text(self.out, picture, Picture::Base64);
        self.out.push(b'"');
    }

    /// Number of bytes written so far.
    pub(super) fn written(&self) -> usize {
        self.out.len()
    }
}

fn comma(out: &mut Vec<u8>, is_first: &mut bool) {
    if !std::mem::take(is_first) {
        out.push(b',');
    }
}

fn text(out: &mut Vec<u8>, value: &str) {
    // Serializing a string to a `Vec` cannot fail.
    let _ = serde_json::to_writer(&mut *out, value);
}
