//! The markers of a list: signs, or the numbers that the page gives.

use scraper::node::Element;

/// A list that is open.
pub(super) struct List {
    next: i64,
    step: i64,
    count: Count,
}

#[derive(Clone, Copy)]
enum Count {
    Signs,
    Numbers,
    Letters { is_upper: bool },
    Roman { is_upper: bool },
}

impl List {
    pub(super) fn new(element: &Element, is_ordered: bool) -> Self {
        let start = element.attr("start").and_then(|text| text.trim().parse().ok()).unwrap_or(1);
        let step = if element.attr("reversed").is_some() { -1 } else { 1 };
        let count = match element.attr("type") {
            _ if !is_ordered => Count::Signs,
            Some(kind @ ("a" | "A")) => Count::Letters { is_upper: kind == "A" },
            Some(kind @ ("i" | "I")) => Count::Roman { is_upper: kind == "I" },
            _ => Count::Numbers,
        };
        Self { next: start, step, count }
    }

    /// Marker of the next item.
    pub(super) fn marker(&mut self, item: &Element) -> String {
        let own = item.attr("value").and_then(|text| text.trim().parse().ok());
        let number: i64 = own.unwrap_or(self.next);
        self.next = number.saturating_add(self.step);
        let (text, is_upper) = match self.count {
            Count::Signs => return "- ".to_owned(),
            Count::Numbers => (None, false),
            Count::Letters { is_upper } => (letters(number), is_upper),
            Count::Roman { is_upper } => (roman(number), is_upper),
        };
        let text = text.unwrap_or_else(|| number.to_string());
        format!("{}. ", if is_upper { text.to_ascii_uppercase() } else { text })
    }
}

fn letters(number: i64) -> Option<String> {
    let mut left = u32::try_from(number).ok().filter(|number| *number > 0)?;
    let mut text = String::new();
    while left > 0 {
        left -= 1;
        text.insert(0, char::from(b'a' + u8::try_from(left % 26).ok()?));
        left /= 26;
    }
    Some(text)
}

fn roman(number: i64) -> Option<String> {
    const SIGNS: &[(i64, &str)] =
        &[(100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")];
    let mut left = Some(number).filter(|number| (1..400).contains(number))?;
    let mut text = String::new();
    for (value, sign) in SIGNS {
        while left >= *value {
            text.push_str(sign);
            left -= value;
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_roman_numbers_count_as_a_browser_does() {
        let check = |number, letter: Option<&str>, numeral: Option<&str>| {
            assert_eq!((letters(number).as_deref(), roman(number).as_deref()), (letter, numeral), "{number}");
        };
        check(1, Some("a"), Some("i"));
        check(26, Some("z"), Some("xxvi"));
        check(28, Some("ab"), Some("xxviii"));
        check(399, Some("oi"), Some("cccxcix"));
        check(0, None, None);
        check(-3, None, None);
        check(702, Some("zz"), None);
    }
}
