//! Decides whether an inline style makes its element invisible: parses the declarations as CSS
//! does, then looks up the meaning of each property.
//!
//! A declaration that is not understood counts as invalid, so it cannot override one that hides.

use std::collections::HashMap;

use cssparser::color::{parse_hash_color, parse_named_color};
use cssparser::{BasicParseErrorKind, Delimiter, ParseError, ParseErrorKind, Parser};

use super::css::{Amount, Value, read};

/// Opacity or scale below which nothing is visible.
const FAINT: f32 = 0.05;
/// Maximum size in pixels that shows nothing.
const TINY: f32 = 1.0;
/// Pixels that move an element out of the page, towards its beginning.
const FAR: f32 = 999.0;
/// Pixels that move an element out of the page towards its end, where ordinary pages continue.
const VERY_FAR: f32 = 4000.0;

/// Whether the style makes an element invisible: undisplayed, transparent, without size, clipped
/// away, or outside of the page.
pub(super) fn is_hiding(style: &str) -> bool {
    let mut input = Parser::new(style);
    let mut facts: HashMap<String, (bool, f32)> = HashMap::new();
    while !input.is_exhausted() {
        // A block ends an item as a semicolon does: a declaration can follow it.
        let item = input.parse_until_after(Delimiter::Semicolon | Delimiter::CurlyBracketBlock, |input| {
            let name = input.expect_ident_cloned()?;
            input.expect_colon()?;
            Ok((name, read(input)?))
        });
        match item {
            Ok((name, values)) => {
                let (values, is_important) = match values.as_slice() {
                    [values @ .., Value::Sign('!'), Value::Word(word)] if word == "important" => (values, true),
                    values => (values, false),
                };
                for (name, fact) in told(&canonical(&name), values).unwrap_or_default() {
                    let known = facts.entry(name).or_insert((is_important, fact));
                    if is_important || !known.0 {
                        *known = (is_important, fact);
                    }
                }
            }
            // Such deep nesting occurs only to hide something.
            Err(ParseError { kind: ParseErrorKind::Basic(BasicParseErrorKind::TooManyNestedBlocks), .. }) => {
                return true;
            }
            Err(_) => {}
        }
    }
    adds_up(|name| facts.get(name).map(|(_, fact)| *fact))
}

/// Whether the combined properties of an element make it invisible.
fn adds_up(fact: impl Fn(&str) -> Option<f32>) -> bool {
    let is = |name: &str| fact(name) == Some(1.0);
    let px = |name: &str| fact(name).filter(|px| px.is_finite()).unwrap_or(0.0);
    let limit = |name: &str| fact(name).unwrap_or(f32::INFINITY);
    let is_placed = is("position");
    let is_hidden = ["display", "visibility", "content-visibility", "opacity", "font-size", "scale", "transform"]
        .into_iter()
        .chain(["filter", "clip-path"])
        .any(is);
    let is_transparent = fact("text-fill-color").or_else(|| fact("color")) == Some(1.0) && !is("background-clip");
    let is_flat = |size: &str, max: &str, min: &str, before: &str, after: &str| {
        limit(size).min(limit(max)).max(px(min)) + px(before).max(0.0) + px(after).max(0.0) <= TINY
    };
    let is_empty = (is("overflow-x") || is("overflow-y"))
        && (is_flat("height", "max-height", "min-height", "padding-top", "padding-bottom")
            || is_flat("width", "max-width", "min-width", "padding-left", "padding-right"));
    // Offsets are added up, because one may cancel another.
    let offset = |near: &str, other: &str| {
        let known = |name| fact(name).filter(|px| is_placed && px.is_finite());
        match (known(near), known(other)) {
            (None, Some(other)) => (-other, true),
            (near, _) => (near.unwrap_or(0.0), false),
        }
    };
    let (left, from_right) = offset("left", "right");
    let x = left + px("margin-left") + px("padding-left") + px("text-indent") + px("translate-x") + px("transform-x");
    let (top, from_bottom) = offset("top", "bottom");
    let y = top + px("margin-top") + px("padding-top") + px("translate-y") + px("transform-y");
    let is_outside = x <= -FAR
        || x >= if from_right { FAR } else { VERY_FAR }
        || if from_bottom { y >= FAR || y <= -VERY_FAR } else { y <= -FAR };
    is_hidden || is_transparent || is_empty || is_outside || is_placed && is("clip")
}

