//! cargo's test runner: the output of a failed test, its panic and backtrace, the list of failures.

use super::run::{Machine, Part};
use crate::{
    emit::Emitter,
    strategy::clip::Clip,
    table::{NOISE, PANIC},
};

impl Machine {
    /// Processes the first line after the header of a failed test, which may name the test again.
    pub(super) fn after_header(&mut self, line: &str, out: &mut Emitter<'_>) {
        let Part::Header(header, clip) = &mut self.part else { return };
        if line.is_empty() {
            return out.fold(line);
        }
        let name = captured(header).map(|test| format!("thread '{test}'"));
        if name.is_some_and(|name| line.starts_with(&name)) {
            out.fold(header);
        } else {
            out.keep(header);
        }
        let clip = std::mem::replace(clip, Clip::new(0, 0));
        self.part = Part::Captured(clip);
        self.captured_line(line, out);
    }

    /// Processes the output of a failed test, up to its panic.
    pub(super) fn captured_line(&mut self, line: &str, out: &mut Emitter<'_>) {
        let Part::Captured(clip) = &mut self.part else { return };
        if PANIC.is_match(line) {
            clip.finish(out);
            self.part = Part::Message;
            out.keep(line);
        } else if line.is_empty() {
            out.fold(line);
        } else {
            clip.line(line, out);
        }
    }

    /// Processes the message of a panic.
    pub(super) fn message_line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if line == "stack backtrace:" {
            self.part = Part::Trace(0);
            out.keep(line);
        } else if line.is_empty() {
            out.fold(line);
        } else {
            self.run_line(line, out);
        }
    }

    /// Processes a backtrace frame, after `shown` frames were shown.
    pub(super) fn trace_line(&mut self, line: &str, shown: usize, out: &mut Emitter<'_>) {
        if !line.starts_with(' ') {
            self.part = Part::Message;
            self.run_line(line, out);
        } else if NOISE.is_match(line) {
            // A standard library frame; its name may look like a failure.
            out.omit(line);
        } else if shown >= self.limits.truncate_stack_trace {
            out.cut(line);
        } else {
            self.part = Part::Trace(shown + 1);
            out.keep(line);
        }
    }

    /// Processes a line of the list of failures at the end.
    pub(super) fn name_line(&mut self, line: &str, out: &mut Emitter<'_>) {
        match line.strip_prefix("    ") {
            Some(name) if !self.named.insert(name.trim().to_owned()) => out.fold(line),
            None if line.is_empty() => out.fold(line),
            Some(_) => out.keep(line),
            None => {
                self.part = Part::Run;
                self.run_line(line, out);
            }
        }
    }
}

/// The test of `---- NAME stdout ----`.
pub(super) fn captured(line: &str) -> Option<&str> {
    let test = line.strip_prefix("---- ")?.strip_suffix(" stdout ----")?.split([' ', '\t']).next()?;
    (!test.is_empty()).then_some(test)
}

/// The name of a failed test: `test NAME ... FAILED`, or `NAME --- FAILED` of a quiet run.
pub(super) fn failed(line: &str) -> Option<&str> {
    let text = line.strip_suffix(" FAILED")?;
    if let Some(name) = text.strip_suffix(" ---") {
        return (!name.contains(' ')).then_some(name);
    }
    let name = text.strip_prefix("test ")?.strip_suffix(" ...")?;
    // The name of a doctest includes its line: `src/lib.rs - halve (line 17)`.
    let is_doctest = name.contains(" - ") && name.ends_with(')') && name.contains(" (line ");
    if is_doctest { Some(name) } else { name.split(" - ").next().filter(|name| !name.contains(' ')) }
}

/// The name of a test whose own output follows in the same line: `test NAME ... its output`.
pub(super) fn open(line: &str) -> Option<&str> {
    let (name, _) = line.strip_prefix("test ")?.split_once(" ...")?;
    name.split(" - ").next().filter(|name| !name.contains(' '))
}

#[cfg(test)]
mod tests {
    use super::failed;

    #[test]
    fn failed_tests_are_named() {
        for (line, expected) in [
            ("test a::b ... FAILED", Some("a::b")),
            ("test a::b - should panic ... FAILED", Some("a::b")),
            ("test src/lib.rs - halve (line 17) ... FAILED", Some("src/lib.rs - halve (line 17)")),
            ("test of many words ... FAILED", None),
            ("a::b --- FAILED", Some("a::b")),
        ] {
            assert_eq!(failed(line), expected, "{line}");
        }
    }
}
