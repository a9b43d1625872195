//! `stack_trace`: counts library frames in stack traces, and the user's own frames that appeared
//! before in the same trace. Other own frames stay, each with its source. Knows traces of Python,
//! JavaScript, Java and other JVM languages, Ruby, Go, .NET, Rust, PHP and the sanitizers.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::FilterConfidence;

use super::{Facts, Reducer, Strategy, snippets::marks};
use crate::{
    emit::Emitter,
    signal::names_place,
    table::{FRAME, LIBRARY},
};

/// Parameters of `stack_trace`: none.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StackTrace {}

impl Strategy for StackTrace {
    fn start(&self, _: &Facts) -> Box<dyn Reducer> {
        Box::<StackTraces>::default()
    }
}

/// Maximum number of remembered frames.
const MAX_SEEN: usize = 1000;
/// Maximum number of library frames held back.
const MAX_BEHIND: usize = 400;
/// Maximum length in bytes of a line that names a function.
const MAX_LINE: usize = 1000;

#[derive(Default)]
pub(crate) struct StackTraces {
    /// Library frames that were not counted yet, with their source.
    held: Vec<String>,
    bytes: usize,
    /// The first line of a frame whose place is in the next line.
    function: Option<String>,
    /// Indentation of the previous frame; its source is indented further.
    depth: usize,
    /// What the next line may be.
    next: NextLine,
    /// Whether the previous frame names its function. Then marks under its source only show which
    /// part of the line ran.
    names_function: bool,
    /// The function of the previous own frame.
    caller: String,
    /// The source of the previous own frame and the library frames after it. It is shown if no
    /// other own frame follows, since the trace ends there.
    source: Option<String>,
    behind: Vec<String>,
    /// Places of own frames of this trace.
    seen: HashSet<String>,
    /// The test and the place named by the panic message above the trace; a frame repeats both.
    panicked: Option<(String, String)>,
    /// Whether this trace has an own frame. Until then the last library frame is held with its
    /// source; it is shown if all frames are from libraries.
    has_own: bool,
    innermost: Vec<String>,
    found: bool,
}

/// The kind of the next line if it is indented further.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum NextLine {
    #[default]
    Other,
    /// The source of an own frame.
    Own,
    /// The source of a counted frame.
    Counted,
}

/// A line without the bar that Python draws beside traces of an exception group.
fn without_bar(line: &str) -> &str {
    line.trim_start().strip_prefix("| ").unwrap_or(line)
}

fn indent(text: &str) -> usize {
    text.len() - text.trim_start_matches(' ').len()
}

/// A Python frame without the indentation that a tool added to the whole trace.
fn dedented(text: &str) -> &str {
    let indent = indent(text);
    if indent > PYTHON_INDENT && text[indent..].starts_with("File \"") { &text[indent - PYTHON_INDENT..] } else { text }
}

/// Indentation of a Python frame.
const PYTHON_INDENT: usize = 2;

/// Twice the length of the mark in bytes: a single shorter frame is shown.
const MARK: usize = 36;

/// Whether a line names a function whose place is in the next line, as in Go and Rust.
fn is_function(line: &str) -> bool {
    if line.len() > MAX_LINE {
        return false;
    }
    if let Some(name) = line.strip_prefix("  ").and_then(|name| name.strip_suffix("()"))
        && name.contains('.')
        && !name.contains([' ', ':', '='])
    {
        // The format of Go's race detector.
        return true;
    }
    if line.starts_with(' ') {
        let Some((number, name)) = line.trim_start().split_once(": ") else { return false };
        return !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) && !name.trim().is_empty();
    }
    let name = line.strip_prefix("created by ").unwrap_or(line);
    let is_call = name.len() < line.len() || line.ends_with(')');
    let head = name.split_once('(').map_or(name, |(head, _)| head);
    is_call && (head.contains('.') || head == "panic") && !head.contains([' ', ':', '='])
}

/// Whether a line is the place of the function in the previous line.
fn is_place_of(function: &str, line: &str) -> bool {
    if function.starts_with(' ') {
        let text = line.trim_start();
        let is_go = function.ends_with("()") && line.starts_with("      /") && line.contains(".go:");
        is_go || (line.len() - text.len() > 6 && text.starts_with("at "))
    } else {
        line.starts_with("\t/") && line.contains(".go:")
    }
}

