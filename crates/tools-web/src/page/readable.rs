//! Readable text of a page: its main content if the page marks it, else everything but navigation.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::Url;

use super::links::Base;
use super::walk::{WalkInput, WalkResult, walk};
use super::{Document, LeftOut};

/// Minimum length of main content in bytes, unless it is most of the page.
const LITTLE: usize = 200;

/// Output format of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Readable text: headings, lists, links, tables and code.
    #[default]
    Text,
    /// The same with emphasis and images.
    Markdown,
    /// The page as the server sent it.
    Raw,
}

/// A page as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Readable {
    /// Its title; `None` when it has none.
    pub title: Option<String>,
    /// The text.
    pub text: String,
    /// Elements that are omitted from the text.
    pub left_out: LeftOut,
    /// Whether the page shows little without JavaScript.
    pub needs_javascript: bool,
    /// Whether reading stopped before the end of the page.
    pub is_cut: bool,
}

/// The readable text of a page from `url`, in at most `patience`.
pub fn readable(document: &Document, url: Option<&Url>, format: Format, patience: Duration) -> Readable {
    let until = Instant::now() + patience;
    let mut base = Base::new(url);
    let mut read = |with_navigation| {
        let ask = WalkInput { base: &mut base, format, with_navigation, until };
        walk(&document.html.tree, ask)
    };
    let mut walked = read(false);
    if walked.text.len() < LITTLE && walked.left_out.navigation > 0 {
        let all = read(true);
        // A page that consists of links.
        if all.text.len() > walked.text.len() * 2 {
            walked = all;
        }
    }
    let text = content(&walked);
    let is_little = text.len() < LITTLE;
    let needs_javascript = is_little && walked.left_out.scripts > 0 && (text.is_empty() || walked.noscript.is_some());
    let text = match walked.noscript.filter(|_| text.is_empty()) {
        Some(noscript) => noscript,
        None => text,
    };
    Readable {
        title: walked.title,
        text,
        left_out: walked.left_out,
        needs_javascript,
        is_cut: walked.is_cut || document.is_cut,
    }
}

/// The part of the text that the page marks as main content, with the heading above it.
fn content(walked: &WalkResult) -> String {
    let text = walked.text.as_str();
    let part = |range: Option<(usize, usize)>, least: usize| {
        let (from, to) = range?;
        let inner = text.get(from..to.min(text.len()))?.trim_matches('\n');
        let is_enough = inner.len() >= LITTLE && inner.len() * 100 >= text.len() * least;
        (is_enough || inner.len() * 2 > text.len()).then_some((from, inner))
    };
    let only_article = walked.article.filter(|_| walked.articles == 1);
    let Some((from, inner)) = part(walked.main, 15).or_else(|| part(only_article, 50)) else {
        return text.trim_matches('\n').to_owned();
    };
    let heading = walked.heading.filter(|(_, to)| *to <= from);
    let heading = heading.and_then(|(start, to)| text.get(start..to)).map(str::trim);
    match heading {
        Some(heading) if !heading.is_empty() => format!("{heading}\n\n{inner}"),
        _ => inner.to_owned(),
    }
}
