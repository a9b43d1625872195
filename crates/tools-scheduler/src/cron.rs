//! Parses a cron line, reports every fault by field and position, and computes its next time.

use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{SignedDuration, Timestamp};

use crate::ScheduleError;

/// Fields of a six-field line, with their valid numbers and names.
const FIELDS: [Field; 6] = [
    Field { name: "second", least: 0, most: 59, names: &[] },
    Field { name: "minute", least: 0, most: 59, names: &[] },
    Field { name: "hour", least: 0, most: 23, names: &[] },
    Field { name: "day of month", least: 1, most: 31, names: &[] },
    Field {
        name: "month",
        least: 1,
        most: 12,
        names: &["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"],
    },
    Field { name: "day of week", least: 0, most: 7, names: &["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"] },
];

struct Field {
    name: &'static str,
    least: u32,
    most: u32,
    /// Names of the first numbers, beginning with `least`.
    names: &'static [&'static str],
}

/// A cron line with at least one time.
#[derive(Debug, Clone)]
pub struct CronLine {
    cron: Cron,
    text: String,
    /// Whether minutes or hours begin with `*`.
    is_interval: bool,
}

impl PartialEq for CronLine {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

/// Maximum length in bytes: a line that names every minute, hour and day is shorter.
const MAX_BYTES: usize = 500;

impl CronLine {
    /// Parses a line of five fields (minute, hour, day of month, month, day of week) or six (the
    /// second first). A field is `*`, a number, a name, a range, each optionally with a step, or a
    /// list of those. 0 and 7 are Sunday. If both days are given, either one suffices.
    ///
    /// # Errors
    /// [`ScheduleError::Cron`] with field and position.
    pub fn parse(text: &str) -> Result<Self, ScheduleError> {
        if text.len() > MAX_BYTES {
            return Err(ScheduleError::Cron(format!("it is longer than {MAX_BYTES} bytes")));
        }
        let fields: Vec<&str> = text.split_ascii_whitespace().collect();
        let kinds = match fields.len() {
            5 => &FIELDS[1..],
            6 => &FIELDS[..],
            count => {
                let problem = format!(
                    "{count} fields; a cron line has 5 (minute, hour, day of month, month, day of week) or 6 (second first)"
                );
                return Err(ScheduleError::Cron(problem));
            }
        };
        let mut normal = if fields.len() == 5 { vec!["0".to_owned()] } else { vec![] };
        for (number, (field, kind)) in (1..).zip(fields.iter().zip(kinds)) {
            let checked = kind.normal(field);
            let named = |problem| ScheduleError::Cron(format!("field {number} ({}): {problem}", kind.name));
            normal.push(checked.map_err(named)?);
        }
        let text = normal.join(" ");
        let parser = CronParser::builder().seconds(Seconds::Required).year(Year::Disallowed).build();
        let cron = parser.parse(&text).map_err(|error| ScheduleError::Cron(error.to_string()))?;
        let is_interval = normal[1..3].iter().any(|field| field.starts_with('*'));
        Ok(Self { cron, text, is_interval })
    }

    /// The line with six fields, names as numbers.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The expression in English.
    pub fn describe(&self) -> String {
        self.cron.describe()
    }

    /// The next time after `time`, in a time zone; `None` if there is none, which takes long to
    /// find out.
    ///
    /// A line whose minutes or hours begin with `*` is an interval: it continues through changes of
    /// the clocks. Any other line names times of day: one that is skipped when clocks go forward
    /// runs at the change, and one that occurs twice when they go back runs only the first time.
    pub fn after(&self, time: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        if self.is_interval { self.interval_after(time, zone) } else { self.time_of_day_after(time, zone) }
    }

    /// The next moment whose local time the line names. Between two changes of the clocks, local
    /// time has a constant offset from UTC.
    fn interval_after(&self, time: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let mut begin = zone.to_datetime(time);
        let mut changes = zone.following(time).map(|change| change.timestamp());
        let mut offset = zone.to_offset(time);
        loop {
            let next = offset.to_timestamp(self.clock_after(begin)?).ok()?;
            let Some(change) = changes.next().filter(|change| *change <= next) else { return Some(next) };
            // The local time at the change itself counts, too.
            offset = zone.to_offset(change);
            begin = zone.to_datetime(change).checked_sub(SignedDuration::from_secs(1)).ok()?;
        }
    }

