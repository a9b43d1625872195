//! Random cron lines, read by us and by two implementations of the Python package index
//! (`croniter`, `cronsim`). Without them the test says that it was skipped; `HAFT_CRON_PYTHON`
//! names a Python that has them.

#![expect(clippy::disallowed_methods, reason = "the other implementations are programs")]

use std::{collections::BTreeMap, process::Command};

use jiff::Timestamp;
use serde::Deserialize;
use tools_scheduler::{CronLine, parse_zone};
use tools_testkit::Numbers;

/// Names a Python in which both can be imported.
const PYTHON: &str = "HAFT_CRON_PYTHON";
/// How many lines are generated, where the environment does not say.
const COUNT: &str = "HAFT_CRON_LINES";
/// How many times of each line are compared.
const TIMES: usize = 4;

/// Prints, for each line of JSON, the next times by both: seconds since 1970, or `null` where the
/// line is refused.
const READ: &str = "
import json, sys
from datetime import datetime
from zoneinfo import ZoneInfo
from croniter import croniter
from cronsim import CronSim
def both(job):
    line, zone, start, count = job['line'], ZoneInfo(job['zone']), job['start'], job['count']
    begin = datetime.fromtimestamp(start, zone)
    found = {}
    try:
        it = croniter(line, begin, second_at_beginning=True, max_years_between_matches=10)
        times = []
        try:
            for _ in range(count):
                times.append(int(it.get_next(datetime).timestamp()))
        except Exception as error:
            if type(error).__name__ != 'CroniterBadDateError': raise
        found['croniter'] = times
    except Exception:
        found['croniter'] = None
    try:
        it = CronSim(line, begin)
        times = []
        for _ in range(count):
            try:
                times.append(int(next(it).timestamp()))
            except StopIteration:
                break
        found['cronsim'] = times
    except Exception:
        found['cronsim'] = None
    return found
for line in sys.stdin:
    print(json.dumps(both(json.loads(line))))
";

#[derive(Debug, Deserialize)]
struct Others {
    croniter: Option<Vec<i64>>,
    cronsim: Option<Vec<i64>>,
}

/// What is asked of everybody.
struct Job {
    line: String,
    zone: &'static str,
    start: Timestamp,
}

/// The same lines in every run.
struct Dice(Numbers);

impl Dice {
    fn roll(&mut self, sides: u32) -> u32 {
        u32::try_from(self.0.below(u64::from(sides))).expect("it is less than `sides`")
    }
}

