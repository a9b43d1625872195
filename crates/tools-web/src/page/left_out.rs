//! Decides which elements of a page are omitted from its text, and counts them.

use std::fmt;

use ego_tree::NodeRef;
use html5ever::local_name;
use scraper::Node;
use scraper::node::Element;

use super::style::is_hiding;
use super::tag::{Tag, tag_of};

/// Numbers of elements that were left out of a page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Menus, search boxes, footers of the page, dialogs.
    pub navigation: usize,
    /// Scripts and style sheets.
    pub scripts: usize,
    /// Elements that a browser does not show.
    pub hidden: usize,
    /// Advertisements and notices about cookies.
    pub advertising: usize,
}

/// Why an element is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OmitReason {
    Navigation,
    Script,
    Hidden,
    Advertising,
    /// Form controls, vector graphics, embedded pages: no text, so they are not counted.
    Nothing,
}

impl LeftOut {
    pub(super) fn count(&mut self, why: OmitReason) {
        match why {
            OmitReason::Navigation => self.navigation += 1,
            OmitReason::Script => self.scripts += 1,
            OmitReason::Hidden => self.hidden += 1,
            OmitReason::Advertising => self.advertising += 1,
            OmitReason::Nothing => {}
        }
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = [
            (self.navigation, "navigation"),
            (self.scripts, "scripts and styles"),
            (self.hidden, "hidden"),
            (self.advertising, "advertising"),
        ];
        let parts: Vec<String> =
            counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{what} {count}")).collect();
        f.write_str(&parts.join(", "))
    }
}

/// Reason why the element is omitted with all its descendants; `None` when it is read.
pub(super) fn why(node: NodeRef<'_, Node>, element: &Element, tag: Tag, is_sectioned: bool) -> Option<OmitReason> {
    match tag {
        Tag::Script => return Some(OmitReason::Script),
        Tag::Nav => return Some(OmitReason::Navigation),
        Tag::Footer if !is_sectioned => return Some(OmitReason::Navigation),
        Tag::Template | Tag::Unseen => return Some(OmitReason::Hidden),
        Tag::Dialog if element.attr("open").is_none() => return Some(OmitReason::Hidden),
        Tag::Embedded => return Some(OmitReason::Nothing),
        _ => {}
    }
    // Tab panels open on a click. They are read, as the contents of `details` are.
    let is_panel = || element.attr("role").is_some_and(|role| role.trim().eq_ignore_ascii_case("tabpanel"));
    element.attrs.iter().find_map(|(name, value)| {
        let value: &str = value;
        match name.local {
            local_name!("hidden") => {
                (!value.trim().eq_ignore_ascii_case("until-found") && !is_panel()).then_some(OmitReason::Hidden)
            }
            local_name!("popover") => Some(OmitReason::Hidden),
            // Images of formulas have this attribute next to their text for screen readers.
            local_name!("aria-hidden") => {
                (value.eq_ignore_ascii_case("true") && tag != Tag::Image && !is_panel()).then_some(OmitReason::Hidden)
            }
            local_name!("style") => is_hiding(value).then_some(OmitReason::Hidden),
            local_name!("role") => of_role(value),
            local_name!("class") => of_names(value).filter(|_| !holds_content(node, tag)),
            // Headings and their sections have ids made from their words.
            local_name!("id") if matches!(element.name.local, local_name!("div") | local_name!("aside")) => {
                let is_section = element.classes().any(|class| class.contains("sect"));
                of_names(value).filter(|_| !is_section && !holds_content(node, tag))
            }
            _ => None,
        }
    })
}

fn of_role(role: &str) -> Option<OmitReason> {
    match role.trim().to_ascii_lowercase().as_str() {
        "navigation" | "search" | "contentinfo" | "dialog" | "alertdialog" | "menu" | "menubar" => {
            Some(OmitReason::Navigation)
        }
        _ => None,
    }
}

const ADVERTISING: &[&str] = &[
    "ad",
    "ads",
    "advert",
    "advertisement",
    "adsbygoogle",
    "ad-banner",
    "ad-container",
    "ad-slot",
    "ad-unit",
    "ad-wrapper",
    "banner-ad",
    "sponsored",
    "outbrain",
    "cc-window",
    "cky-consent-container",
    "cookieconsent",
    "cybotcookiebotdialog",
    "onetrust-consent-sdk",
    "osano-cm-window",
    "qc-cmp2-container",
    "usercentrics-root",
];

/// Beginnings of names that continue with a number.
const ADVERTISING_PREFIXES: &[&str] = &["div-gpt-ad", "google_ads_iframe", "sp_message_container", "taboola-"];

/// Words for cookies: a cookie notice has one of them in a name, and one of [`NOTICES`].
const CONSENT: &[&str] = &["cookie", "consent", "gdpr", "ccpa"];
const NOTICES: &[&str] = &[
    "banner",
    "consent",
    "dialog",
    "disclaimer",
    "layer",
    "modal",
    "notice",
    "notification",
    "overlay",
    "popup",
    "prompt",
];

