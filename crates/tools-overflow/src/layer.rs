//! The layer that stores what is shown only in part, and shows head and tail of what is too long.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use tools_core::{Complete, FilterStats, Invocation, Layer, Next, Outcome, Shown, ToolOutput, keys};

use crate::{Archive, Stored, split};

/// Texts from this size on are looked through off the runtime.
const LARGE: usize = 256 << 10;

/// About how long that line is.
const NOTICE: usize = 90;

/// Keeps every output that a model is shown only in part: because it is longer than the threshold, because a filter left
/// something out, or because a tool handed on more than it shows.
///
/// Stands outside the filter and whatever takes credentials out of text: what is stored is what they made of it.
pub struct OverflowLayer {
    archive: Option<Archive>,
    threshold: usize,
    pin: fn(&str) -> bool,
}

impl OverflowLayer {
    /// A layer that stores in `archive`, or only shortens without one. Lines that `pin` holds for are shown wherever in the
    /// text they stand.
    pub fn new(archive: Option<Archive>, threshold: usize, pin: fn(&str) -> bool) -> Self {
        Self { archive, threshold, pin }
    }

    async fn shortened(&self, inv: &Invocation, mut output: ToolOutput) -> ToolOutput {
        // No character is shorter than a byte: this is most outputs, and costs them nothing.
        if output.complete.is_none() && output.summary.len() <= self.threshold {
            return output;
        }
        let complete = output.complete.take();
        // A tool's own cut is done again from the whole: there may be room for more, and failures stand in the middle.
        let view = match &complete {
            Some(Complete { text, shown: Shown::Ends }) => Arc::clone(text),
            _ => std::mem::take(&mut output.summary).into(),
        };
        let cut = self.cut(&view).await;
        output.truncated |= cut.is_some();
        let is_shown = cut.is_none();
        output.summary = cut.unwrap_or_else(|| view.as_ref().to_owned());
        let whole = match complete {
            // What would be longer than the whole is the whole: nothing grows by being shortened.
            Some(Complete { text, shown: Shown::Extract })
                if is_shown && text.len() <= output.summary.len() + NOTICE && is_plain(&text) =>
            {
                text.as_ref().clone_into(&mut output.summary);
                output.filter = output.filter.map(|stats| FilterStats { lines_out: stats.lines_in, ..stats });
                return output;
            }
            Some(Complete { text, shown: Shown::Extract }) => text,
            _ if is_shown => return output,
            Some(Complete { text, .. }) => text,
            None => view,
        };
        if let Some(notice) = self.stored(inv, whole).await {
            if !output.summary.is_empty() && !output.summary.ends_with('\n') {
                output.summary.push('\n');
            }
            output.summary.push_str(&notice);
        }
        output
    }

    /// The ends of a text, where it is too long.
    async fn cut(&self, text: &Arc<str>) -> Option<String> {
        let (threshold, pin) = (self.threshold, self.pin);
        if text.len() <= LARGE {
            return split(text, threshold, pin);
        }
        let shared = Arc::clone(text);
        let looking = tokio::task::spawn_blocking(move || split(&shared, threshold, pin));
        // A `pin` that panics pins nothing.
        looking.await.unwrap_or_else(|_| split(text, threshold, |_| false))
    }

    /// Stores a text; the line to be shown of that, where there is something to say.
    async fn stored(&self, inv: &Invocation, whole: Arc<str>) -> Option<String> {
        let archive = self.archive.as_ref()?;
        match archive.keep(inv.context.session().as_str(), whole).await {
            Ok(stored) => {
                inv.context.journal().note(keys::OVERFLOW, stored.reference.to_string());
                Some(notice(&stored))
            }
            Err(error) => {
                tracing::warn!(error = %chain(&error), call = %inv.call.id, "an output could not be stored");
                inv.context.journal().warn("the whole output could not be stored");
                Some("[the whole output could not be stored: make the call again and ask for less]".to_owned())
            }
        }
    }
}

/// The one line by which the rest can be had.
fn notice(stored: &Stored) -> String {
    let lines = stored.facts.lines;
    let unit = if lines == 1 { "line" } else { "lines" };
    format!("[all {lines} {unit}: read_overflow, ref {}]", stored.reference)
}

/// Whether a terminal would show the text as it is.
fn is_plain(text: &str) -> bool {
    !text.chars().any(|character| character.is_control() && !matches!(character, '\n' | '\t'))
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

#[async_trait]
impl Layer for OverflowLayer {
    fn name(&self) -> &'static str {
        "overflow"
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        if inv.definition.traits.bounded_output {
            return next.run(inv).await;
        }
        let inner = match &self.archive {
            Some(archive) => next.run(&inv.in_context(inv.context.clone().storing(archive.max_bytes()))).await,
            None => next.run(inv).await,
        };
        match inner {
            Ok(output) => Ok(self.shortened(inv, output).await),
            Err(error) => match error.output().cloned() {
                Some(output) => {
                    let output = self.shortened(inv, output).await;
                    Err(error.map_output(|_| output))
                }
                None => Err(error),
            },
        }
    }
}

impl fmt::Debug for OverflowLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OverflowLayer")
            .field("archive", &self.archive)
            .field("threshold", &self.threshold)
            .finish_non_exhaustive()
    }
}
