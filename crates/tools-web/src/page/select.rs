//! Finds elements with a CSS selector within a time limit, and locates the error in an invalid
//! selector.

use std::collections::BTreeMap;
use std::time::Duration;

use ego_tree::NodeRef;
use html5ever::local_name;
use scraper::selector::{Parser as SelectorParser, Simple};
use scraper::{ElementRef, Html, Node};
use selectors::context::{
    MatchingContext, MatchingForInvalidation, MatchingMode, NeedsSelectorFlags, QuirksMode, SelectorCaches,
};
use selectors::matching::matches_selector;
use selectors::parser::{ParseRelative, SelectorList};
use tools_core::is_hidden;

use super::step::{SteppedElement, Steps};
use super::writer::Writer;
use super::{Document, without_controls};

/// Maximum length of a selector in bytes.
const MAX_SELECTOR_BYTES: usize = 1000;
/// Maximum number of names listed from a page in which nothing matches.
const TOLD: usize = 12;

/// Part of an element to extract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Extract {
    /// Its text, white space collapsed except in preformatted text.
    Text,
    /// Its markup, with the element itself.
    Html,
    /// An attribute; elements without it are left out.
    Attribute(String),
}

impl Extract {
    /// Reads `text`, `html` or `attr:<name>`.
    ///
    /// # Errors
    /// What is expected.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text.trim() {
            "text" => Ok(Self::Text),
            "html" => Ok(Self::Html),
            other => {
                match other.strip_prefix("attr:").map(str::trim).filter(|name| !name.is_empty() && !name.contains(' '))
                {
                    Some(name) => Ok(Self::Attribute(name.to_owned())),
                    None => Err("`extract` is `text`, `html` or `attr:<name>`".to_owned()),
                }
            }
        }
    }
}

/// Matches of a selector.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Matches {
    /// The first ones, in the order of the page.
    pub matches: Vec<String>,
    /// Total number of matches.
    pub total: usize,
    /// Whether time ran out before the end of the page.
    pub is_cut: bool,
    /// Names in the page, when nothing matches.
    pub instead: Option<String>,
}

/// An invalid selector.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}{}", place(*.position, .near))]
pub struct SelectorFault {
    /// The problem.
    pub problem: &'static str,
    /// The first character that does not fit, from 1; 0 when the problem is the whole selector.
    pub position: usize,
    /// Text at that position; empty at the end.
    pub near: String,
}

fn place(position: usize, near: &str) -> String {
    match (position, near) {
        (0, _) => String::new(),
        (_, "") => format!(" at character {position}, its end"),
        _ => format!(" at character {position}, near `{near}`"),
    }
}

/// Finds elements; at most `limit` are returned, all are counted.
///
/// # Errors
/// The selector is not valid.
pub fn select(
    document: &Document,
    selector: &str,
    extract: &Extract,
    limit: usize,
    patience: Duration,
) -> Result<Matches, SelectorFault> {
    if selector.len() > MAX_SELECTOR_BYTES {
        let problem = "the selector is longer than 1000 bytes";
        return Err(SelectorFault { problem, position: 0, near: String::new() });
    }
    let parsed = parse(selector).ok_or_else(|| where_wrong(selector))?;
    let steps = Steps::within(patience);
    let mut found = Matches { is_cut: document.is_cut, ..Matches::default() };
    // The caches keep facts about elements, such as their number among siblings, for later
    // elements.
    let mut caches = SelectorCaches::default();
    for element in document.html.tree.root().descendants().filter_map(ElementRef::wrap) {
        if !is_match(&parsed, element, &steps, &mut caches) {
            continue;
        }
        if found.matches.len() < limit {
            let Some(text) = extracted(element, extract) else { continue };
            found.matches.push(text);
        } else if matches!(extract, Extract::Attribute(name) if element.value().attr(name).is_none()) {
            continue;
        }
        found.total += 1;
    }
    found.is_cut |= steps.is_over();
    if found.total == 0 {
        found.instead = Some(contents(&document.html));
    }
    Ok(found)
}

fn parse(selector: &str) -> Option<SelectorList<Simple>> {
    SelectorList::parse(&SelectorParser, &mut cssparser::Parser::new(selector), ParseRelative::No).ok()
}

