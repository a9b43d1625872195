//! The question on a terminal: `/dev/tty`, typed-ahead input dropped, and no answer means no.

use std::{
    fs::{File, OpenOptions},
    io::{BufRead, BufReader, Write},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use haft::core::{Answer, ConfirmPrompt, Confirmer, Subject, Verdict};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    termios::{QueueSelector, tcflush},
};

use crate::output::printable;

/// Asks the person at the controlling terminal; [`Answer::Nobody`] at once when there is none.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terminal {
    /// How long a question stands before it counts as a no.
    pub(crate) patience: Duration,
}

impl Default for Terminal {
    fn default() -> Self {
        Self { patience: Duration::from_mins(2) }
    }
}

#[async_trait]
impl Confirmer for Terminal {
    async fn confirm(&self, prompt: &ConfirmPrompt) -> Answer {
        let (text, patience, storable) = (question(prompt, self.patience), self.patience, prompt.would_store.is_some());
        let explained = explained(prompt);
        let asking = tokio::task::spawn_blocking(move || ask(&text, &explained, patience, storable));
        asking.await.unwrap_or(Answer::Nobody)
    }
}

/// Blocks until there is an answer or the time is over.
fn ask(text: &str, explained: &str, patience: Duration, storable: bool) -> Answer {
    let Ok(mut tty) = OpenOptions::new().read(true).write(true).open("/dev/tty") else { return Answer::Nobody };
    // What was typed before the question was seen is no answer to it.
    let _ = tcflush(&tty, QueueSelector::IFlush);
    let until = Instant::now() + patience;
    loop {
        if tty.write_all(text.as_bytes()).and_then(|()| tty.flush()).is_err() {
            return Answer::Nobody;
        }
        let Some(line) = read_line(&tty, until) else { return Answer::Nobody };
        match line.trim() {
            "y" => return Answer::Once,
            "s" if storable => return Answer::Session,
            "a" if storable => return Answer::Always,
            "?" if tty.write_all(explained.as_bytes()).is_err() => return Answer::Nobody,
            "n" | "" => return Answer::No(None),
            "e" => {
                let _ = tty.write_all(b"why not? ");
                return Answer::No(read_line(&tty, until).map(|why| why.trim().to_owned()));
            }
            _ => {}
        }
    }
}

/// A line from the terminal; `None` when it is gone or the time is over.
fn read_line(tty: &File, until: Instant) -> Option<String> {
    let left = until.checked_duration_since(Instant::now())?;
    let timeout = Timespec::try_from(left).ok()?;
    let mut waiting = [PollFd::new(tty, PollFlags::IN)];
    if poll(&mut waiting, Some(&timeout)).ok()? == 0 {
        return None;
    }
    let mut line = String::new();
    let read = BufReader::new(tty).read_line(&mut line).ok()?;
    (read > 0).then_some(line)
}

/// What, why, what it touches, what "session" would store. Also shown where nobody can answer.
pub(crate) fn question(prompt: &ConfirmPrompt, patience: Duration) -> String {
    let mut lines = summary(prompt);
    let mut choices = "[y] once  ".to_owned();
    if let Some(rule) = &prompt.would_store {
        choices = format!("{choices}[s] this session  [a] always, here: {}  {}  ", rule.tool, printable(&rule.pattern));
    }
    lines.push(format!("{choices}[n] no  [e] no, and tell it why  [?] explain   {} s → no\n> ", patience.as_secs()));
    format!("\n{}", lines.join("\n"))
}

