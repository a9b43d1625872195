//! Build time of each crate, from the report that cargo writes with `--timings`.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

use serde::Deserialize;

use crate::failure::Failure;

/// Maximum number of packages in the printed table.
const ROWS: usize = 25;

/// The line of the report that contains the data.
const DATA: &str = "const UNIT_DATA = ";

/// One compiler run or build script.
#[derive(Debug, Deserialize)]
struct Unit {
    name: String,
    duration: f64,
}

/// Prints the build seconds of each package in this target folder, the slowest first.
pub(crate) fn print(target: &Path) -> Result<(), Failure> {
    let path = target.join("cargo-timings/cargo-timing.html");
    let report = fs::read_to_string(&path).map_err(Failure::io(format!("reading `{}`", path.display())))?;
    let units = units(&report)?;
    print!("{}", table(&units));
    Ok(())
}

fn units(report: &str) -> Result<Vec<Unit>, Failure> {
    let Some((_, rest)) = report.split_once(DATA) else {
        return Err(Failure::Found("cargo's report of timings has another form than was known".to_owned()));
    };
    // The list is followed by more of the script.
    let mut lists = serde_json::Deserializer::from_str(rest).into_iter::<Vec<Unit>>();
    match lists.next() {
        Some(Ok(units)) => Ok(units),
        Some(Err(source)) => Err(Failure::Json { what: "the data in cargo's report of timings".to_owned(), source }),
        None => Ok(vec![]),
    }
}

fn table(units: &[Unit]) -> String {
    let mut packages: BTreeMap<&str, f64> = BTreeMap::new();
    for unit in units {
        *packages.entry(&unit.name).or_default() += unit.duration;
    }
    let sum: f64 = packages.values().sum();
    let ours: f64 = packages.iter().filter(|(name, _)| is_ours(name)).map(|(_, seconds)| seconds).sum();
    let mut rows: Vec<_> = packages.into_iter().collect();
    rows.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut text = String::new();
    for (name, seconds) in rows.iter().take(ROWS) {
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "timings: {seconds:7.1} s  {name}");
    }
    let rest = rows.len().saturating_sub(ROWS);
    let _ = writeln!(text, "timings: and {rest} more; {sum:.0} s in all, {ours:.0} s of it the workspace's own");
    text
}

fn is_ours(name: &str) -> bool {
    name.starts_with("tools-") || matches!(name, "haft" | "haft-cli" | "xtask")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_summed_by_package() {
        let report = r#"<script>
const UNIT_DATA = [
  {"i": 0, "name": "libc", "mode": "run-custom-build", "duration": 0.5, "unlocked_units": []},
  {"i": 1, "name": "tools-core", "mode": "todo", "duration": 2.25, "unlocked_units": []},
  {"i": 2, "name": "libc", "mode": "todo", "duration": 1.0, "unlocked_units": []}
];
const CONCURRENCY_DATA = [];"#;
        let expected = "\
timings:     2.2 s  tools-core
timings:     1.5 s  libc
timings: and 0 more; 4 s in all, 2 s of it the workspace's own
";
        assert_eq!(table(&units(report).unwrap()), expected);
    }

    #[test]
    fn another_form_is_an_error() {
        assert!(units("<html></html>").is_err());
        assert!(units("const UNIT_DATA = 5;").is_err());
    }
}
