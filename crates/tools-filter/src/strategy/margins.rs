//! Shows a repeated margin only before the first line: a word (`INTERNALERROR> …`), the timestamp
//! of a job runner, or the commit of `git blame`. The stages after this one then see the text
//! itself.

use memchr::memchr_iter;
use tools_core::FilterConfidence;

use super::Reducer;
use crate::emit::Emitter;

/// Minimum length in bytes of a word; a shorter one may be a prompt.
const MIN_WORD: usize = 5;
/// Minimum number of digits of a commit.
const MIN_COMMIT: usize = 7;
/// Maximum length in bytes of the names of a job and its step.
const MAX_NAMES: usize = 160;

#[derive(Default)]
pub(crate) struct Margins {
    /// The margin of the previous line.
    margin: String,
    found: bool,
}

/// The part of a margin that is the same in each line, and the length of the margin.
fn margin(line: &str) -> Option<(&str, usize)> {
    let word = line.bytes().take_while(|byte| byte.is_ascii_uppercase() || *byte == b'_').count();
    if word >= MIN_WORD && line[word..].starts_with('>') {
        return Some((&line[..word], word + 1));
    }
    timed(line).or_else(|| blame_prefix(line))
}

/// The commit, author and time before a line of `git blame`, up to the line number.
pub(super) fn blame_prefix(line: &str) -> Option<(&str, usize)> {
    let commit = line.trim_start_matches('^').bytes().take_while(u8::is_ascii_hexdigit).count();
    if commit < MIN_COMMIT {
        return None;
    }
    let open = line.find(" (")?;
    let close = open + line[open..].find(')')?;
    let before = line[..close].trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches(' ');
    let zone = before.as_bytes().last_chunk::<6>()?;
    let is_zone = matches!(zone, [b' ', b'+' | b'-', digits @ ..] if digits.iter().all(u8::is_ascii_digit));
    is_zone.then_some((before, before.len()))
}

