//! Formats a question for a terminal (rows, colours) and parses the typed answer. Reads the
//! environment, but does no input or output itself.

use std::os::fd::AsFd;

use haft::core::{Answer, ConfirmPrompt, Question, RowKind, Width};
use rustix::termios::tcgetwinsize;

#[derive(Debug, Clone)]
pub(crate) struct TerminalQuestion {
    question: Question,
    tool: String,
    /// Whether the session continues after the answer.
    lasting: bool,
}

/// Parsed meaning of a typed line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reply {
    Answer(Answer),
    NoBecause,
    Explain,
    Unknown,
}

/// Size of a terminal, and whether to use colours.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Screen {
    pub(crate) width: Width,
    pub(crate) height: usize,
    pub(crate) colours: bool,
}

impl Screen {
    /// Reads the size and colour support of a terminal.
    pub(crate) fn of(terminal: impl AsFd) -> Self {
        let size = tcgetwinsize(terminal.as_fd()).ok();
        let rows = size.map(|size| usize::from(size.ws_row)).filter(|rows| *rows > 0).unwrap_or(24);
        Self { width: width(terminal), height: rows, colours: wants_colours() }
    }
}

/// Whether to use colours: not with `NO_COLOR`, nor on a terminal that reports none.
fn wants_colours() -> bool {
    let term = std::env::var_os("TERM").unwrap_or_default();
    !forbids_colours() && !term.is_empty() && term != "dumb"
}

/// Whether `NO_COLOR` switches colours off.
pub(crate) fn forbids_colours() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

/// Number of columns of a terminal; 80 if unknown.
pub(crate) fn width(terminal: impl AsFd) -> Width {
    let columns = tcgetwinsize(terminal).ok().map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0);
    Width::columns(columns.unwrap_or(80))
}

impl TerminalQuestion {
    /// Builds the question of a prompt; `None` if it cannot be shown completely.
    pub(crate) fn new(prompt: &ConfirmPrompt, lasting: bool) -> Option<Self> {
        let question = Question::of(prompt).ok()?;
        Some(Self { question, tool: prompt.tool.to_string(), lasting })
    }

    /// Formats the whole question: what, why, the change, what a stored answer would allow, and the
    /// possible answers. The rows in `above` come first.
    pub(crate) fn text(&self, above: &[String], screen: Screen, seconds: u64) -> String {
        let Screen { width, height, colours } = screen;
        let front = if self.lasting { "[s] this session, [a] always, here: " } else { "[a] always, here: " };
        let stored = self.question.stored_rows(&format!("{front}{}  ", self.tool), width);
        // An empty row above, the answers and the line to type on below.
        let room = height.saturating_sub(stored.len() + above.len() + 4);
        let mut rows = above.to_vec();
        rows.extend(self.question.screen(width, room).into_iter().map(|row| painted(row.kind, row.text, colours)));
        rows.extend(stored);
        let kept = match (self.question.stores(), self.lasting) {
            (true, true) => "[s] session  [a] always  ",
            (true, false) => "[a] always  ",
            (false, _) => "",
        };
        rows.push(format!("[y] once  {kept}[n] no  [e] no, and tell it why  [?] explain   {seconds} s → no"));
        format!("\n{}\n> ", rows.join("\n"))
    }

    /// Parses a line as an answer to this question.
    pub(crate) fn reply(&self, line: &str) -> Reply {
        let stores = self.question.stores();
        match line.trim().to_lowercase().as_str() {
            "y" | "yes" => Reply::Answer(Answer::Once),
            "s" | "session" if stores && self.lasting => Reply::Answer(Answer::Session),
            "a" | "always" if stores => Reply::Answer(Answer::Always),
            "n" | "no" | "" => Reply::Answer(Answer::No(None)),
            "e" => Reply::NoBecause,
            "?" | "h" | "help" | "explain" => Reply::Explain,
            _ => Reply::Unknown,
        }
    }

    /// Hint for an answer that is not among those offered.
    pub(crate) fn help(&self) -> String {
        let kept = match (self.question.stores(), self.lasting) {
            (true, true) => "s (this session), a (always, here), ",
            (true, false) => "a (always, here), ",
            (false, _) => "",
        };
        format!("please answer y (once), {kept}n (no), e (no, and tell it why) or ? (explain)\n> ")
    }

