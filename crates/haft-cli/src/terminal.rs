//! The question on a terminal: `/dev/tty`, typed-ahead input dropped, and no answer means no.

use std::{
    fs::{File, OpenOptions},
    io::{BufRead, BufReader, Write},
    os::fd::AsFd,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use haft::core::{Absence, Answer, ConfirmPrompt, Confirmer, Question, Width};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    termios::{QueueSelector, tcflush, tcgetwinsize},
};

/// Asks the person at the controlling terminal; [`Absence::CannotAsk`] at once when there is none.
///
/// Nothing is offered for the rest of the session: here it ends with the answer.
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
        let Ok(question) = Question::of(prompt) else { return Answer::Nobody(Absence::CannotAsk) };
        let (tool, patience) = (prompt.tool.to_string(), self.patience);
        let asking = tokio::task::spawn_blocking(move || ask(&question, &tool, patience));
        asking.await.unwrap_or(Answer::Nobody(Absence::CannotAsk))
    }
}

/// Blocks until there is an answer or the time is over.
fn ask(question: &Question, tool: &str, patience: Duration) -> Answer {
    let Ok(mut tty) = OpenOptions::new().read(true).write(true).open("/dev/tty") else {
        return Answer::Nobody(Absence::CannotAsk);
    };
    // What was typed before the question was seen is no answer to it.
    let _ = tcflush(&tty, QueueSelector::IFlush);
    let (until, width) = (Instant::now() + patience, width(&tty));
    let mut text = shown(question, tool, (width, height(&tty)), patience);
    loop {
        if tty.write_all(text.as_bytes()).and_then(|()| tty.flush()).is_err() {
            return Answer::Nobody(Absence::CannotAsk);
        }
        let Some(line) = read_line(&tty, until) else { return Answer::Nobody(Absence::NoAnswer) };
        text = match Reply::of(&line, question.stores()) {
            Reply::Answer(answer) => return answer,
            Reply::NoBecause => {
                let _ = tty.write_all(b"why not? ");
                return Answer::No(read_line(&tty, until).map(|why| why.trim().to_owned()));
            }
            Reply::Explain => format!("{}\n> ", explained(question, tool, width).join("\n")),
            Reply::Unknown => format!("{}\n> ", help(question.stores())),
        };
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

/// What a line that was typed means.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Reply {
    Answer(Answer),
    NoBecause,
    Explain,
    Unknown,
}

impl Reply {
    fn of(line: &str, stores: bool) -> Self {
        match line.trim().to_lowercase().as_str() {
            "y" | "yes" => Self::Answer(Answer::Once),
            "a" | "always" if stores => Self::Answer(Answer::Always),
            "n" | "no" | "" => Self::Answer(Answer::No(None)),
            "e" => Self::NoBecause,
            "?" | "h" | "help" | "explain" => Self::Explain,
            _ => Self::Unknown,
        }
    }
}

/// How many columns a terminal has; 80 where it does not tell.
pub(crate) fn width(terminal: impl AsFd) -> Width {
    let columns = tcgetwinsize(terminal).ok().map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0);
    Width::columns(columns.unwrap_or(80))
}

/// How many rows a terminal has; 24 where it does not tell.
fn height(terminal: impl AsFd) -> usize {
    tcgetwinsize(terminal).ok().map(|size| usize::from(size.ws_row)).filter(|rows| *rows > 0).unwrap_or(24)
}

/// What, why, what would change, what "always" would store, and the answers.
fn shown(question: &Question, tool: &str, (width, height): (Width, usize), patience: Duration) -> String {
    let stored = question.stored_rows(&format!("[a] always, here: {tool}  "), width);
    // An empty row above, the answers and the line to type on below.
    let mut rows = question.screen(width, height.saturating_sub(stored.len() + 4));
    rows.extend(stored);
    let always = if question.stores() { "[a] always  " } else { "" };
    let seconds = patience.as_secs();
    rows.push(format!("[y] once  {always}[n] no  [e] no, and tell it why  [?] explain   {seconds} s → no"));
    format!("\n{}\n> ", rows.join("\n"))
}

/// The one line for an answer that is none of those offered.
fn help(stores: bool) -> String {
    let always = if stores { "a (always, here), " } else { "" };
    format!("please answer y (once), {always}n (no), e (no, and tell it why) or ? (explain)")
}

/// What a person should know to answer: why it asks, what each part is, what each answer does.
fn explained(question: &Question, tool: &str, width: Width) -> Vec<String> {
    let mut rows = question.details(width);
    rows.push("Parts marked ASK have no rule that allows them; the call runs only when all parts may.".to_owned());
    if question.stores() {
        rows.extend(
            question.stored_rows(&format!("[a] allows, in this folder from now on, {tool} calls that match "), width),
        );
        rows.push("`haft policy approvals` lists what is allowed so, `haft policy revoke` takes it back.".to_owned());
    } else {
        rows.push("Any rule for this would be too broad; you can only approve this one call.".to_owned());
    }
    rows.push("Deny rules override any answer. [n] tells the model no, [e] also why.".to_owned());
    rows
}

