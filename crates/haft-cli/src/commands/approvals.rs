//! `haft approvals watch`: answers the questions of this user's servers from another terminal or
//! program.

mod lines;
mod machine;
mod notify;
mod person;

use std::{path::Path, time::Duration};

use haft::core::{VisibleText, Width};
use haft::questions::{Choice, EndReason, OpenQuestion, QuestionWatch};

use crate::{args::CommonArgs, asking::TerminalQuestion, exit::Exit, output, terminal::controlling};

/// Maximum number of characters of a question passed to a notification.
const MAX_NOTIFIED_CHARS: usize = 2_000;

/// Watches until interrupted.
pub(crate) async fn watch(common: &CommonArgs, notify: Option<&str>) -> Result<Exit, String> {
    let folder = haft::config::places::watch_dir();
    let failed = |error| format!("`{}` cannot be watched: {error}", folder.display());
    let watching = async || QuestionWatch::open(&folder).await.map_err(failed);
    if common.json {
        return machine::watch(watching().await?, notify).await;
    }
    match controlling() {
        Some(terminal) => person::watch(common, watching().await?, notify, terminal).await,
        None => Err("no terminal to answer on; a program can answer with `--json`".to_owned()),
    }
}

/// A question with the data that both views need.
struct QuestionView {
    standing: OpenQuestion,
    shown: TerminalQuestion,
}

impl QuestionView {
    /// `None` for a question that cannot be shown completely; the watch does not present it.
    fn new(standing: OpenQuestion) -> Option<Self> {
        let shown = TerminalQuestion::new(&standing.prompt, standing.asker.lasting)?;
        Some(Self { standing, shown })
    }

    /// Describes who asks, on one row.
    fn from(&self) -> String {
        let asker = &self.standing.asker;
        let client = if asker.client.is_empty() { "a client without a name" } else { &asker.client };
        format!("{} in {} (process {})", VisibleText::of(client).shortened(60), folder(&asker.workdir), asker.process)
    }

    fn seconds(&self) -> u64 {
        self.standing.left.as_secs()
    }

    /// Runs the operator's notification command.
    fn notify(&self, line: &str) {
        let question: String = self.shown.rows(Width::DIALOG).join("\n").chars().take(MAX_NOTIFIED_CHARS).collect();
        let variables = [
            ("HAFT_QUESTION", question),
            ("HAFT_TOOL", self.standing.prompt.tool.to_string()),
            ("HAFT_CLIENT", VisibleText::of(&self.standing.asker.client).to_string()),
            ("HAFT_WORKDIR", folder(&self.standing.asker.workdir)),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value)).to_vec();
        let line = line.to_owned();
        tokio::spawn(async move {
            if let Err(problem) = notify::notify(&line, variables).await {
                output::note(&format!("haft: {problem}"));
            }
        });
    }
}

fn folder(path: &Path) -> String {
    VisibleText::of(&path.to_string_lossy()).shortened(200).to_string()
}

/// Describes how a question ended.
fn told(how: EndReason, answered: bool) -> &'static str {
    match (how, answered) {
        (EndReason::Taken, _) => "the answer was taken",
        (EndReason::Late, _) => "timed out: the call was refused",
        (EndReason::Withdrawn, true) => "too late: answered elsewhere, or the call has ended",
        (EndReason::Withdrawn, false) => "no longer open: answered elsewhere, or the call has ended",
    }
}

/// Converts the answer of a terminal to a choice.
fn choice(answer: haft::core::Answer) -> Choice {
    use haft::core::Answer;
    match answer {
        Answer::Once => Choice::Once,
        Answer::Session => Choice::Session,
        Answer::Always => Choice::Always,
        Answer::No(why) => Choice::No { why },
        Answer::Never | Answer::Nobody(_) => Choice::No { why: None },
    }
}

/// Time to wait for a running notification and the last answer at exit.
const LAST: Duration = Duration::from_millis(200);