/// Names of controls in encyclopedias and forums.
const CONTROLS: &[&str] =
    &["mw-editsection", "mw-jump", "mw-jump-link", "skip-link", "skip-links", "skip-nav", "skiplink", "noprint"];

fn of_names(names: &str) -> Option<OmitReason> {
    if names.len() >= 1024 {
        return None;
    }
    let is_any = |name: &str, list: &[&str]| list.iter().any(|known| name.eq_ignore_ascii_case(known));
    names.split_ascii_whitespace().find_map(|name| {
        if is_any(name, ADVERTISING) || begins_as_advertising(name) || is_about_consent(name) {
            Some(OmitReason::Advertising)
        } else if is_any(name, CONTROLS) {
            Some(OmitReason::Nothing)
        } else {
            None
        }
    })
}

fn begins_as_advertising(name: &str) -> bool {
    let starts = |prefix: &&str| name.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
    ADVERTISING_PREFIXES.iter().any(starts)
}

fn is_about_consent(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let Some(word) = CONSENT.iter().find(|word| name.contains(**word)) else { return false };
    let rest = name.replacen(word, "", 1);
    NOTICES.iter().any(|notice| rest.contains(notice)) || rest.ends_with("bar") || rest.ends_with("law")
}

/// Maximum number of nodes visited: an advertisement or a notice has fewer.
const MAX_LOOKED_AT: usize = 1000;

/// Whether the element holds the main content in spite of its names: the classes of `body` may name
/// a dialog that is open.
fn holds_content(node: NodeRef<'_, Node>, tag: Tag) -> bool {
    let is_content = |element: &Element| {
        matches!(tag_of(element), Tag::Main | Tag::Article | Tag::Heading(1))
            || element.name.local == local_name!("body")
    };
    let mut below = node.descendants().take(MAX_LOOKED_AT + 1).enumerate();
    matches!(tag, Tag::Heading(_))
        || below.any(|(count, below)| count == MAX_LOOKED_AT || below.value().as_element().is_some_and(is_content))
}

/// Whether the text of a button is read: it is a heading of a section that opens, or has text of
/// its own.
pub(super) fn is_read_button(node: NodeRef<'_, Node>, element: &Element, is_sectioned: bool) -> bool {
    let is_tab = element.attr("role").is_some_and(|role| role.eq_ignore_ascii_case("tab"));
    if is_tab || element.attr("aria-haspopup").is_some() {
        return false;
    }
    let is_heading = |above: &NodeRef<'_, Node>| {
        above.value().as_element().is_some_and(|element| {
            matches!(tag_of(element), Tag::Heading(_))
                || matches!(element.name.local, local_name!("dt") | local_name!("summary"))
        })
    };
    let has_other_text = |heading: NodeRef<'_, Node>| {
        let mut texts = heading
            .descendants()
            .take(MAX_LOOKED_AT)
            .filter(|below| below.value().as_text().is_some_and(|text| !text.trim().is_empty()));
        texts.any(|text| text.ancestors().all(|above| above.id() != node.id()))
    };
    let has_paragraph = || {
        node.descendants().take(32).filter_map(|below| below.value().as_element()).any(|e| tag_of(e) == Tag::Paragraph)
    };
    match node.ancestors().take(3).find(is_heading) {
        Some(heading) => !has_other_text(heading),
        None => is_sectioned && element.attr("aria-expanded").is_some() || has_paragraph(),
    }
}

/// Texts of links to their own position, or back to the place of a note.
const MARKS: &[char] = &['¶', '§', '#', '^', '↩', '↵', '⤴', '↑', '⇧', '▲', '🔗', '⚓', '\u{fe0e}', '\u{fe0f}'];

/// Whether a link only leads around the page: a sign at a heading or a note, or a link past the
/// menu.
pub(super) fn is_mark(node: NodeRef<'_, Node>, element: &Element) -> bool {
    if !element.attr("href").is_some_and(|href| href.starts_with('#')) {
        return false;
    }
    let is_skip = |name: &str| name.to_ascii_lowercase().contains("skip") || name == "visually-hidden-focusable";
    element.classes().any(is_skip)
        || node.descendants().skip(1).take(16).all(|below| match below.value() {
            Node::Text(text) => text.chars().all(|c| c.is_whitespace() || MARKS.contains(&c)),
            Node::Element(inner) => !matches!(tag_of(inner), Tag::Image | Tag::Code),
            _ => true,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advertising_is_known_by_whole_names() {
        let check = |names: &str, expected: Option<OmitReason>| assert_eq!(of_names(names), expected, "{names}");
        for names in ["box AD top", "cookie-banner", "js-cookieNotice", "gdpr-bar", "CookieLaw", "div-gpt-ad-12"] {
            check(names, Some(OmitReason::Advertising));
        }
        for names in ["add-on loader shadow", "", "cookie-recipe", "informed-consent", "banner", "consenting"] {
            check(names, None);
        }
        check("mw-editsection", Some(OmitReason::Nothing));
    }
}
