//! Simple commands: assignments, words and redirections.

use super::cursor::{Function, Parser, Problem, ends_word};
use super::word::Word;

/// Where a command's standard input comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Feed {
    /// Nowhere in particular.
    #[default]
    None,
    /// The output of the commands with these indices.
    Pipe(std::ops::Range<usize>),
    /// This text.
    Text(String),
    /// Something that is not seen here: a file, a descriptor, a text with expansions.
    Unknown,
}

/// What a redirection does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RedirectKind {
    Read,
    Write,
    ReadWrite,
    /// To or from another descriptor.
    Duplicate,
    HereDocument,
    HereString,
}

/// One redirection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Redirect {
    pub(crate) kind: RedirectKind,
    /// The file, descriptor or text; a here-document's delimiter.
    pub(crate) target: Word,
}

/// A simple command before expansion. One without words is an assignment or a bare redirection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Simple {
    pub(crate) assignments: Vec<(String, Word)>,
    pub(crate) words: Vec<Word>,
    pub(crate) redirects: Vec<Redirect>,
    pub(crate) feed: Feed,
    /// As it stands in the text.
    pub(crate) line: String,
    /// The substitutions it stands in, outermost first.
    pub(crate) via: Vec<String>,
    /// Whether it runs beside others: in a pipe or in the background.
    pub(crate) is_concurrent: bool,
}

impl Simple {
    /// Takes the text of a here-document; `None` when it holds expansions.
    pub(super) fn feed_text(&mut self, text: Option<String>) {
        self.feed = text.map_or(Feed::Unknown, Feed::Text);
    }
}

/// Commands whose arguments are assignments too.
const DECLARERS: [&str; 5] = ["declare", "typeset", "local", "export", "readonly"];

