//! Outputs of real commands: `NAME.cmd` holds the command and its exit code, `NAME.raw` what it
//! printed, `NAME.out` what is made of it.

use std::{fs, path::Path};

use tools_filter::{Exit, FilterPipeline, sanitize_output};

struct Fixture {
    name: String,
    command: String,
    exit: Exit,
    raw: String,
    expected: String,
}

fn fixtures() -> Vec<Fixture> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/fixtures");
    let read = |path: &Path| fs::read_to_string(path).expect("a fixture is text");
    let mut all: Vec<Fixture> = fs::read_dir(&folder)
        .expect("the fixtures are beside this file")
        .filter_map(|entry| Some(entry.ok()?.path()).filter(|path| path.extension().is_some_and(|end| end == "cmd")))
        .map(|path| {
            let head = read(&path);
            let (command, code) = head.trim_end().rsplit_once('\n').expect("a command, then its exit code");
            Fixture {
                name: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
                command: command.to_owned(),
                exit: Exit::Code(code.parse().expect("a number")),
                raw: read(&path.with_extension("raw")),
                expected: read(&path.with_extension("out")),
            }
        })
        .collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(all.len() > 20, "the fixtures are found");
    all
}

#[test]
fn real_outputs_become_what_was_reviewed() {
    let pipeline = FilterPipeline::builtin();
    for fixture in fixtures() {
        let filtered = pipeline.filter(&fixture.command, fixture.exit, fixture.raw.as_bytes());
        assert_eq!(filtered.text, fixture.expected, "{}", fixture.name);
    }
}

#[test]
fn what_a_summary_says_is_never_lost() {
    let pipeline = FilterPipeline::builtin();
    let marks = [
        "panicked at",
        "left: ",
        "right: ",
        "test result: ",
        "CONFLICT",
        "error[",
        "ERROR ",
        "E   ",
        ": error:",
        "Error 1",
    ];
    for fixture in fixtures() {
        let filtered = pipeline.filter(&fixture.command, fixture.exit, fixture.raw.as_bytes()).text;
        let narrow = |text: &str| text.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        let filtered = narrow(&filtered);
        for line in sanitize_output(fixture.raw.as_bytes()).lines().map(narrow) {
            let line = line.trim();
            // What pytest sums up in one line is shown in its parts.
            let is_shown = line.split(" - ").all(|part| filtered.contains(part))
                || line == "E"
                || line.starts_with("test result: ok. 0 passed");
            // nextest shows what its inner runner says of the one test, which the line above says
            // already.
            let is_inner = line.starts_with("test result: FAILED. 0 passed; 1 failed");
            // What maven says under every error.
            let is_inner = is_inner || line.starts_with("[ERROR] ");
            // A finding that is listed under its rule: message and place stand apart.
            let is_grouped = line.split_once(": error: ").is_some_and(|(place, message)| {
                let message = message.rsplit_once(" [").map_or(message, |(message, _)| message);
                let file = place.split(':').next().unwrap_or_default();
                let inner = place[file.len()..].trim_start_matches(':');
                let is_placed = filtered.contains(place) || (filtered.contains(file) && filtered.contains(inner));
                is_placed && filtered.contains(message)
            });
            // A test that failed is named above what it said.
            let test = line.split_once(".py::").and_then(|(_, test)| test.split(' ').next()?.rsplit("::").next());
            let is_named = test.is_some_and(|test| filtered.contains(&format!(" {test} _")));
            let is_shown = is_shown || is_grouped || is_named;
            let is_shortened = line.contains("____") || line.contains("====") || line.len() > 500;
            if marks.iter().any(|mark| line.contains(mark)) && !is_inner && !is_shortened {
                assert!(is_shown, "{}: {line}", fixture.name);
            }
        }
    }
}

#[test]
fn filtering_what_is_filtered_loses_nothing() {
    let pipeline = FilterPipeline::builtin();
    for fixture in fixtures() {
        let again = pipeline.filter(&fixture.command, fixture.exit, fixture.expected.as_bytes()).text;
        for line in fixture.expected.lines().filter(|line| line.contains("error") || line.contains("FAILED")) {
            // The place may stand below the name of its file.
            let message =
                line.trim().split_once(' ').filter(|(place, _)| place.contains(':')).map(|(_, message)| message);
            let is_shown = again.contains(line.trim()) || message.is_some_and(|message| again.contains(message));
            assert!(is_shown, "{}: {line}", fixture.name);
        }
    }
}