/// The test and the place in `thread 'a::tests::b' (12) panicked at src/a.rs:1:2:`, each in the
/// form in which frames end.
fn panicked(line: &str) -> Option<(String, String)> {
    let (thread, place) = line.strip_prefix("thread '")?.split_once(" panicked at ")?;
    let (test, _) = thread.split_once('\'')?;
    Some((format!("::{test}"), format!("at ./{}", place.strip_suffix(':')?)))
}

/// The identity of a frame: its place without what differs from call to call.
fn key(line: &str) -> String {
    let text = line.trim();
    let text = text.rsplit_once("+0x").map_or(text, |(place, _)| place);
    // `#3 /app/a.php(2): f()`, `  7: demo::load`.
    let text = text.trim_start_matches('#').trim_start_matches(|c: char| c.is_ascii_digit());
    text.trim_start_matches(':').trim_start().to_owned()
}

impl StackTraces {
    fn count(&mut self, line: &str, out: &mut Emitter<'_>) {
        if self.source.is_some() {
            self.behind.push(line.to_owned());
            if self.behind.len() > MAX_BEHIND {
                self.show_source(out);
            }
            return;
        }
        self.bytes += line.len() + 1;
        self.held.push(line.to_owned());
        if self.bytes > MARK {
            self.found = true;
            self.held.drain(..).for_each(|line| out.omit(&line));
        }
    }

    /// Shows the held source of the previous own frame.
    fn show_source(&mut self, out: &mut Emitter<'_>) {
        if let Some(source) = self.source.take() {
            out.keep(&source);
        }
        for line in std::mem::take(&mut self.behind) {
            if marks(&line) {
                self.found = true;
                out.omit(&line);
            } else {
                self.count(&line, out);
            }
        }
    }

    /// Counts the source of the previous own frame: another own frame follows, closer to the error.
    fn count_source(&mut self, out: &mut Emitter<'_>) {
        let source = self.source.take();
        for line in source.into_iter().chain(std::mem::take(&mut self.behind)) {
            self.count(&line, out);
        }
    }

    /// Counts the library frame that another one follows.
    fn count_innermost(&mut self, out: &mut Emitter<'_>) {
        for line in std::mem::take(&mut self.innermost) {
            self.count(&line, out);
        }
    }

    /// Shows the last library frame of a trace without own frames, but not its source.
    fn show_innermost(&mut self, out: &mut Emitter<'_>) {
        let mut lines = std::mem::take(&mut self.innermost).into_iter();
        if let Some(frame) = lines.next() {
            self.close(out);
            out.keep(&frame);
        }
        lines.for_each(|line| self.count(&line, out));
    }

    /// Shows the held lines, which are not longer than a mark.
    fn close(&mut self, out: &mut Emitter<'_>) {
        self.bytes = 0;
        self.held.drain(..).for_each(|line| out.keep(&line));
    }

    /// Processes a frame: the line of its place, and the line of its function if that is separate.
    fn frame(&mut self, function: Option<&str>, line: &str, out: &mut Emitter<'_>) {
        self.depth = indent(without_bar(line));
        let text = dedented(without_bar(line));
        let has_source = text.starts_with("  File ");
        // A syntax error has no function, and only its marks show the column.
        self.names_function = text.contains(", in ");
        let of_library = LIBRARY.is_match(text) || function.is_some_and(|function| LIBRARY.is_match(function));
        // A closure that calls the function comes from the test harness.
        let name = function.map(key).unwrap_or_default();
        let is_wrapper = name.strip_suffix("::{{closure}}").is_some_and(|called| called == self.caller);
        self.caller = name;
        let is_told = self.panicked.as_ref().is_some_and(|(test, place)| {
            function.is_some_and(|function| function.ends_with(test)) && line.ends_with(place)
        });
        let is_known = !of_library && (is_wrapper || !self.seen.insert(key(line)) || is_told);
        if self.seen.len() > MAX_SEEN {
            self.seen.clear();
        }
        if of_library || is_known {
            self.next = if has_source { NextLine::Counted } else { NextLine::Other };
            if let Some(function) = function {
                self.count(function, out);
            }
            self.count_innermost(out);
            if has_source && !self.has_own {
                return self.innermost.push(line.to_owned());
            }
            return self.count(line, out);
        }
        self.count_innermost(out);
        self.has_own = true;
        self.count_source(out);
        self.close(out);
        self.next = if has_source { NextLine::Own } else { NextLine::Other };
        if let Some(function) = function {
            out.keep(function);
        }
        out.keep(line);
    }