/// Whether an element matches; always `false` after the time limit.
fn is_match(
    selectors: &SelectorList<Simple>,
    element: ElementRef<'_>,
    steps: &Steps,
    caches: &mut SelectorCaches,
) -> bool {
    let Some(element) = SteppedElement::new(element, steps) else { return false };
    let mut context = MatchingContext::new(
        MatchingMode::Normal,
        None,
        caches,
        QuirksMode::NoQuirks,
        NeedsSelectorFlags::No,
        MatchingForInvalidation::No,
    );
    let is_match = selectors.slice().iter().any(|one| matches_selector(one, 0, None, &element, &mut context));
    is_match && !steps.is_over()
}

fn extracted(element: ElementRef<'_>, extract: &Extract) -> Option<String> {
    let text = match extract {
        Extract::Text => text_of(element),
        Extract::Html => element.html(),
        Extract::Attribute(name) => element.value().attr(name)?.to_owned(),
    };
    Some(without_controls(&text).0.into_owned())
}

/// The text of an element without scripts and styles.
fn text_of(element: ElementRef<'_>) -> String {
    let is_pre =
        |node: &NodeRef<'_, Node>| node.value().as_element().is_some_and(|e| e.name.local == local_name!("pre"));
    if element.ancestors().take(32).any(|above| is_pre(&above)) || is_pre(&element) {
        return element.text().collect::<String>().trim_matches('\n').to_owned();
    }
    let mut writer = Writer::inline();
    let root: NodeRef<'_, Node> = *element;
    let mut node = root.first_child();
    while let Some(here) = node {
        let is_read = match here.value() {
            Node::Text(text) => {
                writer.text(text);
                false
            }
            Node::Element(inner) => {
                if inner.name.local == local_name!("br") {
                    writer.text(" ");
                }
                !matches!(inner.name.local, local_name!("script") | local_name!("style") | local_name!("template"))
            }
            _ => false,
        };
        node = here.first_child().filter(|_| is_read).or_else(|| next_outside(here, root));
    }
    writer.into_string()
}

/// The next node within `root` that is not a descendant of this one.
fn next_outside<'a>(node: NodeRef<'a, Node>, root: NodeRef<'a, Node>) -> Option<NodeRef<'a, Node>> {
    let mut node = node;
    loop {
        if let Some(sibling) = node.next_sibling() {
            return Some(sibling);
        }
        node = node.parent().filter(|parent| *parent != root)?;
    }
}

/// A list of the element names, ids and classes in a page.
fn contents(html: &Html) -> String {
    let (mut elements, mut ids, mut classes) = (BTreeMap::new(), Vec::new(), BTreeMap::new());
    for element in html.tree.nodes().filter_map(|node| node.value().as_element()) {
        *elements.entry(element.name().to_owned()).or_insert(0_usize) += 1;
        if let Some(id) = element.id().filter(|id| ids.len() < TOLD && !id.is_empty()) {
            ids.push(shown(id));
        }
        for class in element.classes().take(8) {
            *classes.entry(class.to_owned()).or_insert(0_usize) += 1;
        }
    }
    let most = |counts: BTreeMap<String, usize>| {
        let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
        counts.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), name.clone()));
        counts.iter().take(TOLD).map(|(name, count)| format!("{} {count}", shown(name))).collect::<Vec<_>>().join(", ")
    };
    let mut parts = vec![format!("elements: {}", most(elements))];
    if !ids.is_empty() {
        parts.push(format!("ids: {}", ids.join(", ")));
    }
    if !classes.is_empty() {
        parts.push(format!("classes: {}", most(classes)));
    }
    parts.join("; ")
}

fn shown(name: &str) -> String {
    name.chars().filter(|c| !is_hidden(*c)).take(40).collect()
}

/// Possible continuations: the beginning of a selector is viable if one of them makes it complete.
const ENDINGS: &[&str] = &[
    "",
    "a",
    "a)",
    ")",
    "]",
    "a]",
    "=a]",
    "a=a]",
    "\"]",
    "']",
    "\")",
    "1)",
    "n)",
    "is(a)",
    "(a)",
    "(1)",
    "first-child",
    "child",
    "a))",
];

