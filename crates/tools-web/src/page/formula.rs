//! Writes formulas, superscripts and subscripts on one line.

use ego_tree::NodeRef;
use html5ever::ns;
use scraper::Node;

/// Maximum length of a superscript: longer text consists of words.
const MAX_RAISED_CHARS: usize = 12;
/// Maximum number of nodes visited for one superscript.
const MAX_NODES: usize = 16;

const RAISED: &[(char, char)] = &[
    ('0', '⁰'),
    ('1', '¹'),
    ('2', '²'),
    ('3', '³'),
    ('4', '⁴'),
    ('5', '⁵'),
    ('6', '⁶'),
    ('7', '⁷'),
    ('8', '⁸'),
    ('9', '⁹'),
    ('+', '⁺'),
    ('-', '⁻'),
    ('−', '⁻'),
    ('=', '⁼'),
    ('(', '⁽'),
    (')', '⁾'),
    ('n', 'ⁿ'),
];

/// The text in superscript characters; `None` when a character has no superscript form or the node
/// links to another page.
pub(super) fn raised(node: NodeRef<'_, Node>) -> Option<String> {
    let mut found = String::new();
    for (count, below) in node.descendants().enumerate() {
        let is_link = |href: &str| !href.starts_with('#');
        if count > MAX_NODES || below.value().as_element().and_then(|e| e.attr("href")).is_some_and(is_link) {
            return None;
        }
        for c in below.value().as_text().map_or("", |text| text.trim()).chars() {
            found.push(RAISED.iter().find(|(plain, _)| *plain == c)?.1);
        }
    }
    Some(found).filter(|found| !found.is_empty() && found.chars().count() <= MAX_RAISED_CHARS)
}

/// The text to write before and after a part of a formula.
pub(super) fn marks(node: NodeRef<'_, Node>) -> (&'static str, &'static str) {
    let above = node.parent().map_or("", |parent| name(parent));
    let at = match above {
        "msup" | "msub" | "msubsup" | "munder" | "mover" | "munderover" | "mfrac" | "mroot" | "mtr" | "mtable" => {
            node.prev_siblings().filter(|before| before.value().is_element()).take(3).count()
        }
        _ => 0,
    };
    let is_long = node.children().filter(|child| child.value().is_element()).take(2).count() > 1;
    match (above, at, name(node)) {
        (_, _, "msqrt") | ("mroot", 0, _) => ("√(", ")"),
        ("msup" | "mover", 1, _) | ("msubsup" | "munderover", 2, _) if is_long => ("^(", ")"),
        ("msup" | "mover", 1, _) | ("msubsup" | "munderover", 2, _) => ("^", ""),
        ("msub" | "munder" | "msubsup" | "munderover", 1, _) if is_long => ("_(", ")"),
        ("msub" | "munder" | "msubsup" | "munderover", 1, _) => ("_", ""),
        ("mfrac", 0, _) if is_long => ("(", ")"),
        ("mfrac", 1, _) if is_long => ("/(", ")"),
        ("mfrac", 1, _) => ("/", ""),
        ("mroot", 1, _) => ("[", "]"),
        ("mtr", 1.., _) => (", ", ""),
        ("mtable", 1.., _) => ("; ", ""),
        _ => ("", ""),
    }
}

fn name(node: NodeRef<'_, Node>) -> &str {
    node.value().as_element().filter(|element| element.name.ns == ns!(mathml)).map_or("", |element| element.name())
}