/// What a person should know to answer: what each answer does, why it asks, what each part is.
fn explained(prompt: &ConfirmPrompt) -> String {
    let mut lines = vec![
        String::new(),
        format!("Why it asks: {}", printable(&prompt.reason)),
        "Parts marked ASK have no rule that allows them; the call runs only when all parts may.".to_owned(),
    ];
    for part in &prompt.parts {
        lines.push(format!("  {}", described(&part.subject)));
        lines.push(format!("      {} by: {}", verdict(part.verdict), printable(&part.rule)));
        if let Subject::Command { via, .. } = &part.subject
            && !via.is_empty()
        {
            lines.push(format!("      run through: {}", printable(&via.join(", "))));
        }
    }
    match &prompt.would_store {
        Some(rule) => {
            let rule = format!("`{}` calls that match `{}`", rule.tool, printable(&rule.pattern));
            lines.push(format!("[s] allows {rule} until this session ends."));
            lines.push(format!(
                "[a] allows {rule} in this folder from now on; `haft policy approvals` lists them, `haft policy revoke` takes them back."
            ));
        }
        None => lines.push(
            "No rule could say this without saying too much, so that only this one call can be agreed to.".to_owned(),
        ),
    }
    lines.push("A rule that denies stays stronger than any answer. [n] tells the model no, [e] also why.".to_owned());
    lines.join("\n") + "\n"
}

fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Allow => "allowed",
        Verdict::Ask => "ASK",
        Verdict::Deny => "DENIED",
    }
}

/// The question without its answers: for where nobody can give one.
pub(crate) fn summary(prompt: &ConfirmPrompt) -> Vec<String> {
    let uncovered = prompt.parts.iter().filter(|part| part.verdict != Verdict::Allow).count();
    let mut lines = vec![format!(
        "{} wants to run: {} [{uncovered} of {} parts {} not covered]",
        prompt.tool,
        printable(&prompt.reason),
        prompt.parts.len(),
        if uncovered == 1 { "is" } else { "are" }
    )];
    for part in &prompt.parts {
        let verdict = verdict(part.verdict);
        lines.push(format!("  {:<50} {verdict:<8} {}", described(&part.subject), printable(&part.rule)));
    }
    lines
}

fn described(subject: &Subject) -> String {
    let text = printable(&subject.text());
    match subject {
        Subject::Path { access, .. } | Subject::Paths { access, .. } => {
            format!("{} {text}", format!("{access:?}").to_lowercase())
        }
        Subject::Opaque { .. } => format!("cannot be seen through: {text}"),
        Subject::Host { .. } => format!("connect {text}"),
        Subject::Command { .. } | Subject::Url { .. } => text,
    }
}

#[cfg(test)]
mod tests {
    use haft::core::{PromptPart, StoredRule, ToolName};

    use super::*;

    #[test]
    fn the_question_says_what_why_and_what_would_be_stored() {
        let command =
            |line: &str| Subject::Command { line: line.to_owned(), program: String::new(), argv: vec![], via: vec![] };
        let tool = ToolName::parse("bash").unwrap();
        let prompt = ConfirmPrompt {
            tool: tool.clone(),
            reason: "`rm` deletes".to_owned(),
            parts: vec![
                PromptPart {
                    subject: command("cargo build"),
                    verdict: Verdict::Allow,
                    rule: "permissions.bash[0] \"cargo *\"".to_owned(),
                },
                PromptPart { subject: command("rm -rf x\u{1b}[A"), verdict: Verdict::Ask, rule: "default".to_owned() },
            ],
            would_store: Some(StoredRule { tool, pattern: "rm -rf x/**".to_owned() }),
        };
        let text = question(&prompt, Duration::from_mins(2));
        let expected = "
bash wants to run: `rm` deletes [1 of 2 parts is not covered]
  cargo build                                        allowed  permissions.bash[0] \"cargo *\"
  rm -rf x\\u{1b}[A                                   ASK      default
[y] once  [s] this session  [a] always, here: bash  rm -rf x/**  [n] no  [e] no, and tell it why  [?] explain   120 s → no
> ";
        assert_eq!(text, expected);
        let explained = explained(&prompt);
        assert!(explained.contains("[a] allows `bash` calls that match `rm -rf x/**` in this folder"), "{explained}");
        assert!(!explained.contains('\u{1b}'), "{explained}");
    }
}