/// Finds the first character after the longest beginning that could still become a selector.
fn where_wrong(selector: &str) -> SelectorFault {
    let ends = selector.char_indices().map(|(at, c)| at + c.len_utf8());
    let is_viable = |end: &usize| {
        let head = &selector[..*end];
        ENDINGS.iter().any(|ending| parse(&[head, ending].concat()).is_some())
    };
    let end = ends.take_while(is_viable).last().unwrap_or(0);
    let near: String = selector[end..].chars().take(12).collect();
    let problem = if near.is_empty() { "the selector is not complete" } else { "the selector cannot be read" };
    SelectorFault { problem, position: selector[..end].chars().count() + 1, near }
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, PATIENCE};
    use super::*;

    const PAGE: &str = "<ul id=menu class='a b'><li class=a>One <b>two</b></li><li data-x=1>Three<script>x()</script></li></ul>\
        <pre>  a\n    b</pre><p>p\u{1b}q</p>";

    fn found(selector: &str, extract: &str, limit: usize) -> Result<Matches, String> {
        let document = Document::parse(PAGE, &Kind::Html, PATIENCE);
        let extract = Extract::parse(extract)?;
        select(&document, selector, &extract, limit, PATIENCE).map_err(|fault| fault.to_string())
    }

    #[test]
    fn elements_are_found_and_read() {
        let check = |selector: &str, extract: &str, expected: &[&str]| {
            assert_eq!(found(selector, extract, 10).unwrap().matches, expected, "{selector} {extract}");
        };
        check("li", "text", &["One two", "Three"]);
        check("li:nth-child(2)", "text", &["Three"]);
        check("li:has(b)", "html", &["<li class=\"a\">One <b>two</b></li>"]);
        check("li", "attr:data-x", &["1"]);
        check("pre", "text", &["  a\n    b"]);
        check("p", "text", &["pq"]);
        let first = found("li", "text", 1).unwrap();
        assert_eq!((first.matches.len(), first.total), (1, 2));
        assert!(found("li", "nonsense", 1).is_err());
        assert!(found("li", "attr:", 1).is_err());
    }

    #[test]
    fn nothing_found_tells_what_there_is() {
        let instead = found("table", "text", 10).unwrap().instead.unwrap();
        assert_eq!(
            instead,
            "elements: li 2, b 1, body 1, head 1, html 1, p 1, pre 1, script 1, ul 1; ids: menu; classes: a 2, b 1"
        );
    }

    #[test]
    fn a_selector_that_is_none_is_told_where() {
        let check = |selector: &str, position: usize| {
            let document = Document::parse(PAGE, &Kind::Html, PATIENCE);
            let fault = select(&document, selector, &Extract::Text, 1, PATIENCE).unwrap_err();
            assert_eq!(fault.position, position, "{selector}: {fault}");
        };
        check("div >> p", 6);
        check("li,,b", 4);
        check("", 1);
        check("li:::x", 4);
        check("p >", 4);
        check("$x", 1);
        check(&"a".repeat(2000), 0);
    }

    fn links(count: usize) -> Document {
        let page = format!("<p>{}</p>", "<a href=x>y</a> ".repeat(count));
        Document::parse(&page, &Kind::Html, Duration::from_hours(24))
    }

    #[test]
    fn a_place_among_siblings_is_counted_once() {
        let document = links(3000);
        for selector in ["a:nth-child(7)", "a:nth-last-child(7)", "a:nth-of-type(7)", "a:nth-last-of-type(7)"] {
            let (parsed, steps) = (parse(selector).unwrap(), Steps::within(Duration::from_hours(24)));
            let mut caches = SelectorCaches::default();
            let elements = document.html.tree.root().descendants().filter_map(ElementRef::wrap);
            let found = elements.filter(|element| is_match(&parsed, *element, &steps, &mut caches)).count();
            assert_eq!(found, 1, "{selector}");
            assert!(steps.taken() < 20_000, "{selector}: {}", steps.taken());
        }
    }

    #[test]
    fn a_search_ends_with_its_time_whatever_the_selector() {
        let document = links(3000);
        // The first one needs a number of steps that is cubic in the number of siblings.
        for selector in ["a:not(:not(b ~ a) ~ a)", "p:has(b):has(a):has(i)", "a:not(b a)"] {
            let found = select(&document, selector, &Extract::Text, 10, Duration::ZERO).unwrap();
            assert!(found.is_cut, "{selector}: {found:?}");
        }
    }
}
