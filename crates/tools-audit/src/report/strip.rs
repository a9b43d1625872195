//! The film strip: one bar per call. Its height is the duration, its parts show where the time
//! went, its colour is the verdict.

use std::{collections::VecDeque, fmt::Write as _};

use super::call::Call;
use super::html::{plain, time};

const BAR: u32 = 11;
const STEP: u32 = 15;
const GAP: u32 = 46;
/// Position of the first bar: right of the scale.
const FIRST_BAR_X: u32 = 58;
const TOP: f64 = 26.0;
const HEIGHT: f64 = 168.0;
/// Minimum height of a bar: a call that took no time must be visible and clickable, too.
const MIN_BAR_HEIGHT: f64 = 7.0;
/// Lines at these times, in milliseconds.
const SCALE: [u64; 6] = [1, 10, 100, 1000, 10_000, 100_000];

/// The strip as one SVG. Sizes are its attributes, since the page allows no inline styles.
pub(super) fn strip(calls: &VecDeque<Call>) -> String {
    let longest = calls.iter().map(Call::total).max().unwrap_or_default().max(10);
    let mut bars = String::new();
    let (mut x, mut session) = (FIRST_BAR_X, None);
    for call in calls {
        if session != Some(&call.session) {
            if session.is_some() {
                x += GAP - STEP;
            }
            let name: String = call.session.chars().take(14).collect();
            let _ = write!(
                bars,
                "<text class=\"session\" x=\"{x}\" y=\"14\">{}</text><line class=\"cut\" x1=\"{at}\" x2=\"{at}\" y1=\"4\" \
                 y2=\"{}\"/>",
                plain(&name),
                TOP + HEIGHT + 16.0,
                at = x - 5,
            );
            session = Some(&call.session);
        }
        bar(&mut bars, call, x, longest);
        x += STEP;
    }
    let width = x + 12;
    format!(
        "<div class=\"film\"><svg width=\"{width}\" height=\"{}\" role=\"img\" aria-label=\"film strip of the \
         calls\"><defs><pattern id=\"asked\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\" \
         patternTransform=\"rotate(45)\"><rect class=\"paper\" width=\"4\" height=\"4\"/><rect class=\"ink\" width=\"2\" \
         height=\"4\"/></pattern></defs>{}{bars}</svg></div>",
        TOP + HEIGHT + 22.0,
        scale(width, longest),
    )
}

fn scale(width: u32, longest: u64) -> String {
    let mut lines = String::new();
    for at in SCALE.into_iter().filter(|at| *at <= longest) {
        let y = TOP + HEIGHT - height(at, longest);
        let _ = write!(
            lines,
            "<line class=\"grid\" x1=\"50\" x2=\"{width}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/><text class=\"tick\" x=\"46\" \
             y=\"{:.1}\">{}</text>",
            y + 3.5,
            time(at).replace(".0 s", " s").replace("1 min 40 s", "100 s"),
        );
    }
    lines
}

fn bar(out: &mut String, call: &Call, x: u32, longest: u64) {
    let total = call.total();
    let whole = height(total, longest);
    let (base, verdict) = (TOP + HEIGHT, call.verdict());
    let _ = write!(
        out,
        "<a class=\"bar {verdict}\" href=\"#c{seq}\" data-call=\"{seq}\"><title>{seq} {title}: {verdict}, {}</title><rect \
         class=\"hit\" x=\"{}\" y=\"{TOP}\" width=\"{STEP}\" height=\"{:.1}\"/>",
        time(total),
        x - 2,
        HEIGHT + 14.0,
        seq = call.seq,
        title = plain(&call.tool),
    );
    let parts = [("run", call.run), ("approval", call.approval), ("gates", call.gates), ("wait", call.wait)];
    let mut y = base;
    for (part, took) in parts {
        // A call without measurable duration is drawn as if it had run.
        let share = if total == 0 { f64::from(u8::from(part == "run")) } else { ratio(took, total) };
        if share > 0.0 {
            let size = whole * share;
            y -= size;
            let _ = write!(
                out,
                "<rect class=\"{part}\" x=\"{x}\" y=\"{y:.1}\" width=\"{BAR}\" height=\"{:.1}\" rx=\"1.5\"/>",
                size.max(0.8)
            );
        }
    }
    if call.is_failed() && verdict == "allow" {
        let _ = write!(
            out,
            "<circle class=\"failed\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.6\"/>",
            f64::from(x) + f64::from(BAR) / 2.0,
            base + 8.0
        );
    }
    out.push_str("</a>");
}

/// Logarithmic, so that milliseconds and minutes are visible on one strip.
fn height(took: u64, longest: u64) -> f64 {
    let scaled = float(took).ln_1p() / float(longest.max(1)).ln_1p();
    MIN_BAR_HEIGHT + (HEIGHT - MIN_BAR_HEIGHT) * scaled.clamp(0.0, 1.0)
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { (float(part) / float(whole)).min(1.0) }
}

/// For drawing: numbers beyond 2³² are shown at full height.
fn float(number: u64) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

/// A small bar of up to three parts in different classes, for tables: `(class, amount)`, out of
/// `whole`.
pub(super) fn small(parts: &[(&str, u64)], whole: u64, width: u32) -> String {
    let mut out = format!(
        "<svg class=\"small\" width=\"{width}\" height=\"9\" aria-hidden=\"true\"><rect class=\"rail\" width=\"{width}\" height=\"9\" rx=\"2\"/>"
    );
    let mut x = 0.0;
    for (class, amount) in parts.iter().filter(|(_, amount)| *amount > 0) {
        let size = (f64::from(width) * ratio(*amount, whole)).max(1.0);
        let _ = write!(out, "<rect class=\"{class}\" x=\"{x:.1}\" width=\"{size:.1}\" height=\"9\" rx=\"2\"/>");
        x += size;
    }
    out.push_str("</svg>");
    out
}
