//! The one table of how each HTML element is read.

use html5ever::{local_name, ns};
use scraper::node::Element;

/// How an element is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    Head,
    Script,
    Noscript,
    Template,
    /// For programs only: never shown.
    Unseen,
    Slot,
    /// Parentheses around ruby text, for browsers without ruby support.
    Parenthesis,
    Embedded,
    Title,
    Button,
    /// An embedded page.
    Frame,
    Dialog,
    Nav,
    Main,
    Article,
    Section,
    Footer,
    Heading(usize),
    Paragraph,
    Line,
    Quote,
    List,
    Ordered,
    Item,
    Description,
    Pre,
    Code,
    Strong,
    Emphasis,
    Deleted,
    Quoted,
    Raised,
    Link,
    Image,
    Break,
    Rule,
    Input,
    Table,
    Caption,
    Row,
    Cell,
    Inline,
}

/// How this element is read.
pub(super) fn tag_of(element: &Element) -> Tag {
    match element.name.local {
        local_name!("head") => Tag::Head,
        local_name!("script") | local_name!("style") => Tag::Script,
        local_name!("noscript") => Tag::Noscript,
        local_name!("template") => Tag::Template,
        local_name!("noembed") | local_name!("annotation") | local_name!("annotation-xml") => Tag::Unseen,
        local_name!("slot") => Tag::Slot,
        local_name!("rp") => Tag::Parenthesis,
        local_name!("title") if element.name.ns == ns!(html) => Tag::Title,
        local_name!("svg")
        | local_name!("iframe")
        | local_name!("object")
        | local_name!("embed")
        | local_name!("canvas")
        | local_name!("audio")
        | local_name!("video")
        | local_name!("map")
        | local_name!("select")
        | local_name!("datalist")
        | local_name!("meter")
        | local_name!("progress")
        | local_name!("title")
        | local_name!("noframes") => Tag::Embedded,
        local_name!("button") => Tag::Button,
        local_name!("frame") => Tag::Frame,
        local_name!("dialog") => Tag::Dialog,
        local_name!("nav") | local_name!("search") => Tag::Nav,
        local_name!("main") => Tag::Main,
        local_name!("div") | local_name!("section") | local_name!("article") if is_main(element) => Tag::Main,
        local_name!("article") => Tag::Article,
        local_name!("section") | local_name!("aside") | local_name!("figure") | local_name!("details") => Tag::Section,
        local_name!("footer") => Tag::Footer,
        local_name!("h1") => Tag::Heading(1),
        local_name!("h2") => Tag::Heading(2),
        local_name!("h3") => Tag::Heading(3),
        local_name!("h4") => Tag::Heading(4),
        local_name!("h5") => Tag::Heading(5),
        local_name!("h6") => Tag::Heading(6),
        local_name!("p") | local_name!("dl") | local_name!("figcaption") => Tag::Paragraph,
        local_name!("div")
        | local_name!("header")
        | local_name!("address")
        | local_name!("form")
        | local_name!("fieldset")
        | local_name!("legend")
        | local_name!("hgroup")
        | local_name!("center")
        | local_name!("summary")
        | local_name!("dt")
        | local_name!("body")
        | local_name!("option")
        | local_name!("tbody")
        | local_name!("thead")
        | local_name!("tfoot") => Tag::Line,
        local_name!("blockquote") => Tag::Quote,
        local_name!("ul") | local_name!("menu") | local_name!("dir") => Tag::List,
        local_name!("ol") => Tag::Ordered,
        local_name!("li") => Tag::Item,
        local_name!("dd") => Tag::Description,
        local_name!("pre")
        | local_name!("listing")
        | local_name!("xmp")
        | local_name!("plaintext")
        | local_name!("textarea") => Tag::Pre,
        local_name!("code") | local_name!("kbd") | local_name!("samp") | local_name!("tt") => Tag::Code,
        local_name!("strong") | local_name!("b") => Tag::Strong,
        local_name!("em") | local_name!("i") => Tag::Emphasis,
        local_name!("del") | local_name!("s") | local_name!("strike") => Tag::Deleted,
        local_name!("q") => Tag::Quoted,
        local_name!("sup") => Tag::Raised,
        local_name!("a") => Tag::Link,
        local_name!("img") => Tag::Image,
        local_name!("br") => Tag::Break,
        local_name!("hr") => Tag::Rule,
        local_name!("input") => Tag::Input,
        local_name!("table") => Tag::Table,
        local_name!("caption") => Tag::Caption,
        local_name!("tr") => Tag::Row,
        local_name!("td") | local_name!("th") => Tag::Cell,
        _ => Tag::Inline,
    }
}

fn is_main(element: &Element) -> bool {
    element.attr("role").is_some_and(|role| role.trim().eq_ignore_ascii_case("main"))
}
