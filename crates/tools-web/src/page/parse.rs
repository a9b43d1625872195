//! A page as a tree. The parser takes quadratic time on pages made for that, so it is fed in pieces
//! and stops when its time is up; what it has read until then is the page.

use std::time::{Duration, Instant};

use html5ever::driver::{ParseOpts, parse_document};
use html5ever::tendril::{StrTendril, TendrilSink as _};
use html5ever::tree_builder::TreeBuilderOpts;
use scraper::{Html, HtmlTreeSink};

use super::Kind;
use super::streamed::put_in_place;
use super::xhtml::as_html;

/// Time limit for one page: honest ones of a megabyte take less than a tenth of it.
pub const PATIENCE: Duration = Duration::from_secs(1);
/// Small enough that no piece takes long, whatever came before it.
const PIECE: usize = 2 * 1024;

/// A page as a tree.
pub struct Document {
    /// The tree.
    pub html: Html,
    /// Whether the page was too intricate to be read to its end.
    pub is_cut: bool,
}

impl Document {
    /// Parses a page, for at most `patience`.
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