/// The name of a property without vendor prefix, with physical instead of logical directions.
fn canonical(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    let name = name.trim_start_matches("-webkit-").replace("inline-size", "width").replace("block-size", "height");
    let name = name.replace("-inline-start", "-left").replace("-inline-end", "-right");
    let name = name.replace("-block-start", "-top").replace("-block-end", "-bottom");
    name.strip_prefix("inset-").filter(|side| ["left", "right", "top", "bottom"].contains(side)).unwrap_or(&name).into()
}

/// Properties whose values are keywords: the keywords that set the fact, and the other valid ones.
const WORDS: &[(&str, &[&str], &[&str])] = &[
    (
        "display",
        &["none", "table-column", "table-column-group"],
        &[
            "block",
            "inline",
            "inline-block",
            "flow",
            "flow-root",
            "flex",
            "inline-flex",
            "grid",
            "inline-grid",
            "table",
            "inline-table",
            "table-row",
            "table-cell",
            "table-row-group",
            "table-caption",
            "list-item",
            "contents",
            "initial",
            "inherit",
            "unset",
            "revert",
        ],
    ),
    ("visibility", &["hidden", "collapse"], &["visible"]),
    ("content-visibility", &["hidden"], &["visible", "auto"]),
    ("position", &["absolute", "fixed", "relative"], &["static", "sticky"]),
    ("overflow-x", &["hidden", "clip", "scroll", "auto"], &["visible"]),
    ("overflow-y", &["hidden", "clip", "scroll", "auto"], &["visible"]),
    ("background-clip", &["text"], &["border-box", "padding-box", "content-box"]),
];

const FONT_SIZES: &[&str] =
    &["xx-small", "x-small", "small", "medium", "large", "x-large", "xx-large", "xxx-large", "larger", "smaller"];

/// The facts of a declaration per single property: a length in pixels, or 1 for a value that hides.
/// `None` when it is not valid or not relevant.
fn told(name: &str, values: &[Value]) -> Option<Vec<(String, f32)>> {
    let one = |fact: f32| Some(vec![(name.to_owned(), fact)]);
    let flag = |is: bool| one(f32::from(is));
    if let Some((_, counting, other)) = WORDS.iter().find(|(property, ..)| *property == name) {
        let is_in = |value: &Value, list: &[&str]| matches!(value, Value::Word(word) if list.contains(&word.as_str()));
        let is_valid = !values.is_empty() && values.iter().all(|value| is_in(value, counting) || is_in(value, other));
        return flag(values.iter().any(|value| is_in(value, counting))).filter(|_| is_valid);
    }
    match (name, values) {
        ("overflow", [x, ..]) => {
            let y = std::slice::from_ref(values.get(1).unwrap_or(x));
            Some([told("overflow-x", std::slice::from_ref(x))?, told("overflow-y", y)?].concat())
        }
        ("background", _) => {
            let is_text = values.iter().any(|value| matches!(value, Value::Word(word) if word == "text"));
            Some(vec![("background-clip".to_owned(), f32::from(is_text))])
        }
        ("opacity", [Value::Amount(amount)]) => flag(amount.share()? < FAINT),
        ("font-size", [value]) => flag(font_size(value)? <= TINY),
        ("font", _) => {
            // The size precedes the line height, or the family.
            let slash = values.iter().position(|value| matches!(value, Value::Sign('/')));
            let family = values.iter().rposition(|value| matches!(value, Value::Amount(_)));
            let at = slash.or_else(|| family.map(|at| at + 1))?;
            values.get(at + usize::from(slash.is_some()))?;
            told("font-size", values.get(at.checked_sub(1)?..at)?)
        }
        ("color" | "text-fill-color", [value]) => flag(is_transparent(value)?),
        ("filter", _) => flag(calls(values)?.iter().any(|(name, amounts)| {
            *name == "opacity" && amounts.first().and_then(|share| share.share()).is_some_and(|share| share < FAINT)
        })),
        ("clip", [Value::Word(word)]) if word == "auto" => flag(false),
        ("clip", [Value::Call(name, inside)]) if name == "rect" => flag(match lengths(inside).as_slice() {
            [top, right, bottom, left] => bottom - top <= TINY || right - left <= TINY,
            _ => false,
        }),
        ("clip-path", _) => flag(calls(values)?.iter().any(|(name, amounts)| leaves_nothing(name, amounts))),
        ("scale", _) => flag(amounts(values).iter().any(is_flat)),
        ("transform", _) => Some(transform(&calls(values)?)),
        ("translate", _) => {
            let at = |index: usize| lengths(values).get(index).copied().unwrap_or(0.0);
            Some(vec![("translate-x".to_owned(), at(0)), ("translate-y".to_owned(), at(1))])
        }
        ("text-indent", [Value::Amount(amount), ..]) => one(amount.length(1.0)?),
        ("height" | "max-height" | "min-height" | "width" | "max-width" | "min-width", [value]) => one(match value {
            Value::Amount(amount) => amount.length(10.0).filter(|px| *px >= 0.0)?,
            Value::Word(_) => f32::INFINITY,
            _ => return None,
        }),
        ("left" | "right" | "top" | "bottom", [value]) => one(side(value, 10.0)?),
        _ => sides(name, values),
    }
}

