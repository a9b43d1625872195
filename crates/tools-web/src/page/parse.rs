//! Parses a page into a tree. Crafted pages make the parser take quadratic time, so the input is
//! passed in pieces and parsing stops at a time limit. The tree then contains the part parsed so
//! far.

use std::time::{Duration, Instant};

use html5ever::driver::{ParseOpts, parse_document};
use html5ever::tendril::{StrTendril, TendrilSink as _};
use html5ever::tree_builder::TreeBuilderOpts;
use scraper::{Html, HtmlTreeSink};

use super::Kind;
use super::streamed::put_in_place;
use super::xhtml::as_html;

/// Time limit for one page: an ordinary page of a megabyte takes less than a tenth of it.
pub const PATIENCE: Duration = Duration::from_secs(1);
/// Number of bytes passed to the parser at once: small, so that no piece takes long.
const PIECE: usize = 2 * 1024;

/// A page as a tree.
pub struct Document {
    /// The tree.
    pub html: Html,
    /// Whether parsing stopped before the end of the page.
    pub is_cut: bool,
}

impl Document {
    /// Parses a page for at most `patience`.
    pub fn parse(text: &str, kind: &Kind, patience: Duration) -> Self {
        match kind {
            Kind::Xhtml => Self::parse_html(&as_html(text), patience),
            _ => Self::parse_html(text, patience),
        }
    }

    fn parse_html(text: &str, patience: Duration) -> Self {
        let until = Instant::now() + patience;
        let options = ParseOpts {
            tree_builder: TreeBuilderOpts { drop_doctype: true, ..TreeBuilderOpts::default() },
            ..ParseOpts::default()
        };
        let mut parser = parse_document(HtmlTreeSink::new(Html::new_document()), options);
        let mut rest = text;
        let mut is_cut = false;
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE).max(1));
            parser.process(StrTendril::from_slice(piece));
            rest = after;
            if Instant::now() >= until && !rest.is_empty() {
                is_cut = true;
                break;
            }
        }
        let mut html = parser.finish();
        put_in_place(&mut html.tree);
        Self { html, is_cut }
    }
}
