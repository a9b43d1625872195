//! Simple commands: assignments, words and redirections.

use super::cursor::{Parser, Problem, ends_word};
use super::tree::{Feed, Function, Part, Redirect, RedirectKind, Setting, Simple, Word};

/// Commands whose arguments are assignments too.
const DECLARERS: [&str; 5] = ["declare", "typeset", "local", "export", "readonly"];

impl Parser<'_> {
    /// A simple command or the definition of a function.
    pub(super) fn simple(&mut self) -> Result<bool, Problem> {
        let start = self.at;
        let announced = self.pending.len();
        let (via, chains) = (self.via.clone(), self.found.around.clone());
        let mut command = Simple { via, chains, ..Simple::default() };
        let mut end = start;
        loop {
            self.blanks();
            if self.redirection(&mut command.redirects)? {
                end = self.at;
                continue;
            }
            match self.peek() {
                Some('(') if command.is_bare_name() => return self.function(&command).map(|()| false),
                Some('<' | '>') if self.peek_at(1) == Some('(') => {}
                None => break,
                Some(character) if ends_word(character) => break,
                Some(_) => {}
            }
            let declares =
                command.words.first().and_then(Word::literal).is_some_and(|word| DECLARERS.contains(&word.as_str()));
            if (command.words.is_empty() || declares)
                && let Some((name, value)) = self.assignment(declares)?
            {
                command.assignments.push((name, value));
            } else {
                command.words.extend(self.word()?.expanded());
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
        Ok(true)
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

    /// The body of a function, read as if it ran.
    pub(super) fn function_body(&mut self, name: String) -> Result<(), Problem> {
        self.blank_lines()?;
        let from = self.count();
        // It runs where it is called, not in the chain in which it is defined.
        let around = std::mem::replace(&mut self.found.around, vec![0]);
        self.deeper(Self::command)?;
        self.found.around = around;
        // The input of the body depends on where the function is called.
        self.feed_range(from, &Feed::Unknown);
        let body = from..self.count();
        self.found.functions.push(Function { name, body });
        Ok(())
    }

    /// `NAME=word`, `NAME+=word`, `NAME[…]=word` or `NAME=(…)`. `None`, without moving, if
    /// there is no assignment. `declares`: it is an argument of a declaring builtin.
    fn assignment(&mut self, declares: bool) -> Result<Option<(String, Word)>, Problem> {
        let start = self.at;
        if !self.peek().is_some_and(|c| c.is_ascii_alphabetic() || c == '_') {
            return Ok(None);
        }
        let name = self.name();
        if self.peek() == Some('[') {
            let subscript = self.subscript()?;
            if !self.looking_at("=") && !self.looking_at("+=") {
                // Expansions already read cannot be read a second time: the work would double at
                // each nesting level.
                if !is_plain(&subscript) {
                    return Problem::new("a subscript that is not understood");
                }
                self.at = start;
                return Ok(None);
            }
            if declares && !is_plain(&subscript) && subscript.source.contains([' ', '\t', '\n', ';', '&', '|', '<']) {
                return Problem::new("a subscript that is not understood");
            }
            self.found.expressions.push(subscript);
            self.found.arrays.push(name.clone());
        }
        if !self.eat("=") && !self.eat("+=") {
            self.at = start;
            return Ok(None);
        }
        let value = match self.peek() {
            Some('(') => {
                self.found.arrays.push(name.clone());
                self.array()?
            }
            None => Word::default(),
            Some('<' | '>') if self.peek_at(1) == Some('(') => self.word()?,
            Some(character) if ends_word(character) => Word::default(),
            Some(_) => self.word()?,
        };
        Ok(Some((name, value)))
    }

    /// `(…)` after `NAME=`. Its words may contain subscripts, which are evaluated.
    fn array(&mut self) -> Result<Word, Problem> {
        let start = self.at;
        self.at += 1;
        let mut words = Vec::new();
        loop {
            self.blank_lines()?;
            if self.eat(")") {
                break;
            }
            if self.peek() == Some('[') {
                let from = self.at;
                let subscript = self.subscript()?;
                if !self.eat("=") && !self.eat("+=") {
                    if !is_plain(&subscript) {
                        return Problem::new("an element of an array that is not understood");
                    }
                    self.at = from;
                    words.push(self.word()?);
                    continue;
                }
                self.found.expressions.push(subscript);
                if self.peek().is_none_or(ends_word)
                    && !matches!((self.peek(), self.peek_at(1)), (Some('<' | '>'), Some('(')))
                {
                    continue;
                }
            }
            words.extend(self.word()?.expanded());
        }
        if self.peek().is_some_and(|character| !ends_word(character)) {
            return Problem::new("text behind an array");
        }
        Ok(Word { parts: vec![Part::Array(words)], source: self.slice(start, self.at), has_braces: false })
    }

    /// Reads a redirection. Returns whether there is one.
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
                self.named_descriptor()?;
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
            let is_descriptor = |text: String| text.chars().all(|c| c.is_ascii_digit() || c == '-') && !text.is_empty();
            let kind = match kind {
                RedirectKind::Duplicate if operator == ">&" && !target.literal().is_some_and(is_descriptor) => {
                    RedirectKind::Write
                }
                other => other,
            };
            let is_expanded_twice = operator.ends_with('&') && !target.literal().is_some_and(is_descriptor);
            into.push(Redirect { kind, target, is_expanded_twice });
            return Ok(true);
        }
        Ok(false)
    }

    /// `{name}` or `{name[…]}` before a redirection.
    fn named_descriptor(&mut self) -> Result<(), Problem> {
        let start = self.at;
        self.at += 1;
        let name = self.name();
        let is_name = !name.is_empty();
        if is_name && self.peek() == Some('[') {
            // Anything else is a word with braces, which is rare.
            let subscript = self.subscript()?;
            self.found.expressions.push(subscript);
            return if self.eat("}") { Ok(()) } else { Problem::new("a subscript that is not understood") };
        }
        if is_name && self.eat("}") && matches!(self.peek(), Some('<' | '>')) {
            let value = Word { parts: vec![Part::Number { quoted: true }], ..Word::default() };
            self.found.settings.push(Setting { name, value, is_split: false });
        } else {
            self.at = start;
        }
        Ok(())
    }
}

/// Whether a subscript is read the same way as a part of a word.
fn is_plain(subscript: &Word) -> bool {
    !subscript.source.contains([' ', '\t', '\n', '$', '`', '\'', '"', '\\', ';', '&', '|', '(', '<', '>'])
}

impl Simple {
    fn is_bare_name(&self) -> bool {
        self.words.len() == 1 && self.assignments.is_empty() && self.redirects.is_empty()
    }
}

/// The input that the last input redirection gives. The text of a here-document is filled in when
/// it is read.
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