/// The lengths that margins, paddings and insets set per side.
fn sides(name: &str, values: &[Value]) -> Option<Vec<(String, f32)>> {
    let (property, of) = name.split_once('-').unwrap_or((name, ""));
    let prefix = match property {
        "margin" => "margin-",
        "padding" => "padding-",
        "inset" => "",
        _ => return None,
    };
    let of = match of {
        "" => vec!["top", "right", "bottom", "left"],
        "inline" => vec!["left", "right"],
        "block" => vec!["top", "bottom"],
        "top" | "right" | "bottom" | "left" => vec![of],
        _ => return None,
    };
    let px_of_percent = if prefix.is_empty() { 10.0 } else { 1.0 };
    let values = values.iter().map(|value| side(value, px_of_percent)).collect::<Option<Vec<_>>>()?;
    let at = |index: usize| match index {
        3 => values.get(3).or_else(|| values.get(1)).or_else(|| values.first()),
        index => values.get(index).or_else(|| values.first()),
    };
    of.iter().enumerate().map(|(index, side)| Some((format!("{prefix}{side}"), *at(index)?))).collect()
}

/// A length at a side; `auto` is NaN.
fn side(value: &Value, px_of_percent: f32) -> Option<f32> {
    match value {
        Value::Amount(amount) => amount.length(px_of_percent),
        Value::Word(word) if word == "auto" => Some(f32::NAN),
        _ => None,
    }
}

fn font_size(value: &Value) -> Option<f32> {
    match value {
        Value::Amount(amount) => amount.length(0.16).filter(|px| *px >= 0.0),
        Value::Word(word) if FONT_SIZES.contains(&word.as_str()) => Some(16.0),
        _ => None,
    }
}

fn is_transparent(color: &Value) -> Option<bool> {
    match color {
        Value::Word(word) if word == "transparent" => Some(true),
        Value::Word(word) => (word == "currentcolor" || parse_named_color(word).is_ok()).then_some(false),
        Value::Hash(digits) => parse_hash_color(digits.as_bytes()).ok().map(|(.., alpha)| alpha < FAINT),
        // The alpha value follows a slash, or is the fourth in a list.
        Value::Call(_, inside) => {
            let slash = inside.iter().position(|value| matches!(value, Value::Sign('/')));
            let alpha = match slash {
                Some(at) => inside.get(at + 1),
                None => inside.split(|value| matches!(value, Value::Sign(','))).nth(3).and_then(<[Value]>::first),
            };
            match alpha {
                Some(Value::Amount(alpha)) => Some(alpha.share()? < FAINT),
                _ => Some(false),
            }
        }
        _ => None,
    }
}

