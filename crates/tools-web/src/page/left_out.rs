//! What of a page is no reading matter, and how much of it there was.

use std::fmt;

use html5ever::local_name;
use scraper::node::Element;

use super::style::is_hiding;
use super::tag::Tag;

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
pub(super) enum Why {
    Navigation,
    Script,
    Hidden,
    Advertising,
    /// Form controls, pictures as markup, embedded pages: nothing to read, and nothing to tell.
    Nothing,
}

impl LeftOut {
    pub(super) fn count(&mut self, why: Why) {
        match why {
            Why::Navigation => self.navigation += 1,
            Why::Script => self.scripts += 1,
            Why::Hidden => self.hidden += 1,
            Why::Advertising => self.advertising += 1,
            Why::Nothing => {}
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

/// Why the element with all below it is left out; `None` when it is read.
pub(super) fn why(element: &Element, tag: Tag, is_sectioned: bool) -> Option<Why> {
    match tag {
        Tag::Script => return Some(Why::Script),
        Tag::Nav => return Some(Why::Navigation),
        Tag::Footer if !is_sectioned => return Some(Why::Navigation),
        Tag::Template | Tag::Unseen => return Some(Why::Hidden),
        Tag::Dialog if element.attr("open").is_none() => return Some(Why::Hidden),
        Tag::Embedded => return Some(Why::Nothing),
        _ => {}
    }
    element.attrs.iter().find_map(|(name, value)| {
        let value: &str = value;
        match name.local {
            local_name!("hidden") | local_name!("popover") => Some(Why::Hidden),
            local_name!("aria-hidden") => value.eq_ignore_ascii_case("true").then_some(Why::Hidden),
            local_name!("style") => is_hiding(value).then_some(Why::Hidden),
            local_name!("role") => of_role(value),
            local_name!("class") | local_name!("id") => is_advertising(value).then_some(Why::Advertising),
            _ => None,
        }
    })
}

fn of_role(role: &str) -> Option<Why> {
    match role.trim().to_ascii_lowercase().as_str() {
        "navigation" | "search" | "contentinfo" | "dialog" | "alertdialog" | "menu" | "menubar" => {
            Some(Why::Navigation)
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
    "ad-wrapper",
    "banner-ad",
    "sponsored",
    "cookie-banner",
    "cookie-bar",
    "cookie-consent",
    "cookie-notice",
    "cookie-popup",
    "cookiebanner",
    "gdpr-banner",
    "onetrust-consent-sdk",
    "consent-banner",
];

fn is_advertising(names: &str) -> bool {
    names.len() < 1024
        && names.split_ascii_whitespace().any(|name| ADVERTISING.iter().any(|known| name.eq_ignore_ascii_case(known)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advertising_is_known_by_whole_names() {
        assert!(is_advertising("box AD top") && is_advertising("cookie-banner"));
        assert!(!is_advertising("add-on loader shadow") && !is_advertising(""));
    }
}