    /// Explanation for a person: why the call asks, what each part is, what each answer does.
    pub(crate) fn explained(&self, width: Width) -> String {
        let mut rows = self.question.details(width);
        rows.push("Parts marked ASK have no rule that allows them; the call runs only when all parts may.".to_owned());
        if self.question.stores() {
            let front = format!("[a] allows, in this folder from now on, {} calls that match ", self.tool);
            rows.extend(self.question.stored_rows(&front, width));
            rows.push("`haft policy approvals` lists stored approvals, `haft policy revoke` revokes them.".to_owned());
        } else {
            rows.push("Any rule for this would be too broad; you can only approve this one call.".to_owned());
        }
        rows.push("Deny rules override any answer. [n] tells the model no, [e] also why.".to_owned());
        format!("{}\n> ", rows.join("\n"))
    }

    /// Pattern that a stored answer would allow, on one line; `None` if nothing is stored.
    pub(crate) fn stores(&self) -> Option<String> {
        self.question.stores().then(|| self.question.stored_rows("", Width::UNBOUNDED).concat())
    }

    /// Rows without colours or answers.
    pub(crate) fn rows(&self, width: Width) -> Vec<String> {
        self.question.rows(width)
    }
}

/// Colours a row by its kind. Control characters were removed from the text before.
fn painted(kind: RowKind, text: String, colours: bool) -> String {
    let colour = match kind {
        RowKind::Asks => "1;33",
        RowKind::Denied => "1;31",
        RowKind::Added => "32",
        RowKind::Removed => "31",
        RowKind::Aside => "2",
        RowKind::Plain => return text,
    };
    if colours { format!("\u{1b}[{colour}m{text}\u{1b}[0m") } else { text }
}

/// Rows of a question without its answers, for output that accepts no answer.
pub(crate) fn summary(prompt: &ConfirmPrompt) -> Vec<String> {
    match TerminalQuestion::new(prompt, false) {
        Some(shown) => shown.rows(width(std::io::stderr())),
        None => vec![format!("{} asks, but the question is too long to be shown whole", prompt.tool)],
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

    const SCREEN: fn(bool) -> Screen = |colours| Screen { width: Width::columns(80), height: 24, colours };

    fn text(stores: bool) -> String {
        TerminalQuestion::new(&prompt(stores), false).unwrap().text(&[], SCREEN(false), 120)
    }

    #[test]
    fn colours_stand_around_rows_and_are_left_out_where_they_are_not_wanted() {
        let shown = TerminalQuestion::new(&prompt(true), true).unwrap();
        let text = shown.text(&[], SCREEN(true), 120);
        assert!(text.contains("\u{1b}[1;33mbash ASK: rm -rf x\\u{1b}[A\u{1b}[0m\n"), "{text:?}");
        assert!(text.contains("\u{1b}[2m  allowed: cargo build\u{1b}[0m"), "{text:?}");
        assert!(text.contains("[s] session  [a] always"), "{text}");
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
        let explained = TerminalQuestion::new(&prompt(true), false).unwrap().explained(Width::columns(100));
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
            let text = TerminalQuestion::new(&prompt, false).unwrap().text(&[], SCREEN(false), 120);
            for row in text.trim_start_matches('\n').lines() {
                assert!(own.iter().any(|own| row.starts_with(own)), "{row:?} in {text}");
                assert!(!row.contains(haft::core::is_hidden), "{row:?}");
            }
            assert_eq!(text.lines().filter(|row| row.starts_with("[y] once")).count(), 1, "{text}");
        }
    }

    #[test]
    fn answers_are_read_as_people_type_them() {
        let check = |line: &str, stores: bool, expected: Reply| {
            assert_eq!(TerminalQuestion::new(&prompt(stores), false).unwrap().reply(line), expected, "{line:?}");
        };
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
        let lasting = TerminalQuestion::new(&prompt(true), true).unwrap();
        assert_eq!(lasting.reply("S"), Reply::Answer(Answer::Session));
        check("E", true, Reply::NoBecause);
        check("?", true, Reply::Explain);
        check("yep", true, Reply::Unknown);
    }
}
