//! The layer that cuts, and the only one: of what is longer than its answer may be it shows head,
//! tail and the lines that report failures, and stores the whole. What it gives on fits, with all
//! that is put around it.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use tools_core::{
    AnswerBudget, Complete, Digest, Ended, FilterStats, Gap, Invocation, Layer, LayerInfo, Next, Outcome, SummaryKind,
    ToolErrorFeedback, ToolOutput, keys,
};

use crate::{
    Archive, Hole, Of, Pin,
    notice::{chain, notice},
    split,
    taking::intake,
};

/// Texts from this size on are looked through off the runtime.
const LARGE: usize = 256 << 10;

/// Room for the line by which the rest can be had.
const NOTICE: usize = 160;
/// About how long that line is where nothing is missing.
const NOTICE_LENGTH: usize = 90;
/// Room between the block about a failure and the text below it.
const BLOCK_LINES: usize = 8;

/// Keeps every output that a model is shown only in part: because it is longer than the threshold,
/// because a filter left something out, or because a tool handed on more than it shows.
///
/// How much fits is in the call context ([`tools_core::CallContext::answer`]); the threshold here
/// narrows it, for tools that fill a window as well.
///
/// Stands outside the filter and whatever takes credentials out of text: what is stored is what
/// they made of it.
pub struct OverflowLayer {
    archive: Option<Archive>,
    threshold: usize,
    pin: Pin,
}

impl OverflowLayer {
    /// Its row in a list of layers.
    pub const INFO: LayerInfo = LayerInfo {
        name: "overflow",
        owner: "tools-overflow",
        refuses_with: &[],
        why: "outside the filter: stores the whole text and shows head and tail of what the filter left of it",
    };

    /// A layer that stores in `archive`, or only shortens without one. Lines that `pin` tells
    /// are shown wherever in the text they stand.
    pub fn new(archive: Option<Archive>, threshold: usize, pin: Pin) -> Self {
        Self { archive, threshold, pin }
    }

    /// The output as it is shown, where `spent` bytes of the answer are taken for what stands
    /// before it.
    async fn shortened(&self, inv: &Invocation, mut output: ToolOutput, spent: usize) -> ToolOutput {
        let sentence = output.ended.as_ref().and_then(Ended::sentence).map_or(0, |sentence| sentence.len() + 1);
        let budget = self.budget(inv).less(spent).less(sentence);
        if let Some(digest) = output.digest.take() {
            return self.digested(inv, output, digest, budget).await;
        }
        // Most outputs: this costs them nothing.
        if output.complete.is_none() && budget.holds(&output.summary) {
            return output;
        }
        let complete = output.complete.take();
        // A tool's own cut is done again from the whole: there may be room for more, and failures
        // stand in the middle.
        let (view, gap, of) = match &complete {
            Some(Complete { text, shown: SummaryKind::Ends, gap }) => (Arc::clone(text), *gap, Of::Original),
            Some(Complete { shown: SummaryKind::All, gap: None, .. }) | None => {
                (output.take_summary(), None, Of::Original)
            }
            Some(_) => (output.take_summary(), None, Of::Extract),
        };
        let cut = self.cut(&view, gap.map(Hole::from), of, budget.less(NOTICE)).await;
        output.truncated |= cut.is_some();
        let is_shown = cut.is_none();
        output.summary = cut.unwrap_or_else(|| view.as_ref().to_owned());
        let (whole, gap) = match complete {
            // What would be longer than the whole is the whole: nothing grows by being shortened.
            Some(Complete { text, shown: SummaryKind::Extract, gap: None })
                if is_shown
                    && text.len() <= output.summary.len() + NOTICE_LENGTH
                    && is_plain(&text)
                    && budget.holds(&text) =>
            {
                text.as_ref().clone_into(&mut output.summary);
                output.filter = output.filter.map(|stats| FilterStats { lines_out: stats.lines_in, ..stats });
                return output;
            }
            Some(Complete { text, shown: SummaryKind::Extract, gap }) => (text, gap),
            Some(Complete { gap: None, .. }) | None if is_shown => return output,
            Some(Complete { text, gap, .. }) => (text, gap),
            None => (view, None),
        };
        if let Some(notice) = self.stored(inv, whole, gap).await {
            append_line(&mut output.summary, &notice);
        }
        output
    }

