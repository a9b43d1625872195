//! Filters a text that is too long to hold while it passes to the outer intake.

use std::sync::Arc;

use tools_core::{Digest, FilterStats, Intake, LineSelection, SkippedPart, SummaryKind, TextSink};

use crate::{Exit, FilterEvent, FilterPipeline, FilterStream, ParsedCommand};

/// Wraps an outer intake and filters the output of one command.
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
    /// Always `Some`, except while it is replaced.
    stream: Option<FilterStream>,
    /// Whether less than the whole text is shown.
    leaves_out: bool,
    /// Statistics of finished parts.
    stats: Option<FilterStats>,
}

/// Passes an event of the filter on to the outer sink.
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

    /// Inner layers do not select lines: the filter does.
    fn show(&mut self, _: &str) {}

    fn skip(&mut self, part: SkippedPart) {
        // The filter's held lines precede the skipped part; a new output starts after it.
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