impl Parser<'_> {
    /// A simple command or the definition of a function.
    pub(super) fn simple(&mut self) -> Result<(), Problem> {
        let start = self.at;
        let announced = self.pending.len();
        let mut command = Simple { via: self.via.clone(), ..Simple::default() };
        let mut end = start;
        loop {
            self.blanks();
            if self.redirection(&mut command.redirects)? {
                end = self.at;
                continue;
            }
            match self.peek() {
                Some('(') if command.is_bare_name() => return self.function(&command),
                Some('<' | '>') if self.peek_at(1) == Some('(') => {}
                None => break,
                Some(character) if ends_word(character) => break,
                Some(_) => {}
            }
            let declares =
                command.words.first().and_then(Word::literal).is_some_and(|word| DECLARERS.contains(&word.as_str()));
            if (command.words.is_empty() || declares)
                && let Some((name, value)) = self.assignment()?
            {
                command.assignments.push((name, value));
            } else {
                command.words.push(self.word()?);
            }
            end = self.at;
        }
        if command.words.is_empty() && command.assignments.is_empty() && command.redirects.is_empty() {
            return match self.peek() {
                Some(other) => Problem::new(format!("unexpected `{}`", other.escape_debug())),
                None => Problem::new("the command ends too early"),
            };
        }
        command.line = self.slice(start, end);
        command.feed = feed_of(&command.redirects);
        let index = self.count();
        self.emit(command)?;
        self.feed_here_documents(announced, index);
        Ok(())
    }

    fn function(&mut self, command: &Simple) -> Result<(), Problem> {
        self.at += 1;
        self.blanks();
        if !self.eat(")") {
            return Problem::new("unexpected `(`");
        }
        let name = command.words.first().and_then(Word::literal).unwrap_or_default();
        self.function_body(name)
    }

    /// The body of a function, read as if it ran: whether it does is not decided here.
    pub(super) fn function_body(&mut self, name: String) -> Result<(), Problem> {
        self.blank_lines()?;
        let from = self.count();
        self.deeper(Self::command)?;
        let body = from..self.count();
        self.found.functions.push(Function { name, body });
        Ok(())
    }

    /// `NAME=word`, `NAME+=word`, `NAME[…]=word` or `NAME=(…)`; stays in place when there is none.
    fn assignment(&mut self) -> Result<Option<(String, Word)>, Problem> {
        let start = self.at;
        if !self.peek().is_some_and(|c| c.is_ascii_alphabetic() || c == '_') {
            return Ok(None);
        }
        while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
            self.at += 1;
        }
        let name = self.slice(start, self.at);
        let bracket = self.at;
        if self.peek() == Some('[') {
            if !self.subscript()? {
                self.at = start;
                return Ok(None);
            }
            self.found.expressions.push(self.slice(bracket, self.at));
        }
        if !self.eat("=") && !self.eat("+=") {
            self.at = start;
            return Ok(None);
        }
        let value = match self.peek() {
            Some('(') => self.array()?,
            None => Word::default(),
            Some('<' | '>') if self.peek_at(1) == Some('(') => self.word()?,
            Some(character) if ends_word(character) => Word::default(),
            Some(_) => self.word()?,
        };
        Ok(Some((name, value)))
    }

    /// `[…]` before an assignment's `=`; tells whether it is one. What is not certain is left to be read as a word, whose
    /// bracket then counts as a pattern.
    fn subscript(&mut self) -> Result<bool, Problem> {
        let mut word = Word::default();
        let mut open = 0u32;
        let mut has_expansion = false;
        loop {
            match self.peek() {
                Some('[') => open += 1,
                Some(']') if open == 1 => {
                    self.at += 1;
                    if self.looking_at("=") || self.looking_at("+=") {
                        return Ok(true);
                    }
                    break;
                }
                Some(']') => open -= 1,
                Some(character) if ends_word(character) || matches!(character, '"' | '\'' | '\\') => break,
                None => break,
                Some(character) => has_expansion |= matches!(character, '$' | '`'),
            }
            self.quoted_character(&mut word, true)?;
        }
        // What was expanded on the way cannot be read a second time: nested, that would double at each level.
        if has_expansion { Problem::new("a subscript that is not understood") } else { Ok(false) }
    }

    fn array(&mut self) -> Result<Word, Problem> {
        let start = self.at;
        self.at += 1;
        let mut parts = Vec::new();
        loop {
            self.blank_lines()?;
            if self.eat(")") {
                break;
            }
            parts.extend(self.word()?.parts);
        }
        parts.push(super::word::Part::Dynamic { quoted: false });
        Ok(Word { parts, source: self.slice(start, self.at), has_braces: false })
    }

    /// Reads one redirection if there is one.
    pub(super) fn redirection(&mut self, into: &mut Vec<Redirect>) -> Result<bool, Problem> {
        let start = self.at;
        let both = self.looking_at("&>");
        if both {
            self.at += 1;
        } else {
            while self.peek().is_some_and(|character| character.is_ascii_digit()) {
                self.at += 1;
            }
            if self.at == start && self.peek() == Some('{') {
                self.named_descriptor();
            }
        }
        let is_operator = matches!(self.peek(), Some('<' | '>')) && self.peek_at(1) != Some('(');
        if !is_operator {
            self.at = start;
            return Ok(false);
        }
        let kinds = [
            ("<<<", RedirectKind::HereString),
            ("<<-", RedirectKind::HereDocument),
            ("<<", RedirectKind::HereDocument),
            ("<&", RedirectKind::Duplicate),
            ("<>", RedirectKind::ReadWrite),
            ("<", RedirectKind::Read),
            (">>", RedirectKind::Write),
            (">&", RedirectKind::Duplicate),
            (">|", RedirectKind::Write),
            (">", RedirectKind::Write),
        ];
        for (operator, kind) in kinds {
            if !self.eat(operator) {
                continue;
            }
            let target = if kind == RedirectKind::HereDocument {
                self.announce_here_document(operator == "<<-")?
            } else {
                self.blanks();
                self.word()?
            };
            // `>&file` writes to a file.
            let is_descriptor = |text: String| text.chars().all(|c| c.is_ascii_digit() || c == '-');
            let kind = match kind {
                RedirectKind::Duplicate if operator == ">&" && !target.literal().is_some_and(is_descriptor) => {
                    RedirectKind::Write
                }
                other => other,
            };
            into.push(Redirect { kind, target });
            return Ok(true);
        }
        Ok(false)
    }

    /// `{name}` in front of a redirection.
    fn named_descriptor(&mut self) {
        let start = self.at;
        self.at += 1;
        while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
            self.at += 1;
        }
        if !(self.eat("}") && matches!(self.peek(), Some('<' | '>'))) {
            self.at = start;
        }
    }
}

impl Simple {
    fn is_bare_name(&self) -> bool {
        self.words.len() == 1 && self.assignments.is_empty() && self.redirects.is_empty()
    }
}

/// What the last redirection of the input says; here-documents are filled in when their text is read.
pub(super) fn feed_of(redirects: &[Redirect]) -> Feed {
    let mut feed = Feed::None;
    for redirect in redirects {
        feed = match redirect.kind {
            RedirectKind::Read if redirect.target.literal().as_deref() == Some("/dev/null") => {
                Feed::Text(String::new())
            }
            RedirectKind::Read | RedirectKind::ReadWrite | RedirectKind::HereDocument => Feed::Unknown,
            RedirectKind::Duplicate
                if redirect.target.literal().is_none_or(|text| !matches!(text.as_str(), "1" | "2" | "-")) =>
            {
                Feed::Unknown
            }
            RedirectKind::HereString => redirect.target.literal().map_or(Feed::Unknown, Feed::Text),
            RedirectKind::Write | RedirectKind::Duplicate => continue,
        };
    }
    feed
}