const MONTHS: &[&str] = &["jan", "FEB", "Mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "DEC"];
const DAYS: &[&str] = &["sun", "MON", "Tue", "wed", "thu", "fri", "SAT"];
const ODD: &[&str] =
    &["?", "L", "5L", "W", "1#2", "H", "*/0", "-", "1-", "/2", "", "@daily", "*-3", "1--2", "x", "+1", "1.5", "**"];

/// A field: mostly one that is right, now and then one that is not.
fn field(dice: &mut Dice, least: u32, most: u32, names: &[&str], often_any: u32) -> String {
    if dice.roll(100) < often_any {
        return "*".to_owned();
    }
    if dice.roll(60) == 0 {
        return ODD[dice.roll(18) as usize].to_owned();
    }
    let number = |dice: &mut Dice| {
        let value = if dice.roll(50) == 0 { most + 1 + dice.roll(3) } else { least + dice.roll(most - least + 1) };
        match names.get((value - least) as usize) {
            Some(name) if dice.roll(3) == 0 => (*name).to_owned(),
            _ if dice.roll(20) == 0 => format!("{value:02}"),
            _ => value.to_string(),
        }
    };
    let mut items = vec![];
    for _ in 0..[1, 1, 1, 1, 2, 3][dice.roll(6) as usize] {
        let item = match dice.roll(10) {
            0..=4 => number(dice),
            5 => format!("*/{}", 1 + dice.roll(most + 3)),
            6 => format!("{}/{}", number(dice), 1 + dice.roll(most)),
            kind => {
                let (from, to) = (least + dice.roll(most - least + 1), least + dice.roll(most - least + 1));
                let (from, to) = if dice.roll(25) == 0 { (to, from) } else { (from.min(to), from.max(to)) };
                if kind == 7 { format!("{from}-{to}/{}", 1 + dice.roll(9)) } else { format!("{from}-{to}") }
            }
        };
        items.push(item);
    }
    items.join(",")
}

fn line(dice: &mut Dice) -> String {
    let mut fields = vec![
        field(dice, 0, 59, &[], 20),
        field(dice, 0, 23, &[], 25),
        field(dice, 1, 31, &[], 45),
        field(dice, 1, 12, MONTHS, 60),
        field(dice, 0, 7, DAYS, 45),
    ];
    if dice.roll(4) == 0 {
        fields.insert(0, field(dice, 0, 59, &[], 10));
    }
    if dice.roll(200) == 0 {
        fields.pop();
    }
    fields.join(" ")
}

fn time(text: &str) -> Timestamp {
    text.parse().expect("a time")
}

/// The lines in UTC, and those around changes of clocks.
fn jobs(count: usize) -> Vec<Job> {
    let mut dice = Dice(Numbers::new(0x2545_f491_4f6c_dd1d));
    // Berlin and New York change by an hour, Lord Howe by half of one, Troll by two.
    let changes = [
        ("Europe/Berlin", "2027-03-27T22:10:05Z"),
        ("Europe/Berlin", "2026-10-24T22:10:05Z"),
        ("America/New_York", "2027-03-14T05:10:05Z"),
        ("America/New_York", "2026-11-01T03:10:05Z"),
        ("Australia/Lord_Howe", "2026-10-03T14:10:05Z"),
        ("Antarctica/Troll", "2027-03-27T23:10:05Z"),
    ];
    let job = |number: usize| {
        let (zone, start) = match number % 5 {
            0 => changes[number / 5 % changes.len()],
            _ => ("UTC", "2026-11-23T11:59:58Z"),
        };
        Job { line: line(&mut dice), zone, start: time(start) }
    };
    (0..count).map(job).collect()
}

/// What both say; `None` where one is not installed.
fn others(jobs: &[Job]) -> Option<Vec<Others>> {
    use std::io::Write as _;
    let python = std::env::var_os(PYTHON).unwrap_or_else(|| "python3".into());
    let piped = std::process::Stdio::piped;
    let mut reader =
        Command::new(python).args(["-c", READ]).stdin(piped()).stdout(piped()).stderr(piped()).spawn().ok()?;
    let asked: Vec<String> = jobs
        .iter()
        .map(|job| {
            let job = serde_json::json!({ "line": job.line, "zone": job.zone, "start": job.start.as_second(), "count": TIMES });
            format!("{job}\n")
        })
        .collect();
    let asked = asked.concat();
    let mut to = reader.stdin.take()?;
    // It answers while it is asked.
    let asking = std::thread::spawn(move || drop(to.write_all(asked.as_bytes())));
    let told = reader.wait_with_output().ok()?;
    asking.join().ok()?;
    let answers: Result<Vec<Others>, _> =
        told.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(serde_json::from_slice).collect();
    told.status.success().then(|| answers.expect("it prints JSON"))
}

/// Our next times; `None` where the line is refused.
fn ours(job: &Job) -> Option<Vec<i64>> {
    let line = CronLine::parse(&job.line).ok()?;
    let zone = parse_zone(Some(job.zone)).expect("a zone");
    let mut times = vec![];
    let mut after = job.start;
    while times.len() < TIMES
        && let Some(next) = line.after(after, &zone)
    {
        times.push(next.as_second());
        after = next;
    }
    Some(times)
}

/// Why another implementation may read a line differently. `docs/concepts/schedule.md` says the
/// same in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Why {
    /// We refuse a step that is larger than the field.
    LongStep,
    /// We refuse a range that ends before it begins; `croniter` goes on past the end of the field.
    Backwards,
    /// We refuse letters that other programs have added.
    Extension,
    /// `13-13` is every day of the month to `croniter`.
    OneToItself,
    /// `13-13/2` is `13-31/2` to both.
    OneToItselfWithStep,
    /// `*/2` is no restriction of the days to `cronsim`: then both days have to fit.
    SteppedDays,
    /// A field that names every day is no restriction to either.
    EveryDay,
    /// `fri/1` ends on Saturday to `croniter`, and on Sunday, which is 7, to us.
    StepToSunday,
    /// `croniter` follows changes of the clocks in a way of its own.
    Clocks,
    /// `cronsim` loses the first half hour of an hour where clocks change by half of one.
    HalfHours,
}

/// The first number of each item, its last, and whether it has a step.
fn items(field: &str) -> impl Iterator<Item = (&str, Option<&str>, bool)> {
    field.split(',').map(|item| {
        let (range, has_step) = item.split_once('/').map_or((item, false), |(range, _)| (range, true));
        let (from, to) = range.split_once('-').map_or((range, None), |(from, to)| (from, Some(to)));
        (from, to, has_step)
    })
}