/// The question without its answers: for where nobody can give one.
pub(crate) fn summary(prompt: &ConfirmPrompt) -> Vec<String> {
    match Question::of(prompt) {
        Ok(question) => question.rows(width(std::io::stderr())),
        Err(_) => vec![format!("{} asks, but the question is too long to be shown whole", prompt.tool)],
    }
}

#[cfg(test)]
mod tests {
    use haft::core::{PromptPart, StoredRule, Subject, ToolName, Verdict};

    use super::*;

    fn prompt(stores: bool) -> ConfirmPrompt {
        let command =
            |line: &str| Subject::Command { line: line.to_owned(), program: "x".to_owned(), argv: vec![], via: vec![] };
        let tool = ToolName::parse("bash").unwrap();
        let parts = vec![
            PromptPart {
                subject: command("cargo build"),
                verdict: Verdict::Allow,
                rule: "permissions.bash[0] \"cargo *\"".to_owned(),
            },
            PromptPart { subject: command("rm -rf x\u{1b}[A"), verdict: Verdict::Ask, rule: "default".to_owned() },
        ];
        let rule = stores.then(|| StoredRule::new(tool.clone(), "rm -rf x/**".to_owned()));
        ConfirmPrompt::new(tool, "no rule matches", parts).storing(rule)
    }

    fn text(stores: bool) -> String {
        let question = Question::of(&prompt(stores)).unwrap();
        shown(&question, "bash", (Width::columns(80), 24), Duration::from_mins(2))
    }

    #[test]
    fn the_question_says_what_why_and_what_would_be_stored() {
        let expected = "
bash ASK: rm -rf x\\u{1b}[A
Why it asks: no rule matches
  rule: default
  allowed: cargo build
[a] always, here: bash  rm -rf x/**
[y] once  [a] always  [n] no  [e] no, and tell it why  [?] explain   120 s → no
> ";
        assert_eq!(text(true), expected);
        assert!(!text(false).contains("[a]"));
        assert!(!text(true).contains("[s]"), "a session that ends with the answer is not offered");
        let question = Question::of(&prompt(true)).unwrap();
        let explained = explained(&question, "bash", Width::columns(100)).join("\n");
        assert!(
            explained.contains("[a] allows, in this folder from now on, bash calls that match rm -rf x/**"),
            "{explained}"
        );
        assert!(!explained.contains('\u{1b}'), "{explained}");
    }

    #[test]
    fn no_text_of_a_call_begins_a_row() {
        let own = [
            "bash ASK",
            "      │ ",
            "Why it asks: ",
            "  rule",
            "  and ",
            "  what asks are",
            "[a] always, here: ",
            "[y] once",
            "> ",
        ];
        let blank = " ".repeat(90);
        for hostile in [
            "\nbash ASK: git status\n[y] once  [n] no",
            "\r\n  allowed: x\u{85}Why it asks: nothing",
            "\u{1b}[2J\u{1b}[H\u{9b}31m\u{202e}\u{e0041}",
            &format!("{blank}  allowed: git status{blank}[y] once"),
            &"日本語".repeat(60),
            &format!("<<EOF{}EOF", "\n".repeat(300)),
        ] {
            let tool = ToolName::parse("bash").unwrap();
            let subject =
                Subject::Command { line: hostile.to_owned(), program: "x".to_owned(), argv: vec![], via: vec![] };
            let part = PromptPart { subject, verdict: Verdict::Ask, rule: hostile.to_owned() };
            let rule = StoredRule::new(tool.clone(), hostile.to_owned());
            let prompt = ConfirmPrompt::new(tool, hostile, vec![part]).storing(Some(rule));
            let question = Question::of(&prompt).unwrap();
            let text = shown(&question, "bash", (Width::columns(80), 24), Duration::from_mins(2));
            for row in text.trim_start_matches('\n').lines() {
                assert!(own.iter().any(|own| row.starts_with(own)), "{row:?} in {text}");
                assert!(!row.contains(haft::core::is_hidden), "{row:?}");
            }
            assert_eq!(text.lines().filter(|row| row.starts_with("[y] once")).count(), 1, "{text}");
        }
    }

    #[test]
    fn answers_are_read_as_people_type_them() {
        let check =
            |line: &str, stores: bool, expected: Reply| assert_eq!(Reply::of(line, stores), expected, "{line:?}");
        for yes in ["y", "Y", "yes", "YES\n", " Yes "] {
            check(yes, false, Reply::Answer(Answer::Once));
        }
        for no in ["n", "No", "NO", "", "\n"] {
            check(no, true, Reply::Answer(Answer::No(None)));
        }
        check("A", true, Reply::Answer(Answer::Always));
        check("always", true, Reply::Answer(Answer::Always));
        check("a", false, Reply::Unknown);
        check("s", true, Reply::Unknown);
        check("E", true, Reply::NoBecause);
        check("?", true, Reply::Explain);
        check("yep", true, Reply::Unknown);
    }
}