    fn other(&mut self, line: &str, out: &mut Emitter<'_>) {
        let text = without_bar(line);
        let is_frame = FRAME.is_match(dedented(text));
        let is_source = indent(text) >= self.depth + PYTHON_INDENT;
        let goes_on = self.next != NextLine::Other && is_source && !is_frame && !names_place(line);
        if goes_on {
            return match self.next {
                NextLine::Counted if !self.innermost.is_empty() => self.innermost.push(line.to_owned()),
                NextLine::Counted => self.count(line, out),
                _ if self.names_function && marks(text) => {
                    if self.source.is_some() {
                        self.behind.push(line.to_owned());
                    } else {
                        self.found = true;
                        out.omit(line);
                    }
                }
                _ if self.names_function && self.source.is_none() && self.behind.is_empty() => {
                    self.source = Some(line.to_owned());
                }
                _ => {
                    self.show_source(out);
                    out.keep(line);
                }
            };
        }
        self.next = NextLine::Other;
        if is_frame {
            return self.frame(None, line, out);
        }
        self.show_innermost(out);
        self.show_source(out);
        self.close(out);
        self.has_own = false;
        if let Some(panicked) = panicked(line) {
            self.panicked = Some(panicked);
        }
        if !line.starts_with("goroutine ") && !line.trim().is_empty() {
            self.seen.clear();
        }
        out.keep(line);
    }
}