    /// What is shown of a text that was taken while it came. It was stored then.
    async fn digested(&self, inv: &Invocation, output: ToolOutput, digest: Digest, budget: AnswerBudget) -> ToolOutput {
        let Digest { shown, head, tail, middle, kept, fault, .. } = digest;
        let of = if shown == SummaryKind::Extract { Of::Extract } else { Of::Original };
        let hole = middle.map(|middle| Hole { at: head.len(), middle });
        let view: Arc<str> = (head + &tail).into();
        let cut = self.cut(&view, hole, of, budget.less(NOTICE)).await;
        let is_whole = cut.is_none() && shown != SummaryKind::Extract;
        let truncated = output.truncated || cut.is_some();
        let mut summary = cut.unwrap_or_else(|| view.as_ref().to_owned());
        if let Some(fault) = fault {
            append_line(&mut summary, &not_stored(inv, &fault));
        } else if let Some(kept) = kept.filter(|_| !is_whole) {
            inv.context.journal().note(keys::OVERFLOW, kept.reference);
            append_line(&mut summary, &kept.notice);
        }
        ToolOutput { summary, truncated, ..output }
    }

    /// What the answer to a call may hold.
    fn budget(&self, inv: &Invocation) -> AnswerBudget {
        inv.context.answer().and(AnswerBudget::of_characters(self.threshold))
    }

    /// The ends of a text, where it is too long.
    async fn cut(&self, text: &Arc<str>, hole: Option<Hole>, of: Of, budget: AnswerBudget) -> Option<String> {
        let pin = self.pin;
        if text.len() <= LARGE {
            return split(text, hole.as_ref(), of, budget, pin);
        }
        let (shared, its_hole) = (Arc::clone(text), hole.clone());
        let looking = tokio::task::spawn_blocking(move || split(&shared, its_hole.as_ref(), of, budget, pin));
        // A `pin` that panics pins nothing.
        looking.await.unwrap_or_else(|_| split(text, hole.as_ref(), of, budget, |_| Vec::new()))
    }

    /// Stores a text; the line to be shown of that, where there is something to say.
    async fn stored(&self, inv: &Invocation, whole: Arc<str>, gap: Option<Gap>) -> Option<String> {
        let archive = self.archive.as_ref()?;
        match archive.keep_with_gap(inv.context.session().as_str(), whole, gap).await {
            Ok(stored) => {
                inv.context.journal().note(keys::OVERFLOW, stored.reference.to_string());
                Some(notice(&stored))
            }
            Err(error) => Some(not_stored(inv, &chain(&error))),
        }
    }
}

/// Tells operator and record that an output is not stored; the line for the model.
fn not_stored(inv: &Invocation, error: &str) -> String {
    tracing::warn!(error, call = %inv.call.id, "an output could not be stored");
    inv.context.journal().warn("the whole output could not be stored");
    "[the whole output could not be stored: make the call again and ask for less]".to_owned()
}

fn append_line(text: &mut String, line: &str) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(line);
}

/// Whether a terminal would show the text as it is.
fn is_plain(text: &str) -> bool {
    !text.chars().any(|character| character.is_control() && !matches!(character, '\n' | '\t'))
}

#[async_trait]
impl Layer for OverflowLayer {
    fn name(&self) -> &'static str {
        Self::INFO.name
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        // Known before anything is rendered: a tool that shows a window fills it.
        let context = inv.context.clone().answering(self.budget(inv));
        let session = inv.context.session().as_str();
        let context = context.taken_by(intake(self.archive.as_ref(), session, self.threshold, self.pin));
        let inner = next.run(&inv.in_context(context)).await;
        if inv.definition.traits.bounded_output {
            return inner;
        }
        match inner {
            Ok(output) => Ok(self.shortened(inv, output, 0).await),
            Err(error) => match error.output().cloned() {
                Some(output) => {
                    let block = ToolErrorFeedback::new(&error, inv.definition.trusted_traits()).format_for_llm();
                    let output = self.shortened(inv, output, block.len() + BLOCK_LINES).await;
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