/// The days that a field of numbers and names stands for.
fn names_every_day(field: &str, least: u32, most: u32, names: &[&str]) -> bool {
    let number = |text: &str| {
        let by_name =
            || (0..).zip(names).find(|(_, name)| name.eq_ignore_ascii_case(text)).map(|(number, _)| number + least);
        text.parse::<u32>().ok().or_else(by_name)
    };
    let mut days = std::collections::BTreeSet::new();
    for item in field.split(',') {
        let (range, step) = item.split_once('/').map_or((item, 1), |(range, step)| (range, step.parse().unwrap_or(1)));
        let ends = match range.split_once('-') {
            _ if range == "*" => Some((least, most)),
            Some((from, to)) => number(from).zip(number(to)),
            None => number(range).map(|from| (from, if item.contains('/') { most } else { from })),
        };
        let Some((from, to)) = ends else { return false };
        // Sunday has two numbers.
        days.extend((from..=to).step_by(step).map(|day| if most == 7 { day % 7 } else { day }));
    }
    let all = if most == 7 { 0..=6 } else { least..=most };
    all.into_iter().all(|day| days.contains(&day))
}

/// What can be said about a difference.
fn reasons(job: &Job) -> Vec<Why> {
    let mut found = vec![];
    let fields: Vec<&str> = job.line.split_whitespace().collect();
    if let Err(error) = CronLine::parse(&job.line) {
        let error = error.to_string();
        found.push(match () {
            () if error.contains("the step") => Why::LongStep,
            () if error.contains("ends before it begins") => Why::Backwards,
            () => Why::Extension,
        });
        return found;
    }
    let equal = |from: &str, to: &str| {
        from.eq_ignore_ascii_case(to) || from.parse::<u32>().ok().is_some_and(|from| to.parse() == Ok(from))
    };
    let itself =
        || fields.iter().flat_map(|field| items(field)).filter(|(from, to, _)| to.is_some_and(|to| equal(from, to)));
    if itself().any(|(.., has_step)| has_step) {
        found.push(Why::OneToItselfWithStep);
    }
    if itself().next().is_some() {
        found.push(Why::OneToItself);
    }
    let [.., month, _, week] = fields[..] else { return found };
    if (month.starts_with("*/") || week.starts_with("*/")) && month != "*" && week != "*" {
        found.push(Why::SteppedDays);
    }
    if names_every_day(month, 1, 31, &[]) || names_every_day(week, 0, 7, DAYS) {
        found.push(Why::EveryDay);
    }
    if items(week).any(|(_, to, has_step)| has_step && to.is_none()) {
        found.push(Why::StepToSunday);
    }
    if job.zone != "UTC" {
        found.push(Why::Clocks);
    }
    if job.zone == "Australia/Lord_Howe" {
        found.push(Why::HalfHours);
    }
    found
}

/// The implementations that a reason can explain.
fn explains(why: Why, other: &str) -> bool {
    match why {
        Why::OneToItself | Why::StepToSunday | Why::Clocks => other == "croniter",
        Why::SteppedDays | Why::HalfHours => other == "cronsim",
        _ => true,
    }
}

#[test]
fn other_implementations_read_the_same_lines_alike() {
    let count = std::env::var(COUNT).ok().and_then(|count| count.parse().ok()).unwrap_or(2_000);
    let jobs = jobs(count);
    let Some(others) = others(&jobs) else {
        eprintln!("SKIPPED: `croniter` and `cronsim` are not installed; `{PYTHON}` names a Python that has them");
        return;
    };
    assert_eq!(others.len(), jobs.len());
    let (mut alike, mut counts, mut unexplained) = (0, BTreeMap::<(&str, Why), usize>::new(), vec![]);
    for (job, others) in jobs.iter().zip(&others) {
        let ours = ours(job);
        let differ: Vec<&str> = [("croniter", &others.croniter), ("cronsim", &others.cronsim)]
            .into_iter()
            .filter_map(|(other, theirs)| (*theirs != ours).then_some(other))
            .collect();
        alike += usize::from(differ.is_empty());
        for other in differ {
            match reasons(job).into_iter().find(|why| explains(*why, other)) {
                Some(why) => *counts.entry((other, why)).or_default() += 1,
                None => unexplained.push(format!("{other}: {} [{}] ours {ours:?} {others:?}", job.line, job.zone)),
            }
        }
    }
    eprintln!("{count} lines, {alike} read alike by all three; differences: {counts:?}");
    assert!(unexplained.is_empty(), "{} differences have no reason:\n{}", unexplained.len(), unexplained.join("\n"));
    assert!(alike > count * 3 / 4, "{alike} of {count}");
}
