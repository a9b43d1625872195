//! `stack_trace`: of stack traces the frames of libraries are counted and one's own stay, each with its source once.
//! Knows traces of Python, JavaScript, Java and its kin, Ruby, Go, .NET and Rust.

use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::FilterConfidence;

use super::{Facts, Reducer, Strategy};
use crate::{
    emit::Emitter,
    signal::names_place,
    table::{CARET, FRAME, LIBRARY},
};

/// Parameters of `stack_trace`: none.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StackTrace {}

impl Strategy for StackTrace {
    fn start(&self, _: &Facts) -> Box<dyn Reducer> {
        Box::<Machine>::default()
    }
}

#[derive(Default)]
struct Machine {
    /// Frames of libraries that were not counted out yet, with the source under them.
    held: Vec<String>,
    frames: u64,
    /// Whether the line before was a frame of Python, whose source stands in the next.
    source: Source,
    /// The own frame before, and how often it came again.
    last: String,
    again: u64,
    found: bool,
}

/// To whom the next indented line belongs.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Source {
    #[default]
    None,
    Own,
    Library,
}

/// More of a trace is not held.
const MAX_HELD: u64 = 1000;

impl Machine {
    fn library(&mut self, line: &str, out: &mut Emitter<'_>) {
        if self.frames < 2 {
            self.held.push(line.to_owned());
        } else {
            self.held.drain(..).for_each(|line| out.fold(&line));
            out.fold(line);
        }
    }

    /// Says how many frames were counted; a single one is shown.
    fn close(&mut self, out: &mut Emitter<'_>) {
        let held = std::mem::take(&mut self.held);
        match std::mem::take(&mut self.frames) {
            0 => {}
            1 if held.len() == 1 => held.iter().for_each(|line| out.keep(line)),
            frames => {
                self.found = true;
                for line in &held {
                    out.fold(line);
                }
                out.write(&format!("  [{frames} library {}]", if frames == 1 { "frame" } else { "frames" }));
            }
        }
    }

    fn own(&mut self, out: &mut Emitter<'_>) {
        let again = std::mem::take(&mut self.again);
        if again > 0 {
            self.found = true;
            out.write(&format!("  [the same {again} more {}]", if again == 1 { "time" } else { "times" }));
        }
    }
}

impl Reducer for Machine {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if self.source != Source::None && line.starts_with("    ") && !FRAME.is_match(line) && !names_place(line) {
            // The source of a Python frame, and marks under it.
            match self.source {
                Source::Library => self.library(line, out),
                _ if CARET.is_match(line) || self.again > 0 => {
                    self.found = true;
                    out.fold(line);
                }
                _ => out.keep(line),
            }
            return;
        }
        self.source = Source::None;
        if !FRAME.is_match(line) {
            self.own(out);
            self.last.clear();
            self.close(out);
            return out.keep(line);
        }
        let is_python = line.starts_with("  File ");
        if LIBRARY.is_match(line) {
            self.own(out);
            self.last.clear();
            self.frames += 1;
            self.source = if is_python { Source::Library } else { Source::None };
            self.library(line, out);
            if self.frames > MAX_HELD {
                self.close(out);
            }
            return;
        }
        self.close(out);
        self.source = if is_python { Source::Own } else { Source::None };
        if self.last == line {
            self.again += 1;
            return out.fold(line);
        }
        self.own(out);
        line.clone_into(&mut self.last);
        out.keep(line);
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.own(out);
        self.close(out);
        self.found.then_some(FilterConfidence::Full)
    }
}
