//! Parses a time: ISO 8601 with its offset, or plain words.

use interim::{Dialect, parse_date_string};
use jiff::{Timestamp, civil, tz::TimeZone};

use crate::ScheduleError;

/// Maximum length of a text.
const MAX_TEXT_CHARS: usize = 100;
/// Maximum length of a word. The library panics at a word of 16 letters, and at an upper-case one.
const MAX_WORD_CHARS: usize = 15;
/// Maximum number of digits: the library reads a longer number as two.
const MAX_DIGITS: usize = 4;

/// Parses a time: `2026-11-24T08:00:00Z`, an offset in place of the `Z`, or words (`tomorrow 8pm`,
/// `in 2 hours`, `next friday`) in local time of `zone`. A date and time without an offset is
/// refused, because it is ambiguous.
///
/// # Errors
/// [`ScheduleError::When`] with a valid form.
pub fn parse_when(text: &str, now: Timestamp, zone: &TimeZone) -> Result<Timestamp, ScheduleError> {
    let text = text.trim();
    let wrong = |problem: &str| {
        Err(ScheduleError::When { text: text.chars().take(MAX_TEXT_CHARS).collect(), problem: problem.to_owned() })
    };
    if text.is_empty() || text.len() > MAX_TEXT_CHARS {
        return wrong("a time as `2026-11-24T08:00:00Z`, or words as `tomorrow 8pm`, are expected");
    }
    if let Ok(time) = text.parse::<Timestamp>() {
        return Ok(time);
    }
    if text.parse::<civil::DateTime>().is_ok() && text.starts_with(|c: char| c.is_ascii_digit()) {
        return wrong("the offset is missing: add `Z` for UTC, or `+01:00`");
    }
    let words = text.to_ascii_lowercase();
    let words = words.strip_prefix("in ").unwrap_or(&words);
    let time = is_readable(words).then(|| parse_date_string(words, now.to_zoned(zone.clone()), Dialect::Uk));
    match time {
        Some(Ok(time)) => Ok(time.timestamp()),
        _ => wrong("it is neither a time as `2026-11-24T08:00:00Z` nor known words as `tomorrow 8pm`"),
    }
}

/// Whether the library parses the text without panicking.
fn is_readable(text: &str) -> bool {
    let has_long =
        |is_part: fn(&char) -> bool, most: usize| text.split(|c: char| !is_part(&c)).any(|piece| piece.len() > most);
    text.is_ascii()
        && !has_long(char::is_ascii_alphabetic, MAX_WORD_CHARS)
        && !has_long(char::is_ascii_digit, MAX_DIGITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let now = "2026-11-23T12:00:00Z".parse().unwrap();
        let found = parse_when(text, now, &TimeZone::get("Europe/Berlin").unwrap());
        match found {
            Ok(time) => assert_eq!(time.to_string(), expected, "{text}"),
            Err(error) => assert!(error.to_string().contains(expected), "{text}: {error}"),
        }
    }

    #[test]
    fn times_and_words_and_what_is_neither() {
        check("2026-11-24T08:00:00Z", "2026-11-24T08:00:00Z");
        check("2026-11-24T08:00:00+01:00", "2026-11-24T07:00:00Z");
        check("2026-11-24T08:00:00", "the offset is missing");
        check("2026-11-24 08:00", "the offset is missing");
        check("tomorrow 8pm", "2026-11-24T19:00:00Z");
        check("in 2 hours", "2026-11-23T14:00:00Z");
        check("2027-02-30T08:00:00Z", "neither");
        check("soon", "neither");
        check("tomorrow 8 PM", "2026-11-24T19:00:00Z");
        check("In 2 Hours", "2026-11-23T14:00:00Z");
        check("26-01-01 1 T00:00", "neither");
        check("tomorrow 8 abcdefghijklmnop", "neither");
        check("in 99999999 hours", "neither");
        check("tomorrow 8 ß", "neither");
        check("", "are expected");
        check(&"x".repeat(10_000), "are expected");
        check("\u{202e} \u{0}", "neither");
    }
}
