//! Random cron lines around changes of clocks, against a walk through every minute that knows
//! nothing but what a clock shows.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp, civil::DateTime, tz::TimeZone};
use proptest::prelude::*;
use tools_scheduler::{CronLine, parse_zone};

/// Zones with a day before a change of their clocks: Lord Howe changes by half an hour, Troll by
/// two hours, Apia once left a whole day out.
const CHANGES: &[(&str, &str)] = &[
    ("Europe/Berlin", "2027-03-27T12:00:00Z"),
    ("Europe/Berlin", "2026-10-24T12:00:00Z"),
    ("America/New_York", "2027-03-13T20:00:00Z"),
    ("America/New_York", "2026-10-31T20:00:00Z"),
    ("Australia/Lord_Howe", "2026-10-03T06:00:00Z"),
    ("Australia/Lord_Howe", "2027-04-03T06:00:00Z"),
    ("Antarctica/Troll", "2027-03-27T18:00:00Z"),
    ("Antarctica/Troll", "2026-10-24T18:00:00Z"),
    ("Pacific/Apia", "2011-12-30T00:00:00Z"),
    ("UTC", "2026-11-23T00:00:00Z"),
];
/// How long the walk is: over the change, and a day more.
const MINUTES: i64 = 3 * 24 * 60;

#[derive(Debug, Clone)]
struct Field {
    text: String,
    values: BTreeSet<i8>,
}

fn field(least: i8, most: i8) -> impl Strategy<Value = Field> {
    let step = (1..=(most - least)).prop_map(move |step| Field {
        text: format!("*/{step}"),
        values: (least..=most).step_by(usize::from(step.unsigned_abs())).collect(),
    });
    let any = Just(Field { text: "*".to_owned(), values: (least..=most).collect() });
    let list = prop::collection::btree_set(least..=most, 1..4).prop_map(|values| Field {
        text: values.iter().map(ToString::to_string).collect::<Vec<_>>().join(","),
        values,
    });
    let range = (least..=most, least..=most).prop_map(|(one, other)| {
        let (from, to) = (one.min(other), one.max(other));
        Field { text: format!("{from}-{to}"), values: (from..=to).collect() }
    });
    prop_oneof![2 => any, 1 => step, 3 => list, 2 => range]
}

/// The minutes at which a line fires, by its definition and what the clock of a zone shows minute
/// by minute.
fn walked(minutes: &Field, hours: &Field, zone: &TimeZone, start: Timestamp) -> Vec<Timestamp> {
    let is_interval = [minutes, hours].iter().any(|field| field.text.starts_with('*'));
    let is_named = |clock: DateTime| minutes.values.contains(&clock.minute()) && hours.values.contains(&clock.hour());
    let minute = SignedDuration::from_mins(1);
    let mut latest = zone.to_datetime(start);
    let mut fired = vec![];
    for number in 1..=MINUTES {
        let now = start + SignedDuration::from_mins(number);
        let clock = zone.to_datetime(now);
        let is_due = if is_interval {
            is_named(clock)
        } else {
            // All that the clock has passed since its latest: one minute, none where it went back,
            // many where it jumped.
            let mut passed = latest + minute;
            let mut named = false;
            while passed <= clock {
                named |= is_named(passed);
                passed += minute;
            }
            named
        };
        latest = latest.max(clock);
        fired.extend(is_due.then_some(now));
    }
    fired
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn a_line_fires_when_the_clock_shows_or_passes_it(
        minutes in field(0, 59),
        hours in field(0, 23),
        (name, start) in prop::sample::select(CHANGES),
    ) {
        let (zone, start) = (parse_zone(Some(name)).unwrap(), start.parse::<Timestamp>().unwrap());
        let line = CronLine::parse(&format!("{} {} * * *", minutes.text, hours.text)).unwrap();
        let end = start + SignedDuration::from_mins(MINUTES);
        let (mut fired, mut at) = (vec![], start);
        while let Some(next) = line.after(at, &zone).filter(|next| *next <= end) {
            fired.push(next);
            at = next;
        }
        prop_assert_eq!(fired, walked(&minutes, &hours, &zone, start));
    }
}

#[test]
fn the_first_moment_that_is_left_out_runs_at_the_change() {
    let zone = parse_zone(Some("Europe/Berlin")).unwrap();
    let line = CronLine::parse("0 0-2 * * *").unwrap();
    let next = line.after("2027-03-28T00:00:00Z".parse().unwrap(), &zone).unwrap();
    assert_eq!(next, "2027-03-28T01:00:00Z".parse::<Timestamp>().unwrap());
}