    fn time_of_day_after(&self, time: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        // Local times that have passed already ran, even if they occur again.
        let mut clock = zone.to_datetime(time);
        loop {
            clock = self.clock_after(clock)?;
            let moment = match zone.to_ambiguous_timestamp(clock).offset() {
                AmbiguousOffset::Unambiguous { offset } => offset.to_timestamp(clock),
                AmbiguousOffset::Fold { before, .. } => before.to_timestamp(clock),
                // Use the offset before the change, so the time is at or just after it.
                AmbiguousOffset::Gap { before, .. } => {
                    let as_before = before.to_timestamp(clock).ok()?;
                    let behind = as_before.checked_add(SignedDuration::from_secs(1)).ok()?;
                    zone.preceding(behind).next().map_or(Ok(as_before), |change| Ok(change.timestamp()))
                }
            };
            let moment = moment.ok()?;
            if moment > time {
                return Some(moment);
            }
        }
    }

    /// The next local time that the line names.
    fn clock_after(&self, clock: DateTime) -> Option<DateTime> {
        let clock = clock.to_zoned(TimeZone::UTC).ok()?;
        self.cron.find_next_occurrence(&clock, false).ok().filter(|next| *next > clock).map(|next| next.datetime())
    }
}

impl Field {
    /// Replaces names in the field by numbers.
    fn normal(&self, text: &str) -> Result<String, String> {
        let items: Result<Vec<String>, String> = text.split(',').map(|item| self.item(item)).collect();
        Ok(items?.join(","))
    }

    fn item(&self, item: &str) -> Result<String, String> {
        let (range, step) = match item.split_once('/') {
            Some((range, step)) => (range, Some(step)),
            None => (item, None),
        };
        let (least, most) = (self.least, self.most);
        let whole = match range.split_once('-') {
            _ if range == "*" => "*".to_owned(),
            Some((from, to)) => {
                let (from, to) = (self.number(from)?, self.number(to)?);
                if from > to {
                    return Err(format!("the range {range} ends before it begins"));
                }
                format!("{from}-{to}")
            }
            None if step.is_some() => format!("{}-{most}", self.number(range)?),
            None => self.number(range)?.to_string(),
        };
        let Some(step) = step else { return Ok(whole) };
        match step.parse::<u32>() {
            Ok(step) if step > 0 && step <= most - least + 1 => Ok(format!("{whole}/{step}")),
            _ => Err(format!("the step {step:?} is not 1-{}", most - least + 1)),
        }
    }

