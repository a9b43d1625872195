//! The only layer that shortens by length: if an output exceeds the budget of its answer, it shows
//! head, tail and the lines that report failures, and stores the whole. The result fits the budget,
//! including all text around it.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use tools_core::{
    AnswerBudget, CommandEnd, Digest, FilterStats, Gap, Invocation, Layer, LayerInfo, Next, OriginalText, Outcome,
    SummaryKind, ToolErrorFeedback, ToolOutput, keys,
};

use crate::{
    Archive, CutUnit, Hole, Pin,
    intake::intake,
    notice::{chain, notice},
    split,
};

/// Minimum bytes of a text that is searched on another thread than the runtime's.
const LARGE: usize = 256 << 10;

/// Bytes reserved for the line on how to read the rest.
const NOTICE: usize = 160;
/// Approximate bytes of that line when nothing is missing.
const NOTICE_LENGTH: usize = 90;
/// Lines reserved between the block about a failure and the text below it.
const BLOCK_LINES: usize = 8;

/// Stores every output that a model sees only in part: because it exceeds the threshold, because a
/// filter left something out, or because a tool returned more than it shows.
///
/// The call context ([`tools_core::CallContext::answer`]) says how much fits; the threshold narrows
/// it, also for tools that fill a window.
///
/// This layer is outside the filter and the redaction of credentials, so it stores their result.
pub struct OverflowLayer {
    archive: Option<Archive>,
    threshold: usize,
    pin: Pin,
}

impl OverflowLayer {
    /// The layer's row in a list of layers.
    pub const INFO: LayerInfo = LayerInfo {
        name: "overflow",
        owner: "tools-overflow",
        refuses_with: &[],
        why: "outside the filter: stores the whole text, and shows the head and tail of the filtered one",
    };

    /// A layer that stores in `archive`, or only shortens without one. Lines that `pin` selects are
    /// shown wherever they are in the text.
    pub fn new(archive: Option<Archive>, threshold: usize, pin: Pin) -> Self {
        Self { archive, threshold, pin }
    }

    /// The shown form of the output, when text before it takes `spent` bytes of the answer.
    async fn shortened(&self, inv: &Invocation, mut output: ToolOutput, spent: usize) -> ToolOutput {
        let sentence = output.ended.as_ref().and_then(CommandEnd::sentence).map_or(0, |sentence| sentence.len() + 1);
        let budget = self.budget(inv).less(spent).less(sentence);
        if let Some(digest) = output.digest.take() {
            return self.digested(inv, output, digest, budget).await;
        }
        // Fast path for most outputs.
        if output.complete.is_none() && budget.holds(&output.summary) {
            return output;
        }
        let complete = output.complete.take();
        // A tool's own cut is repeated on the whole text: more may fit, and failures may be in the
        // middle.
        let (view, gap, of) = match &complete {
            Some(OriginalText { text, shown: SummaryKind::Ends, gap }) => (Arc::clone(text), *gap, CutUnit::Original),
            Some(OriginalText { shown: SummaryKind::All, gap: None, .. }) | None => {
                (output.take_summary(), None, CutUnit::Original)
            }
            Some(_) => (output.take_summary(), None, CutUnit::Extract),
        };
        let cut = self.cut(&view, gap.map(Hole::from), of, budget.less(NOTICE)).await;
        output.truncated |= cut.is_some();
        let is_shown = cut.is_none();
        output.summary = cut.unwrap_or_else(|| view.as_ref().to_owned());
        let (whole, gap) = match complete {
            // If the shortened text would be longer than the whole, the whole is shown.
            Some(OriginalText { text, shown: SummaryKind::Extract, gap: None })
                if is_shown
                    && text.len() <= output.summary.len() + NOTICE_LENGTH
                    && is_plain(&text)
                    && budget.holds(&text) =>
            {
                text.as_ref().clone_into(&mut output.summary);
                output.filter = output.filter.map(|stats| FilterStats { lines_out: stats.lines_in, ..stats });
                return output;
            }
            Some(OriginalText { text, shown: SummaryKind::Extract, gap }) => (text, gap),
            Some(OriginalText { gap: None, .. }) | None if is_shown => return output,
            Some(OriginalText { text, gap, .. }) => (text, gap),
            None => (view, None),
        };
        if let Some(notice) = self.stored(inv, whole, gap).await {
            append_line(&mut output.summary, &notice);
        }
        output
    }

    /// The shown form of a text that was processed and stored while it arrived.
    async fn digested(&self, inv: &Invocation, output: ToolOutput, digest: Digest, budget: AnswerBudget) -> ToolOutput {
        let Digest { shown, head, tail, middle, kept, fault, .. } = digest;
        let of = if shown == SummaryKind::Extract { CutUnit::Extract } else { CutUnit::Original };
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

    /// The budget for the answer to a call.
    fn budget(&self, inv: &Invocation) -> AnswerBudget {
        inv.context.answer().and(AnswerBudget::of_characters(self.threshold))
    }

    /// The ends of a text that is too long.
    async fn cut(&self, text: &Arc<str>, hole: Option<Hole>, of: CutUnit, budget: AnswerBudget) -> Option<String> {
        let pin = self.pin;
        if text.len() <= LARGE {
            return split(text, hole.as_ref(), of, budget, pin);
        }
        let (shared, its_hole) = (Arc::clone(text), hole.clone());
        let looking = tokio::task::spawn_blocking(move || split(&shared, its_hole.as_ref(), of, budget, pin));
        // A `pin` that panics selects nothing.
        looking.await.unwrap_or_else(|_| split(text, hole.as_ref(), of, budget, |_| Vec::new()))
    }

    /// Stores a text. Returns the line to show about it, if any.
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

/// Reports to operator and record that an output is not stored. Returns the line for the model.
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

/// Whether a terminal would show the text unchanged.
fn is_plain(text: &str) -> bool {
    !text.chars().any(|character| character.is_control() && !matches!(character, '\n' | '\t'))
}

#[async_trait]
impl Layer for OverflowLayer {
    fn name(&self) -> &'static str {
        Self::INFO.name
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        // Set before anything is rendered, since a tool that shows a window fills it.
        let context = inv.context.clone().answering(self.budget(inv));
        let session = inv.context.session().as_str();
        let context = context.with_intake(intake(self.archive.as_ref(), session, self.threshold, self.pin));
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
