//! Searching text for credentials, against taking the same bytes apart into lines, round by round
//! in one run: logs, text full of keywords, documents of 64 KiB, and inputs made to be slow.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use haft::secrets::{SecretRedactor, SecretStream, scan};
use tools_bench::{Times, ratio};

const ROUNDS: usize = 15;
const DOCUMENT: usize = 64 << 10;
const MIB: usize = 1 << 20;

/// What cargo prints.
fn build_log(lines: usize) -> String {
    let mut text = String::new();
    for number in 0..lines {
        let _ = match number % 9 {
            0 => writeln!(
                text,
                "warning: unused variable: `key_{number}`\n  --> src/module_{}.rs:{number}:13",
                number % 70
            ),
            1 => writeln!(
                text,
                "   |\n{number} |     let token = self.tokens.next();\n   |         ^^^^^ help: prefix it"
            ),
            _ => writeln!(
                text,
                "   Compiling crate-number-{} v1.{}.{} (/home/me/.cargo/registry)",
                number % 300,
                number % 17,
                number % 5
            ),
        };
    }
    text
}

/// What `git log -p` prints.
fn git_log(commits: usize) -> String {
    let mut text = String::new();
    for number in 0..commits {
        let hash = format!("{:040x}", (number as u128).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c834));
        let _ = writeln!(
            text,
            "commit {hash}\nAuthor: A <a@example.org>\nDate:   Sun Nov 22 10:00:00 2026 +0000\n\n    change {number}\n"
        );
        let _ = writeln!(
            text,
            "diff --git a/src/a.rs b/src/a.rs\nindex {}..{} 100644\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,6 +1,7 @@",
            &hash[..7],
            &hash[7..14]
        );
        for line in 0..12 {
            let _ = writeln!(
                text,
                "+    let value_{line} = compute(&input[{line}..], options.depth).unwrap_or_default();\n     // what it was before, and why: {line}"
            );
        }
    }
    text
}

/// Text in which every line has names of credentials, and none a value.
fn dense(lines: usize) -> String {
    let mut text = String::new();
    for number in 0..lines {
        let _ = match number % 4 {
            0 => writeln!(text, "INFO worker{{id={}}}: request token=ok key={number} auth done", number % 9),
            1 => writeln!(text, "GET https://api.example.com/v1/items?page={number}&key=abc"),
            2 => writeln!(
                text,
                "{{\"name\":\"pkg{number}\",\"integrity\":\"sha512-{}\",\"key\":\"k{number}\"}}",
                "A".repeat(40)
            ),
            _ => writeln!(text, "password: ${{DB_PASSWORD}} # secret from the vault, token {number}"),
        };
    }
    text
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    black_box(work());
    start.elapsed()
}

fn lines(text: &str) -> usize {
    text.lines().map(str::len).max().unwrap_or_default()
}

fn streamed(text: &str) -> usize {
    let mut found = 0;
    let mut stream = SecretStream::new(SecretRedactor::default());
    for chunk in text.as_bytes().chunks(DOCUMENT) {
        stream.push(chunk, &mut |_| found += 1);
    }
    stream.finish(&mut |_| found += 1);
    found
}

#[expect(clippy::cast_precision_loss, reason = "megabytes of a text are few")]
fn speed(bytes: usize, time: Duration) -> f64 {
    bytes as f64 / time.as_secs_f64() / 1e6
}

fn compare(name: &str, text: &str) {
    let (mut scanned, mut stream, mut split) = (Times::default(), Times::default(), Times::default());
    for _ in 0..ROUNDS {
        split.push(timed(|| lines(text)));
        scanned.push(timed(|| scan(text).len()));
        stream.push(timed(|| streamed(text)));
    }
    // The quickest round: what other programs take away is no property of the text.
    let (split, scanned, stream) = (split.quantile(0.0), scanned.quantile(0.0), stream.quantile(0.0));
    println!(
        "{name:<22} {:>6.1} MB  scan {:>5.0} MB/s ({:.1} x lines)  stream {:>5.0} MB/s",
        speed(text.len(), Duration::from_secs(1)),
        speed(text.len(), scanned),
        ratio(scanned, split),
        speed(text.len(), stream),
    );
}

fn documents(name: &str, text: &str) {
    let mut times = Times::default();
    for _ in 0..ROUNDS {
        let mut rest = text;
        while rest.len() >= DOCUMENT {
            let (document, after) = rest.split_at(rest.floor_char_boundary(DOCUMENT));
            times.push(timed(|| scan(document).len()));
            rest = after;
        }
    }
    println!("{name:<22} 64 KiB  p50 {:?}  p99 {:?}", times.median(), times.quantile(0.99));
}

fn main() {
    let first = timed(|| scan("token=x").len());
    println!("first text of a process: {first:?}");
    let (build, git, dense) = (build_log(160_000), git_log(8_000), dense(160_000));
    for (name, text) in [("build log", &build), ("git log -p", &git), ("keywords everywhere", &dense)] {
        compare(name, text);
        documents(name, text);
    }
    let big = build.repeat(57 * MIB / build.len() + 1);
    println!("57 MB build log, streamed: {:?}", (0..3).map(|_| timed(|| streamed(&big))).min());
    let key = "-----BEGIN PRIVATE KEY-----";
    let slow = [
        "password=",
        "-----BEGIN",
        key,
        "://",
        "a://b:c@",
        "eyJ.",
        "key",
        "sk-",
        "AKIA",
        "token_",
        "a.token",
        "authorization: ",
        "cookie:",
        "curl -u a:b ",
        "mysql -p",
        "$6$",
        "password \"",
        ":*:",
        "Q~",
        "bearer ",
        "key: name: token\n",
        "Private-Lines: 9\n",
        "key,",
        "| key ",
        "user,password\n",
        "data:\n a: b\n",
        "key=",
        "auth=",
        "key%3d",
        "key&quot;:&quot;a ",
        "https://a:b/",
    ];
    for piece in slow {
        let text = piece.repeat(MIB / piece.len());
        let time = (0..3).map(|_| timed(|| scan(&text).len())).min().unwrap_or_default();
        println!("1 MiB of {piece:?}: {time:?}");
    }
}