/// The functions of a value with their numbers; `None` when it contains anything but functions,
/// `none` and box names.
fn calls(values: &[Value]) -> Option<Vec<(&str, Vec<Amount>)>> {
    let calls = values.iter().filter_map(|value| match value {
        Value::Call(name, inside) => Some(Some((name.as_str(), amounts(inside)))),
        Value::Word(word) if word == "none" || word.ends_with("-box") => None,
        _ => Some(None),
    });
    calls.collect::<Option<Vec<_>>>().filter(|_| !values.is_empty())
}

/// The numbers of a value, without those for the position and the corners of a shape.
fn amounts(values: &[Value]) -> Vec<Amount> {
    let own = values.iter().take_while(|value| !matches!(value, Value::Word(word) if word == "at" || word == "round"));
    own.filter_map(|value| if let Value::Amount(amount) = value { Some(*amount) } else { None }).collect()
}

fn lengths(values: &[Value]) -> Vec<f32> {
    amounts(values).iter().filter_map(|amount| amount.length(1.0)).collect()
}

fn is_flat(scale: &Amount) -> bool {
    scale.share().is_some_and(|share| share.abs() < FAINT)
}

fn transform(calls: &[(&str, Vec<Amount>)]) -> Vec<(String, f32)> {
    let (mut is_nothing, mut x, mut y) = (false, 0.0, 0.0);
    for (name, amounts) in calls {
        let number = |at: usize| amounts.get(at).map_or(0.0, |amount| amount.plain);
        let length = |at: usize| amounts.get(at).and_then(|amount| amount.length(1.0)).unwrap_or(0.0);
        match *name {
            "scale" | "scalex" | "scaley" | "scale3d" => is_nothing |= amounts.iter().take(2).any(is_flat),
            "matrix" => {
                is_nothing |= (number(0) * number(3) - number(1) * number(2)).abs() < FAINT * FAINT;
                (x, y) = (x + number(4), y + number(5));
            }
            "translate" | "translate3d" => (x, y) = (x + length(0), y + length(1)),
            "translatex" => x += length(0),
            "translatey" => y += length(0),
            _ => {}
        }
    }
    vec![("transform".into(), f32::from(is_nothing)), ("transform-x".into(), x), ("transform-y".into(), y)]
}

