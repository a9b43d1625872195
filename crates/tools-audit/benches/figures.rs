//! What the record holds and costs: lines per second, several processes on one log, a million lines
//! with every change found, processes that are killed, disks that are full. Starts itself for what
//! needs other processes.

#![expect(clippy::disallowed_methods, reason = "several processes are what is measured")]
#![expect(clippy::unwrap_used, reason = "a measurement that cannot go on ends")]

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tools_audit::{AuditSink as _, Fsync, Head, JsonlSink, unseal, verify, verify_after, verify_lines};

const SECOND: Duration = Duration::from_secs(1);

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).filter(|word| !word.starts_with("--")).collect();
    match words[1..] {
        ["append", path, count, size] => append(Path::new(path), count.parse().unwrap(), size.parse().unwrap()),
        ["fill", path] => fill(Path::new(path)),
        _ => all(),
    }
}

fn all() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    rates(folder);
    processes(folder);
    killed(folder);
    full(folder);
    million(folder);
}

/// A line as a call of `bash` leaves it, about `size` bytes with the chain.
fn body(number: u64, size: usize) -> String {
    let mut body = format!(
        r#""ts":"2026-11-22T03:00:00.000Z","session":"s{}","call_id":"c{number}","tool":"bash","call":{{"command":"cargo test {number}"}},"result":""#,
        number % 7
    );
    while body.len() + 190 < size {
        let _ = write!(body, "running {number} tests ");
    }
    body.push('"');
    body
}

fn rates(folder: &Path) {
    for (name, fsync, lines) in
        [("never", Fsync::Never, 100_000), ("interval", Fsync::Interval, 100_000), ("always", Fsync::Always, 1000)]
    {
        let sink = JsonlSink::open(folder.join(name)).unwrap().syncing(fsync, SECOND);
        let since = Instant::now();
        for number in 0..lines {
            sink.append(&body(number, 1000)).unwrap();
        }
        println!("fsync {name}: {:.0} lines/s of 1,000 bytes", per_second(lines, since));
    }
}

fn per_second(lines: u64, since: Instant) -> f64 {
    f64::from(u32::try_from(lines).unwrap()) / since.elapsed().as_secs_f64()
}

/// This program again.
fn again(words: &[&str]) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(words).stdout(Stdio::piped());
    command
}

/// Appends lines and says the number of each once it is on record.
fn append(path: &Path, count: u64, size: usize) {
    let sink = JsonlSink::open(path).unwrap().rotating_at(64 << 20).syncing(Fsync::Interval, SECOND);
    let mut out = std::io::stdout().lock();
    for number in 0..count {
        let head = sink.append(&body(number, size)).unwrap();
        if writeln!(out, "{head}").and_then(|()| out.flush()).is_err() {
            return;
        }
    }
}

fn heads(child: &mut Child) -> Vec<Head> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    // The last one may be cut off.
    lines.map_while(Result::ok).filter_map(|line| line.parse().ok()).collect()
}

fn processes(folder: &Path) {
    let path = folder.join("shared.jsonl");
    let since = Instant::now();
    let text = path.to_str().unwrap();
    let mut children: Vec<Child> = (0..8).map(|_| again(&["append", text, "5000", "1000"]).spawn().unwrap()).collect();
    let acknowledged: usize = std::thread::scope(|scope| {
        let readers: Vec<_> = children.iter_mut().map(|child| scope.spawn(|| heads(child).len())).collect();
        readers.into_iter().map(|reader| reader.join().unwrap()).sum()
    });
    let failed = children.iter_mut().filter_map(|child| child.wait().ok()).filter(|status| !status.success()).count();
    let report = verify(&path).unwrap();
    println!(
        "8 processes on one log: {acknowledged} acknowledged, {} on record, {failed} processes failed, chain intact: {}, {:.0} lines/s in all",
        report.lines,
        report.is_intact(),
        per_second(report.lines, since)
    );
}

fn killed(folder: &Path) {
    let path = folder.join("killed.jsonl");
    let mut noted: Vec<Head> = Vec::new();
    for round in 0..100_u64 {
        let mut child = again(&["append", path.to_str().unwrap(), "1000000", "1000"]).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(5 + round * 7919 % 40));
        child.kill().unwrap();
        noted.extend(heads(&mut child));
        child.wait().unwrap();
    }
    let text = fs::read(&path).unwrap();
    let on_record: std::collections::HashMap<u64, String> =
        text.split(|byte| *byte == b'\n').filter_map(unseal).map(|line| (line.seq, line.hash.to_owned())).collect();
    let lost = noted.iter().filter(|head| on_record.get(&head.seq) != Some(&head.hash)).count();
    let report = verify(&path).unwrap();
    println!(
        "killed 100 times: {} lines acknowledged, {} on record, {lost} lost, chain intact: {}, {} cut-off writes told of",
        noted.len(),
        report.lines,
        report.is_intact(),
        report.damaged.len()
    );
}