/// A margin with a time in the form of job runners: `job\tstep\t2026-11-20T09:00:00.0370003Z `,
/// `2026-11-20T09:00:00.037000Z 01O `, `[2026-11-20T09:00:00.037Z] `. A program's own log has fewer
/// digits in its time, or a level after it.
fn timed(line: &str) -> Option<(&str, usize)> {
    let names = memchr_iter(b'\t', &line.as_bytes()[..line.len().min(MAX_NAMES)]).nth(1).map_or(0, |at| at + 1);
    let start = names + usize::from(line.starts_with('['));
    let stamp = line.as_bytes().get(start..)?;
    let is_time = |(at, byte): (usize, &u8)| match at {
        4 | 7 => *byte == b'-',
        10 => *byte == b'T',
        13 | 16 => *byte == b':',
        19 => *byte == b'.',
        _ => byte.is_ascii_digit(),
    };
    if stamp.len() < 22 || !stamp[..20].iter().enumerate().all(is_time) {
        return None;
    }
    let digits = stamp[20..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let end = start + 20 + digits + 1;
    let rest = line.get(end..).filter(|_| line.as_bytes()[end - 1] == b'Z')?;
    // Without job names the program may have written the time itself, so it is shown once a minute.
    let minute = &line[..start + 16];
    match digits {
        _ if line.starts_with('[') => {
            let rest = rest.strip_prefix(']')?;
            let first = rest.trim_start().trim_start_matches('[').split([' ', ':', ']']).next()?;
            (!LEVELS.contains(&first) && !rest.starts_with(" \"")).then_some((minute, end + 1))
        }
        7 => Some((if names == 0 { minute } else { &line[..start] }, end)),
        6 if names == 0 => {
            let stream = rest.get(..4).filter(|stream| matches!(stream.as_bytes(), [b' ', b'0', _, b'O' | b'E']))?;
            Some((stream, end + 4 + usize::from(rest[4..].starts_with('+'))))
        }
        _ => None,
    }
}

/// Words at the beginning of a log line.
const LEVELS: &[&str] =
    &["TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "WARNING", "ERROR", "FATAL", "debug", "info", "warn", "error"];

impl Reducer for Margins {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        let Some((same, width)) = margin(line) else {
            self.margin.clear();
            return out.keep(line);
        };
        if self.margin.is_empty() || self.margin[1..] != *same {
            self.margin = format!(">{same}");
            return out.keep(line);
        }
        self.found = true;
        out.fold(line);
        let text = line[width..].strip_prefix(' ').unwrap_or(&line[width..]);
        if text.trim().is_empty() { out.keep("") } else { out.write(text) }
    }

    fn finish(&mut self, _: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.found.then_some(FilterConfidence::Full)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Exit, FilterPipeline};

    #[test]
    fn a_margin_stands_once() {
        let text = "INTERNALERROR> Traceback (most recent call last):\nINTERNALERROR>   File \"/srv/a.py\", line 3, in f\n\
                    INTERNALERROR> \nINTERNALERROR> KeyError: 'x'\nSQL> a\nSQL> b\n";
        assert_eq!(
            FilterPipeline::builtin().filter("./run", Exit::Code(3), text.as_bytes()).text,
            "INTERNALERROR> Traceback (most recent call last):\n  File \"/srv/a.py\", line 3, in f\n\nKeyError: 'x'\nSQL> a\nSQL> b\n"
        );
    }

    #[test]
    fn the_time_of_a_runner_stands_at_the_beginning_of_each_step() {
        let table = [
            (
                "t\tBuild\t2026-11-20T09:00:00.0370003Z make app\nt\tBuild\t2026-11-20T09:00:00.0370004Z a.c:3:1: error: bad\n\
                 t\tTest\t2026-11-20T09:00:01.0370003Z none\n",
                "t\tBuild\t2026-11-20T09:00:00.0370003Z make app\na.c:3:1: error: bad\nt\tTest\t2026-11-20T09:00:01.0370003Z none\n",
            ),
            (
                "2026-11-20T09:00:00.037000Z 01O one\n2026-11-20T09:00:00.038000Z 01O two\n2026-11-20T09:00:00.039000Z 01E three\n",
                "2026-11-20T09:00:00.037000Z 01O one\ntwo\n2026-11-20T09:00:00.039000Z 01E three\n",
            ),
            (
                "[2026-11-20T09:00:00.037Z] one\n[2026-11-20T09:00:00.039Z] two\n",
                "[2026-11-20T09:00:00.037Z] one\ntwo\n",
            ),
            (
                "a5b003e7 (Ana Diaz 2026-10-03 10:01:00 +0000  9) def f(a):\na5b003e7 (Ana Diaz 2026-10-03 10:01:00 +0000 10)     return a\n\
                 ^1b2c3d4 (Bo Li    2026-10-01 09:00:00 +0000 11)\n",
                "a5b003e7 (Ana Diaz 2026-10-03 10:01:00 +0000  9) def f(a):\n10)     return a\n\
                 ^1b2c3d4 (Bo Li    2026-10-01 09:00:00 +0000 11)\n",
            ),
            (
                "[2026-11-20T09:00:00.037Z] up\n[2026-11-20T09:00:09.039Z] one\n[2026-11-20T10:31:00.037Z] two\n",
                "[2026-11-20T09:00:00.037Z] up\none\n[2026-11-20T10:31:00.037Z] two\n",
            ),
            // What a program logged itself.
            (
                "[2026-11-20T09:00:00.037Z] INFO: up\n[2026-11-20T09:00:00.039Z] ERROR: down\n",
                "[2026-11-20T09:00:00.037Z] INFO: up\n[2026-11-20T09:00:00.039Z] ERROR: down\n",
            ),
            (
                "2026-11-20T09:00:00.037Z order 7 taken\n2026-11-20T09:00:00.039Z cart refused\n",
                "2026-11-20T09:00:00.037Z order 7 taken\n2026-11-20T09:00:00.039Z cart refused\n",
            ),
        ];
        for (text, expected) in table {
            assert_eq!(FilterPipeline::builtin().filter("./ci", Exit::Code(1), text.as_bytes()).text, expected);
        }
    }
}
