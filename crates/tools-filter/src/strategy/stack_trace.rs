//! `stack_trace`: of stack traces the frames of libraries are counted and one's own stay, each with its source. Knows traces
//! of Python, JavaScript, Java and its kin, Ruby, Go, .NET, Rust and the sanitizers.

use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::FilterConfidence;

use super::{Facts, Reducer, Strategy};
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

#[derive(Default)]
pub(crate) struct StackTraces {
    /// Frames of libraries that were not counted out yet, with the source under them.
    held: Vec<String>,
    lines: u64,
    bytes: usize,
    /// What may follow the frame before: its source, or its place.
    next: Next,
    found: bool,
}

/// What the next line is if it is indented further.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Next {
    #[default]
    Other,
    /// The source of an own frame.
    Own,
    /// The source or the place of a library's frame.
    Library,
}

/// About as long as the mark.
const MARK: usize = 34;

impl StackTraces {
    fn library(&mut self, line: &str, out: &mut Emitter<'_>) {
        self.lines += 1;
        self.bytes += line.len() + 1;
        self.held.push(line.to_owned());
        if self.bytes > MARK && self.lines > 1 {
            self.held.drain(..).for_each(|line| out.forget(&line));
        }
    }

    /// Says how many lines were counted; few are shown.
    fn close(&mut self, out: &mut Emitter<'_>) {
        let bytes = std::mem::take(&mut self.bytes);
        match std::mem::take(&mut self.lines) {
            0 => {}
            lines if lines > 1 && bytes > MARK => {
                self.found = true;
                out.write(&format!("  [… {lines} lines, frames of libraries]"));
            }
            _ => self.held.drain(..).for_each(|line| out.keep(&line)),
        }
    }
}

impl Reducer for StackTraces {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        let is_frame = FRAME.is_match(line);
        let goes_on = self.next != Next::Other && line.starts_with("    ") && !is_frame && !names_place(line);
        if goes_on {
            return match self.next {
                Next::Library => self.library(line, out),
                _ => out.keep(line),
            };
        }
        self.next = Next::Other;
        if !is_frame {
            self.close(out);
            return out.keep(line);
        }
        let has_source = line.starts_with("  File ");
        if LIBRARY.is_match(line) {
            self.next = if has_source { Next::Library } else { Next::Other };
            return self.library(line, out);
        }
        self.close(out);
        self.next = if has_source { Next::Own } else { Next::Other };
        out.keep(line);
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.close(out);
        self.found.then_some(FilterConfidence::Full)
    }
}