/// Appends until it fails, then says what is there.
fn fill(path: &Path) {
    let sink = JsonlSink::open(path).unwrap();
    let mut acknowledged = 0;
    let error = loop {
        if let Err(error) = sink.prepare().and_then(|()| sink.append(&body(acknowledged, 1000)).map(drop)) {
            break error;
        }
        acknowledged += 1;
    };
    // And without looking for room first: the write itself fails.
    while sink.append(&body(acknowledged, 1000)).is_ok() {
        acknowledged += 1;
    }
    let report = verify(path).unwrap();
    let whole = fs::read(path).unwrap().ends_with(b"\n");
    println!(
        "{acknowledged} acknowledged, {} on record, chain intact: {}, ends with a whole line: {whole}; {error}",
        report.lines,
        report.is_intact()
    );
}

fn full(folder: &Path) {
    let program = std::env::current_exe().unwrap();
    let (program, folder) = (program.display(), folder.display());
    let ways = [
        ("limit of file size", format!("trap '' XFSZ; ulimit -f 777; exec {program} fill {folder}/limited.jsonl")),
        (
            "full file system",
            format!(
                "mkdir {folder}/small && mount -t tmpfs -o size=1m none {folder}/small && exec {program} fill {folder}/small/audit.jsonl"
            ),
        ),
    ];
    for (name, script) in ways {
        let output = Command::new("unshare").args(["-m", "bash", "-c", &script]).output().unwrap();
        println!(
            "{name}: {}{}",
            String::from_utf8_lossy(&output.stdout).trim(),
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

fn million(folder: &Path) {
    const LINES: u64 = 1_000_000;
    let path = folder.join("million.jsonl");
    let sink = JsonlSink::open(&path).unwrap();
    for number in 0..LINES {
        sink.append(&body(number, 400)).unwrap();
    }
    let since = Instant::now();
    let report = verify(&path).unwrap();
    assert!(report.is_intact() && report.lines == LINES);
    println!("1,000,000 lines: checked in {:.2} s", since.elapsed().as_secs_f64());
    let text = fs::read(&path).unwrap();
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let (mut edits, mut missed) = (0_u64, 0_u64);
    // Spread over the log; the last has nothing to be swapped with, and a deleted end is the head's
    // to find.
    for at in (0..1000).map(|sample| 1 + sample * 998 % 999_990) {
        let head = unseal(lines[at - 1].trim_ascii_end()).unwrap().head();
        let window = |changed: &[u8], from: usize| -> Option<u64> {
            let rest = lines[from..at + 5].concat();
            verify_after(head.clone(), [changed, &rest].concat().as_slice()).unwrap().broken.map(|broken| broken.line)
        };
        let mut check = |found: Option<u64>| {
            edits += 1;
            missed += u64::from(found != Some(1));
        };
        let mut line = lines[at].to_vec();
        for byte in 0..line.len() {
            for other in [line[byte] ^ 1, b'\n', b' '] {
                let kept = std::mem::replace(&mut line[byte], other);
                if kept != other {
                    check(window(&line, at + 1));
                }
                line[byte] = kept;
            }
        }
        check(window(b"", at + 1));
        check(window(&[lines[at + 1], lines[at]].concat(), at + 2));
    }
    println!(
        "changes to 1,000 of its lines (each byte thrice, removed, swapped): {edits}, not found at its line: {missed}"
    );
    let mut whole = 0;
    for at in [0, 123_456, 500_000, 999_998] {
        let removed: Vec<u8> =
            lines.iter().enumerate().filter(|(line, _)| *line != at).flat_map(|(_, line)| *line).copied().collect();
        let mut edited = text.clone();
        let middle = lines[..at].iter().map(|line| line.len()).sum::<usize>() + lines[at].len() / 2;
        edited[middle] ^= 1;
        for changed in [removed, edited] {
            let found = verify_lines(changed.as_slice()).unwrap().broken.map(|broken| broken.line);
            whole += usize::from(found == Some(at as u64 + 1));
        }
    }
    println!("of 8 such changes, the whole log read from its first line: {whole} found at their line");
}