impl Reducer for StackTraces {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if let Some(function) = self.function.take() {
            if is_place_of(&function, line) {
                self.next = NextLine::Other;
                return self.frame(Some(&function), line, out);
            }
            self.other(&function, out);
        }
        if is_function(line) && self.next == NextLine::Other {
            self.function = Some(line.to_owned());
            return;
        }
        self.other(line, out);
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        if let Some(function) = self.function.take() {
            self.other(&function, out);
        }
        self.show_innermost(out);
        self.show_source(out);
        self.close(out);
        self.found.then_some(FilterConfidence::Full)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Exit, FilterPipeline};

    fn check(command: &str, text: &str, expected: &str) {
        let filtered = FilterPipeline::builtin().filter(command, Exit::Code(1), text.as_bytes()).text;
        assert_eq!(filtered, expected, "{command}");
    }

    #[test]
    fn a_frame_that_calls_itself_is_counted() {
        check(
            "./a",
            "goroutine 1 [running]:\nmain.(*T).walk(0xc000086d28?)\n\t/app/main.go:6 +0x1\nmain.(*T).walk(0x40c288?)\n\t/app/main.go:6 +0x32\n\
             sort.Slice({0x4a0b60, 0xc000094078}, 0x3?)\n\t/usr/lib/go-1.19/src/sort/slice.go:23 +0x97\nmain.main()\n\t/app/main.go:11 +0xe5\n",
            "goroutine 1 [running]:\nmain.(*T).walk(0xc000086d28?)\n\t/app/main.go:6 +0x1\n[… 4 lines]\nmain.main()\n\t/app/main.go:11 +0xe5\n",
        );
        check(
            "./a",
            "stack backtrace:\n   3: demo::load\n             at ./src/main.rs:1:94\n   4: demo::load\n             at ./src/main.rs:1:112\n   \
             5: demo::load\n             at ./src/main.rs:1:112\n   6: demo::load\n             at ./src/main.rs:1:112\n",
            "stack backtrace:\n   3: demo::load\n             at ./src/main.rs:1:94\n   4: demo::load\n             at ./src/main.rs:1:112\n[… 4 lines]\n",
        );
    }

    #[test]
    fn what_is_around_a_test_is_counted() {
        check(
            "./a",
            "stack backtrace:\n   2: demo::tests::boom\n             at ./src/lib.rs:10:25\n   3: demo::tests::boom::{{closure}}\n             \
             at ./src/lib.rs:10:22\n   4: demo::main\n             at ./src/main.rs:2:1\n",
            "stack backtrace:\n   2: demo::tests::boom\n             at ./src/lib.rs:10:25\n[… 2 lines]\n   4: demo::main\n             at ./src/main.rs:2:1\n",
        );
    }

    #[test]
    fn the_frame_that_the_message_named_is_counted() {
        let trace = |test: &str| {
            format!(
                "thread '{test}' (7) panicked at src/lib.rs:10:25:\nno level\nstack backtrace:\n   2: demo::tests::boom\n             \
                 at ./src/lib.rs:10:25\n   3: demo::load\n             at ./src/main.rs:2:1\n"
            )
        };
        check(
            "./a",
            &trace("tests::boom"),
            &trace("tests::boom").replace("   2: demo::tests::boom\n             at ./src/lib.rs:10:25", "[… 2 lines]"),
        );
        check("./a", &trace("main"), &trace("main"));
    }

    #[test]
    fn marks_under_the_source_of_a_call_are_counted() {
        check(
            "python a.py",
            "Traceback (most recent call last):\n  File \"/app/a.py\", line 9, in boot\n    return parse(read(path))\n           ^^^^^^^^^^^^^^^^^\n\
             ValueError: no number\n",
            "Traceback (most recent call last):\n  File \"/app/a.py\", line 9, in boot\n    return parse(read(path))\n[… 1 line]\nValueError: no number\n",
        );
        let text = "  File \"/app/a.py\", line 9\n    return parse(read path)\n                      ^^^^\nSyntaxError: no comma\n";
        check("python a.py", text, text);
    }

    #[test]
    fn a_trace_further_in_is_told_by_its_frames() {
        check(
            "./a",
            "  cause: the build failed\n         Traceback (most recent call last):\n           File \"/v/lib/python3.11/site-packages/b/m.py\", line 3, in hook\n             \
             run(setup)\n             ^^^^^^^^^^\n           File \"/app/setup.py\", line 9, in <module>\n             import gone\n         \
             ImportError: no gone here\n",
            "  cause: the build failed\n         Traceback (most recent call last):\n[… 3 lines]\n           File \"/app/setup.py\", line 9, in <module>\n             \
             import gone\n         ImportError: no gone here\n",
        );
    }

    #[test]
    fn frames_of_detectors_of_races_are_told_apart() {
        check(
            "./a",
            "  Read of size 4 by thread T2:\n    #0 count() /app/race.cpp:6 (a+0x12c2)\n    \
             #1 __invoke_impl<void> /usr/include/c++/12/bits/invoke.h:61 (a+0x1cfe)\n    #2 <null> <null> (libstdc++.so.6+0xd44a2)\n    \
             #3 main /app/race.cpp:9 (a+0x133b)\n",
            "  Read of size 4 by thread T2:\n    #0 count() /app/race.cpp:6 (a+0x12c2)\n[… 2 lines]\n    #3 main /app/race.cpp:9 (a+0x133b)\n",
        );
        check(
            "./a",
            "Goroutine 8 (running) created at:\n  a/queue.TestPush()\n      /app/queue_test.go:13 +0x87\n  testing.tRunner()\n      \
             /usr/lib/go-1.19/src/testing/testing.go:1446 +0x216\n  testing.(*T).Run.func1()\n      \
             /usr/lib/go-1.19/src/testing/testing.go:1493 +0x47\n",
            "Goroutine 8 (running) created at:\n  a/queue.TestPush()\n      /app/queue_test.go:13 +0x87\n[… 4 lines]\n",
        );
    }

    #[test]
    fn what_only_looks_like_a_function_stands() {
        let text = "   1: use x\n   2: test(\"adds\")\n   3: core.run(1)\n   4: main(2)\n  x failed\n";
        check("ava", text, text);
    }
}