    fn number(&self, text: &str) -> Result<u32, String> {
        let (least, most) = (self.least, self.most);
        let by_name = || {
            let position = self.names.iter().position(|name| name.eq_ignore_ascii_case(text))?;
            Some(least + u32::try_from(position).ok()?)
        };
        let digits = (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then_some(text);
        match digits.and_then(|digits| digits.parse().ok()).or_else(by_name) {
            Some(number) if (least..=most).contains(&number) => Ok(number),
            _ if self.names.is_empty() => Err(format!("{text} not in {least}-{most}")),
            _ => Err(format!("{text} not in {least}-{most} nor {}", self.names.join(", "))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(line: &str, zone: &str, time: &str) -> String {
        let zone = TimeZone::get(zone).unwrap();
        let next = CronLine::parse(line).unwrap().after(time.parse().unwrap(), &zone);
        next.map_or_else(|| "never".to_owned(), |next| next.to_string())
    }

    #[test]
    fn faults_name_field_and_what_would_be_right() {
        let check = |line: &str, text: &str| {
            let error = CronLine::parse(line).unwrap_err().to_string();
            assert!(error.contains(text), "{line}: {error}");
        };
        check("0 25 * * *", "field 2 (hour): 25 not in 0-23");
        check("0 0 25 * * *", "field 3 (hour): 25 not in 0-23");
        check("* * * *", "4 fields; a cron line has 5");
        check("* * * * * * 2027", "7 fields");
        check("", "0 fields");
        check(&format!("{}0 0 * * *", "0,".repeat(500)), "it is longer than 500 bytes");
        check("*/0 * * * *", "the step \"0\" is not 1-60");
        check("*/61 * * * *", "is not 1-60");
        check("30-10 * * * *", "the range 30-10 ends before it begins");
        check("0 0 * foo *", "foo not in 1-12 nor JAN");
        check("0 0 * * 8", "field 5 (day of week): 8 not in 0-7");
        check("0 0 0 * *", "field 3 (day of month): 0 not in 1-31");
        check("a,,b * * * *", "a not in 0-59");
        check("1, * * * *", " not in 0-59");
        check("* * L * *", "L not in 1-31");
        check(&"9".repeat(400), "1 fields");
        check(&"9".repeat(10_000), "it is longer than 500 bytes");
    }

    #[test]
    fn five_fields_begin_with_second_0_and_names_become_numbers() {
        let check = |line: &str, expected: &str| assert_eq!(CronLine::parse(line).unwrap().as_str(), expected);
        check("*/5 * * * *", "0 */5 * * * *");
        check("1 2 3 jan-MAR sun,7", "0 1 2 3 1-3 0,7");
        check("30 5/10 * * * mon-fri", "30 5-59/10 * * * 1-5");
    }

    #[test]
    fn either_day_is_enough_and_sunday_has_two_numbers() {
        // The 13th is a Friday only in some months.
        assert_eq!(after("0 0 13 * 5", "UTC", "2026-11-23T00:00:00Z"), "2026-11-27T00:00:00Z");
        assert_eq!(after("0 0 13 * 5", "UTC", "2026-12-11T12:00:00Z"), "2026-12-13T00:00:00Z");
        for sunday in ["0", "7", "SUN"] {
            assert_eq!(after(&format!("0 0 * * {sunday}"), "UTC", "2026-11-23T00:00:00Z"), "2026-11-29T00:00:00Z");
        }
    }

    #[test]
    fn clocks_that_change_neither_lose_nor_double_a_time_of_day() {
        let berlin = "Europe/Berlin";
        // 02:30 does not exist on 2027-03-28.
        assert_eq!(after("30 2 * * *", berlin, "2027-03-27T12:00:00Z"), "2027-03-28T01:00:00Z");
        assert_eq!(after("30 2 * * *", berlin, "2027-03-28T01:00:00Z"), "2027-03-29T00:30:00Z");
        // 02:30 comes twice on 2026-10-25: at 00:30 and 01:30 UTC.
        assert_eq!(after("30 2 * * *", berlin, "2026-10-24T12:00:00Z"), "2026-10-25T00:30:00Z");
        assert_eq!(after("30 2 * * *", berlin, "2026-10-25T00:30:00Z"), "2026-10-26T01:30:00Z");
        // Whatever else is in the line.
        assert_eq!(after("19 2,14 * * *", berlin, "2027-03-27T22:00:00Z"), "2027-03-28T01:00:00Z");
        assert_eq!(after("30-31 1-3 * * *", berlin, "2027-03-28T00:31:00Z"), "2027-03-28T01:00:00Z");
        assert_eq!(after("30-31 1-3 * * *", berlin, "2027-03-28T01:00:00Z"), "2027-03-28T01:30:00Z");
        assert_eq!(after("12 0-9 * * *", berlin, "2026-10-25T00:12:00Z"), "2026-10-25T02:12:00Z");
        // Half an hour on Lord Howe, two at Troll.
        assert_eq!(after("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T15:00:00Z"), "2026-10-03T15:30:00Z");
        assert_eq!(after("15 2 * * *", "Antarctica/Troll", "2027-03-28T00:30:00Z"), "2027-03-28T01:00:00Z");
        // An interval goes on through both.
        assert_eq!(after("*/30 * * * *", berlin, "2026-10-25T00:30:00Z"), "2026-10-25T01:00:00Z");
        assert_eq!(after("*/30 * * * *", berlin, "2026-10-25T01:00:00Z"), "2026-10-25T01:30:00Z");
    }

    #[test]
    fn a_date_that_there_is_not_never_comes() {
        assert_eq!(after("0 0 30 2 *", "UTC", "2026-11-23T00:00:00Z"), "never");
        assert_eq!(after("0 0 29 2 *", "UTC", "2026-11-23T00:00:00Z"), "2028-02-29T00:00:00Z");
    }
}
