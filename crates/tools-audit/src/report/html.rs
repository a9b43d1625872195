//! Conversion of text to HTML: all text of a log is hostile. No other module may put text of a log
//! into a page.

use std::fmt::Write as _;

use tools_core::is_hidden;

/// Text as the content of an element: markup has no effect, and characters that could change how
/// text is read are shown by their number.
pub(super) fn text(text: &str) -> String {
    escaped(text, |out, c| {
        let _ = write!(out, "<span class=\"ctl\">U+{:04X}</span>", u32::from(c));
    })
}

/// Text as the value of a quoted attribute, or as content where no element may stand (`<title>`).
pub(super) fn plain(text: &str) -> String {
    escaped(text, |out, c| {
        let _ = write!(out, "\u{ab}U+{:04X}\u{bb}", u32::from(c));
    })
}

/// As [`plain`], for the first `chars` characters, on one line.
pub(super) fn short(whole: &str, chars: usize) -> String {
    let mut cut: String = whole.chars().take(chars).map(|c| if c == '\n' { '⏎' } else { c }).collect();
    if whole.chars().nth(chars).is_some() {
        cut.push('…');
    }
    text(&cut)
}

fn escaped(text: &str, unseen: impl Fn(&mut String, char)) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            c if is_hidden(c) => unseen(&mut out, c),
            c => out.push(c),
        }
    }
    out
}

/// `1,234,567`.
pub(super) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `12 ms`, `3.4 s`, `5 min 6 s`.
pub(super) fn time(milliseconds: u64) -> String {
    match milliseconds {
        0..1000 => format!("{milliseconds} ms"),
        1000..60_000 => format!("{}.{} s", milliseconds / 1000, milliseconds % 1000 / 100),
        _ => format!("{} min {} s", milliseconds / 60_000, milliseconds % 60_000 / 1000),
    }
}

/// A share of the whole, as `63 %`.
pub(super) fn share(part: u64, whole: u64) -> String {
    match u128::from(part) * 100 {
        _ if whole == 0 => "–".to_owned(),
        hundredfold => format!("{} %", hundredfold / u128::from(whole)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_inert() {
        assert_eq!(text("</script><img src=x onerror='a(\"b\")'>&amp;"), {
            "&lt;/script&gt;&lt;img src=x onerror=&#39;a(&quot;b&quot;)&#39;&gt;&amp;amp;"
        });
    }

    #[test]
    fn what_hides_or_reorders_is_shown() {
        assert_eq!(text("a\u{202e}b\0"), "a<span class=\"ctl\">U+202E</span>b<span class=\"ctl\">U+0000</span>");
        assert_eq!(plain("a\u{202e}\"\u{1b}"), "a«U+202E»&quot;«U+001B»");
        assert_eq!(text("ä\n\t日本"), "ä\n\t日本");
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!([0, 999, 1000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([5, 3450, 306_000].map(time), ["5 ms", "3.4 s", "5 min 6 s"]);
        assert_eq!(share(1, 3), "33 %");
        assert_eq!(share(0, 0), "–");
    }

    #[test]
    fn long_texts_are_cut_to_one_line() {
        assert_eq!(short("ab\ncd", 3), "ab⏎…");
        assert_eq!(short("<", 3), "&lt;");
    }
}
