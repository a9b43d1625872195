//! Any text as a cron line, a time in words and a time zone.

use jiff::{Timestamp, tz::TimeZone};
use tools_scheduler::{CronLine, parse_when, parse_zone};

pub(crate) fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let now: Timestamp = "2026-03-28T22:59:59Z".parse().expect("a time");
    let zone = TimeZone::UTC;
    if let Ok(line) = CronLine::parse(text) {
        assert_eq!(CronLine::parse(line.as_str()).ok().as_ref(), Some(&line), "a line is written as it is read");
        let _ = line.describe();
        if let Some(next) = line.after(now, &zone) {
            assert!(next > now, "the next time is later");
        }
    }
    let _ = parse_when(text, now, &zone);
    let _ = parse_zone(Some(text));
}
