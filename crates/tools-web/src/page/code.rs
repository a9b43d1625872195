//! Preformatted text: keeps the line breaks that a browser shows and drops the line numbers beside
//! a listing.

use ego_tree::{NodeId, NodeRef};
use html5ever::local_name;
use scraper::Node;
use scraper::node::Element;

use super::tag::{Tag, tag_of};

/// The preformatted text that the walk has read so far.
pub(super) struct Code {
    /// The element whose end completes the text.
    pub(super) root: NodeId,
    pub(super) text: String,
    pub(super) language: Option<String>,
    /// Whether the next text starts a new line.
    is_broken: bool,
    /// Offset at which the last row or item began.
    row: Option<usize>,
    /// Whether the element is not `pre`: white space between its blocks is not text then.
    is_loose: bool,
}

impl Code {
    pub(super) fn new(root: NodeRef<'_, Node>, element: &Element) -> Self {
        let inner = root.first_child().and_then(|child| child.value().as_element());
        let language = [Some(element), inner].into_iter().flatten().find_map(language);
        let is_loose = tag_of(element) != Tag::Pre;
        Self { root: root.id(), text: String::new(), language, is_broken: false, row: None, is_loose }
    }

    pub(super) fn text(&mut self, node: NodeRef<'_, Node>, text: &str) {
        if self.is_loose && text.contains('\n') && text.trim().is_empty() && is_between_blocks(node) {
            return;
        }
        self.write(text);
    }

    fn write(&mut self, text: &str) {
        if std::mem::take(&mut self.is_broken) {
            self.end_line();
        }
        self.text.push_str(text);
    }

    /// Handles the start of an element; returns whether its children are read.
    pub(super) fn enter(&mut self, element: &Element, tag: Tag) -> bool {
        match tag {
            Tag::Break => self.write("\n"),
            Tag::Item | Tag::Row => {
                // A row without text is an empty line.
                if self.row.is_some_and(|row| row == self.text.len()) {
                    self.text.push('\n');
                }
                self.end_line();
                self.row = Some(self.text.len());
            }
            tag => self.is_broken |= is_block(tag),
        }
        if let Some(mark) = element.attr("data-code-marker") {
            self.write(mark);
        }
        !matches!(tag, Tag::Break | Tag::Image | Tag::Input | Tag::Noscript)
    }

    pub(super) fn leave(&mut self, tag: Tag) {
        self.is_broken |= is_block(tag);
    }

    fn end_line(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }
}

fn is_block(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::Line
            | Tag::Paragraph
            | Tag::Section
            | Tag::Main
            | Tag::Article
            | Tag::Heading(_)
            | Tag::Quote
            | Tag::List
            | Tag::Ordered
            | Tag::Description
            | Tag::Caption
            | Tag::Rule
            | Tag::Pre
    )
}

fn is_between_blocks(node: NodeRef<'_, Node>) -> bool {
    let is_apart = |node: NodeRef<'_, Node>| {
        let tag = node.value().as_element().map(tag_of);
        tag.is_some_and(|tag| is_block(tag) || matches!(tag, Tag::Table | Tag::Row | Tag::Cell | Tag::Item))
    };
    [node.prev_sibling(), node.next_sibling()].into_iter().flatten().any(is_apart)
}

/// Class names that page generators give to line numbers.
const NUMBERS: &[&str] = &[
    "blob-num",
    "crayon-nums",
    "diff-line-num",
    "gutter",
    "hljs-ln-numbers",
    "line-num",
    "line-number",
    "line-numbers",
    "linenodiv",
    "lineno",
    "linenos",
    "linenumber",
    "linenumbers",
    "lines-num",
    "ln",
    "lnt",
    "rouge-gutter",
    "src-line-numbers",
    "u-linenum",
];

fn is_named(element: &Element) -> bool {
    element.classes().any(|class| NUMBERS.iter().any(|known| class.eq_ignore_ascii_case(known)))
}

/// Detects line numbers. It visits a limited number of nodes per page.
pub(super) struct Numbers {
    nodes_left: usize,
}

impl Default for Numbers {
    fn default() -> Self {
        Self { nodes_left: 200_000 }
    }
}

impl Numbers {
    /// Whether an element contains line numbers and nothing else.
    pub(super) fn is_beside(&mut self, node: NodeRef<'_, Node>, element: &Element, is_in_code: bool) -> bool {
        let is_marked = || {
            element.attr("data-line-number").is_some()
                || element.attr("data-nosnippet").is_some()
                || element.attr("style").is_some_and(|style| style.replace(' ', "").contains("user-select:none"))
        };
        match tag_of(element) {
            // In prose, an element with such a name may contain a number that is part of the text.
            Tag::Line | Tag::Pre => is_named(element) && self.read(node) == Some(true),
            Tag::Inline | Tag::Link | Tag::Item if is_in_code => {
                (is_named(element) || is_marked()) && self.read(node).is_some()
            }
            Tag::Cell if is_in_code => self.is_cell(node, element),
            _ => false,
        }
    }

    /// Whether the table cell contains the line numbers of the code beside it.
    pub(super) fn is_cell(&mut self, cell: NodeRef<'_, Node>, element: &Element) -> bool {
        let inner = || cell.children().filter_map(|child| child.value().as_element());
        if is_named(element)
            || element.attr("data-line-number").is_some()
            || inner().any(|e| e.attr("data-line-number").is_some())
        {
            return self.read(cell).is_some();
        }
        let has_code =
            cell.descendants().take(8).any(|node| node.value().as_element().is_some_and(|e| tag_of(e) == Tag::Pre));
        has_code && self.read(cell) == Some(true)
    }

    /// Whether the node contains consecutive numbers; `None` when it contains other text.
    fn read(&mut self, node: NodeRef<'_, Node>) -> Option<bool> {
        let mut last = None;
        for below in node.descendants() {
            self.nodes_left = self.nodes_left.checked_sub(1)?;
            let Some(text) = below.value().as_text() else { continue };
            for word in text.split_whitespace() {
                let number: u32 = word.parse().ok()?;
                if last.is_some_and(|last: u32| last.checked_add(1) != Some(number)) {
                    return None;
                }
                last = Some(number);
            }
        }
        Some(last.is_some())
    }
}

/// Whether an element other than `pre` is shown as preformatted text.
pub(super) fn is_code_block(node: NodeRef<'_, Node>, element: &Element) -> bool {
    let style = || {
        element.attr("style").is_some_and(|style| style.replace(' ', "").split(';').any(|one| one == "white-space:pre"))
    };
    let is_fragment = || {
        let line = node.children().find_map(|child| child.value().as_element());
        line.is_some_and(|line| line.has_class("line", scraper::CaseSensitivity::CaseSensitive))
    };
    element.name.local == local_name!("div")
        && (style() || element.has_class("fragment", scraper::CaseSensitivity::CaseSensitive) && is_fragment())
}

/// The language that a class names (`language-rust`, `lang-rust`, `highlight-source-rust`).
fn language(element: &Element) -> Option<String> {
    let names = element.classes().find_map(|class| {
        ["language-", "lang-", "highlight-source-", "brush:"].iter().find_map(|prefix| class.strip_prefix(prefix))
    })?;
    Some(names.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '#' | '-')).take(20).collect())
}
