//! A text that is too long to be held, filtered while it goes to whoever takes it.

use std::sync::Arc;

use tools_core::{Digest, FilterStats, Intake, LineSelection, SkippedPart, SummaryKind, TextSink};

use crate::{Exit, FilterEvent, FilterPipeline, FilterStream, ParsedCommand};

/// Stands around the intake of whoever is outside, for the output of one command.
pub(crate) struct FilterIntake {
    outer: Arc<dyn Intake>,
    pipeline: Arc<FilterPipeline>,
    command: ParsedCommand,
}

impl FilterIntake {
    pub(crate) fn around(
        outer: Arc<dyn Intake>,
        pipeline: Arc<FilterPipeline>,
        command: ParsedCommand,
    ) -> Arc<dyn Intake> {
        Arc::new(Self { outer, pipeline, command })
    }
}

impl Intake for FilterIntake {
    fn capacity(&self) -> u64 {
        self.outer.capacity()
    }

    fn open(&self, _: LineSelection) -> Box<dyn TextSink> {
        let (pipeline, command) = (Arc::clone(&self.pipeline), self.command.clone());
        Box::new(Sink {
            outer: self.outer.open(LineSelection::Lines),
            stream: Some(pipeline.start_parsed(command.clone(), Exit::Unknown)),
            pipeline,
            command,
            leaves_out: false,
            stats: None,
        })
    }
}

struct Sink {
    outer: Box<dyn TextSink>,
    pipeline: Arc<FilterPipeline>,
    command: ParsedCommand,
    /// There at all times but while it is changed.
    stream: Option<FilterStream>,
    /// Whether what is shown is less than the text.
    leaves_out: bool,
    /// Of the parts that are done.
    stats: Option<FilterStats>,
}

/// Gives on what a filter made of a line.
fn give(event: FilterEvent<'_>, outer: &mut dyn TextSink, leaves_out: &mut bool) {
    match event {
        FilterEvent::Kept(line) => outer.show(line),
        FilterEvent::Written(line) => {
            *leaves_out = true;
            outer.show(line);
        }
        FilterEvent::Dropped(_) => *leaves_out = true,
    }
}

impl Sink {
    fn end(&mut self, exit: Exit) {
        let Some(stream) = self.stream.take() else { return };
        let (outer, leaves_out) = (self.outer.as_mut(), &mut self.leaves_out);
        let stats = stream.finish_with(exit, &mut |event| give(event, outer, leaves_out)).stats;
        self.stats = match (self.stats.take(), stats) {
            (Some(before), Some(stats)) => Some(FilterStats {
                confidence: before.confidence.max(stats.confidence),
                lines_in: before.lines_in + stats.lines_in,
                lines_out: before.lines_out + stats.lines_out,
                ..stats
            }),
            (before, stats) => stats.or(before),
        };
    }
}

impl TextSink for Sink {
    fn push(&mut self, bytes: &[u8]) {
        self.outer.push(bytes);
        let (outer, leaves_out) = (self.outer.as_mut(), &mut self.leaves_out);
        if let Some(stream) = &mut self.stream {
            stream.push(bytes, &mut |event| give(event, outer, leaves_out));
        }
    }

    /// Nobody inside chooses lines: they come from here.
    fn show(&mut self, _: &str) {}

    fn skip(&mut self, part: SkippedPart) {
        // What it holds back stands before the part, and what follows is an output of its own.
        self.end(Exit::Unknown);
        self.outer.skip(part);
        self.stream = Some(self.pipeline.start_parsed(self.command.clone(), Exit::Unknown));
    }

    fn finish(mut self: Box<Self>, exit: Option<i32>) -> Digest {
        self.end(exit.map_or(Exit::Unknown, Exit::Code));
        let Self { outer, leaves_out, stats, .. } = *self;
        let shown = if leaves_out { SummaryKind::Extract } else { SummaryKind::All };
        Digest { shown, filter: stats, ..outer.finish(exit) }
    }
}
