//! A font, as far as text extraction needs it: the codes in a string, their text and their width.

use encoding_rs::{Encoding, MACINTOSH, WINDOWS_1252};
use hayro_syntax::object::{Array, Dict, Name, Object};

use super::cmap::CMap;
use super::glyphs;

/// Width of a character without a declared width: half of the font size.
const USUAL_WIDTH: f64 = 500.0;

pub(super) struct Font {
    map: Option<CMap>,
    /// The text of each one-byte code, when the font names its glyphs.
    simple: Option<Vec<String>>,
    first: usize,
    widths: Vec<f64>,
}

/// The text and width of a string.
#[derive(Default)]
pub(super) struct DecodedString {
    pub(super) text: String,
    /// In thousandths of the font size.
    pub(super) width: f64,
    /// Number of codes without known text.
    pub(super) unknown: usize,
}

impl Font {
    /// A font from its dictionary and the content of its `ToUnicode`.
    pub(super) fn new(font: &Dict<'_>, map: Option<&[u8]>) -> Self {
        let is_composite = font.get::<Name<'_>>("Subtype").is_some_and(|name| name.as_str() == "Type0");
        let widths = font.get::<Array<'_>>("Widths").filter(|_| !is_composite);
        Self {
            map: map.map(CMap::parse),
            simple: (!is_composite).then(|| simple(font)),
            first: font.get::<u32>("FirstChar").and_then(|first| usize::try_from(first).ok()).unwrap_or(0),
            widths: widths.map(|widths| widths.iter::<f64>().take(256).collect()).unwrap_or_default(),
        }
    }

    /// A font without any information.
    pub(super) fn unknown() -> Self {
        Self { map: None, simple: Some(decoded(WINDOWS_1252)), first: 0, widths: Vec::new() }
    }

    /// The text of a string.
    pub(super) fn show(&self, string: &[u8]) -> DecodedString {
        let mut shown = DecodedString::default();
        let mut rest = string;
        while let Some((code, after)) = self.code(rest) {
            rest = after;
            let mapped = self.map.as_ref().and_then(|map| map.text(code));
            let named = || self.simple.as_ref().and_then(|all| all.get(usize::from(*code.last()?))).cloned();
            match mapped.or_else(named).filter(|text| !text.is_empty()) {
                Some(text) => shown.text.push_str(&text),
                None => shown.unknown += 1,
            }
            shown.width += self.width(code);
        }
        shown
    }

    /// The first code of a string, and the rest.
    fn code<'a>(&self, rest: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
        if rest.is_empty() {
            return None;
        }
        let of_map = || self.map.as_ref().map(|map| map.lengths().collect::<Vec<_>>()).unwrap_or_default();
        let length = match (&self.simple, of_map().as_slice()) {
            (Some(_), _) => 1,
            (None, [one]) => *one,
            (None, several) => {
                let is_known = |length: &&usize| {
                    rest.get(..**length)
                        .is_some_and(|code| self.map.as_ref().is_some_and(|map| map.text(code).is_some()))
                };
                several.iter().find(is_known).copied().unwrap_or(2)
            }
        };
        Some(rest.split_at(length.min(rest.len())))
    }

    fn width(&self, code: &[u8]) -> f64 {
        let [code] = code else { return USUAL_WIDTH };
        let at = usize::from(*code).checked_sub(self.first);
        at.and_then(|at| self.widths.get(at))
            .copied()
            .filter(|width| width.is_finite() && *width > 0.0)
            .unwrap_or(USUAL_WIDTH)
    }
}

/// The text of each code of a font with 256 codes.
fn simple(font: &Dict<'_>) -> Vec<String> {
    let base = |name: &str| decoded(if name == "MacRomanEncoding" { MACINTOSH } else { WINDOWS_1252 });
    match font.get::<Object<'_>>("Encoding") {
        Some(Object::Name(name)) => base(name.as_str()),
        Some(Object::Dict(encoding)) => {
            let name = encoding.get::<Name<'_>>("BaseEncoding");
            let mut all = base(name.as_ref().map_or("", |name| name.as_str()));
            let mut at = 0;
            for entry in encoding.get::<Array<'_>>("Differences").iter().flat_map(Array::iter::<Object<'_>>) {
                match entry {
                    Object::Number(number) => at = usize::try_from(number.as_i64()).unwrap_or(256),
                    Object::Name(name) => {
                        if let Some(text) = all.get_mut(at) {
                            *text = glyphs::text(name.as_str()).unwrap_or_default();
                        }
                        at += 1;
                    }
                    _ => {}
                }
            }
            all
        }
        _ => base(""),
    }
}

/// All codes of a one-byte encoding; control characters map to empty text.
fn decoded(encoding: &'static Encoding) -> Vec<String> {
    let text = |code: u8| {
        let (text, _) = encoding.decode_without_bom_handling(std::slice::from_ref(&code));
        text.chars().filter(|c| !c.is_control()).collect()
    };
    (0..=255).map(text).collect()
}