/// Whether a shape clips the whole element away.
fn leaves_nothing(shape: &str, amounts: &[Amount]) -> bool {
    let length = |amount: &Amount| amount.px + amount.percent * 10.0;
    let is_same = |mut places: Box<dyn Iterator<Item = f32> + '_>| {
        places.next().is_some_and(|first| places.all(|place| (place - first).abs() <= TINY))
    };
    match shape {
        "circle" => amounts.first().is_some_and(|radius| length(radius) <= TINY),
        "ellipse" => amounts.iter().take(2).any(|radius| length(radius) <= TINY),
        "inset" => {
            let at = |index: usize| amounts.get(index).or_else(|| amounts.get(index % 2)).or_else(|| amounts.first());
            let percent = |index: usize| at(index).map_or(0.0, |amount| amount.percent);
            percent(0) + percent(2) >= 100.0 || percent(1) + percent(3) >= 100.0
        }
        "polygon" => {
            is_same(Box::new(amounts.iter().step_by(2).map(length)))
                || is_same(Box::new(amounts.iter().skip(1).step_by(2).map(length)))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(expected: bool, styles: &[&str]) {
        for style in styles {
            assert_eq!(is_hiding(style), expected, "{style}");
        }
    }

    #[test]
    fn a_style_hides_in_many_ways() {
        check(
            true,
            &[
                "display:none",
                "visibility: hidden",
                "content-visibility:hidden",
                "font-size:0",
                "font-size: 0px;",
                "font-size:0.1px",
                "font:0/0 a",
                "font:italic 700 0 'x y'",
                "opacity: 0.0",
                "opacity:0.001",
                "opacity:-1",
                "opacity:1%",
                "filter:opacity(0)",
                "color:transparent",
                "color:rgba(0,0,0,0)",
                "color:rgb(0 0 0 / 0%)",
                "color:#0000",
                "-webkit-text-fill-color:transparent",
                "height:0;overflow:hidden",
                "max-height:0px;overflow:hidden",
                "width:0;height:0;overflow:clip;position:absolute",
                "block-size:1px;overflow-y:auto;padding:0 9px",
                "transform:scale(0)",
                "transform:rotate(3deg) scaleX(0)",
                "transform:matrix(0,0,0,0,0,0)",
                "scale:0",
                "clip-path:circle(0)",
                "clip-path:inset(50%)",
                "clip-path:inset(0 0 100% 0)",
                "clip-path:polygon(evenodd, 0 0, 0 0, 0 0)",
                "position:absolute;clip: rect(0, 0, 0, 0)",
                "position:absolute;clip:rect(1px 1px 1px 1px)",
            ],
        );
        check(
            false,
            &[
                "",
                "display",
                "display:block",
                "font-size:10px",
                "font:700 12px/1 Arial",
                "opacity:0.5",
                "color:#000",
                "color:rgb(0,0,0)",
                "color:transparent;-webkit-background-clip:text",
                "height:0",
                "height:0;overflow:hidden;padding-bottom:56%",
                "height:0;min-height:9em;overflow:hidden",
                "transform:scale(0.9)",
                "transform:none",
                "clip-path:circle(at 0 0)",
                "clip-path:inset(0 round 50%)",
                "clip-path:polygon(0 0,100% 0,50% 50%)",
                "filter:blur(0)",
            ],
        );
    }

    #[test]
    fn what_stands_outside_of_the_page_is_hidden() {
        check(
            true,
            &[
                "position:absolute;left:-9999px",
                "position:absolute;left:9999px",
                "position:absolute;left:-9999",
                "position:absolute;left:-100vw",
                "position:absolute;left:calc(0px - 2 * (4000px + 1em))",
                "position:absolute;left:calc(-infinity * 1px)",
                "position:absolute;left:min(0px, -9999px)",
                "position:fixed;bottom:-9999px",
                "position:absolute;inset:-9999px auto auto -9999px",
                "position:absolute;inset-inline-start:-9999px",
                "position:absolute;left:-600px;margin-left:-600px",
                "position:absolute;transform:translateX(-9999px)",
                "translate:0 -9999px",
                "text-indent:-1000em",
                "margin-top:-9999px",
                "margin:0 0 0 -9999px",
            ],
        );
        check(
            false,
            &[
                "left:-9999px",
                "position:static;left:-9999px",
                "position:absolute;left:-3px",
                "position:absolute;left:-9999px;margin-left:9999px",
                "margin:0 -9999px;padding:0 9999px",
                "margin:0 auto",
                "position:absolute;top:12000px",
                "transform:translateY(12000px)",
                "transform:translate(-50%,-50%)",
            ],
        );
    }

    #[test]
    fn a_style_is_read_as_css_reads_it() {
        check(
            true,
            &[
                "display:/**/none",
                "display/**/:none",
                "/*x*/display:none",
                "d\\69splay:none",
                "display:n\\6f ne",
                "color: red; DISPLAY : None !important",
                "display:none ! important",
                "display:none !IMPORTANT;display:block",
                "display:none;display:nonsense",
                "display:none;display:var(--x)",
                "display:var(--x,none)",
                "opacity:calc(0)",
                "opacity:0;opacity:5px",
                "background:url('a;b');display:none",
                "@x {} display:none",
                "a{};display:none",
                "color:);display:none",
            ],
        );
        check(
            false,
            &[
                "display:none;display:block",
                "display:block!important;display:none",
                "background:url('a;display:none;b')",
                "background:url(a;display:none;b)",
                "--x:{display:none}",
                "content:'display:none",
                "/* display:none",
                "transform:scale(0);transform:none",
            ],
        );
    }

    #[test]
    fn no_length_and_no_depth_is_too_much() {
        check(
            true,
            &[
                &["padding:0;".repeat(10_000).as_str(), "display:none"].concat(),
                &["opacity:", &"(".repeat(10_000), "0"].concat(),
            ],
        );
        check(false, &[&["display:none;", &"display:block;".repeat(10_000)].concat()]);
    }
}
