//! The state of the parser: the text, the position in it, the findings so far, and the limits.

use super::tree::{Parsed, Simple, Word};

/// Maximum nesting depth.
const DEEPEST: u32 = 80;
/// Maximum length of a text in characters.
const MAX_TEXT_CHARS: usize = 128 * 1024;
/// Maximum number of commands, including those in nested texts.
const MAX_COMMANDS: usize = 1_000;

/// Reason why a text could not be read: a clause for people, without a period.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Problem(pub(crate) String);

impl Problem {
    pub(crate) fn new<T>(text: impl Into<String>) -> Result<T, Self> {
        Err(Self(text.into()))
    }
}

/// Reads a whole text.
///
/// # Errors
/// If the text is incomplete, or uses syntax that this parser does not support.
pub(crate) fn parse(text: &str) -> Result<Parsed, Problem> {
    let mut found = Parsed::default();
    let mut parser = Parser::new(text, &mut found, &[], 0)?;
    parser.whole_text()?;
    Ok(found)
}

/// Reads a text as a single word; `None` if it is not one. Commands in it are not collected.
pub(crate) fn parse_word(text: &str) -> Option<Word> {
    let mut found = Parsed::default();
    let mut parser = Parser::new(text, &mut found, &[], 0).ok()?;
    let word = parser.word().ok()?;
    parser.peek().is_none().then_some(word)
}

/// A here-document that waits for the end of its line.
pub(super) struct PendingHeredoc {
    pub(super) delimiter: String,
    /// Whether the delimiter is quoted: the text has no expansions then.
    pub(super) is_plain: bool,
    pub(super) strips_tabs: bool,
    /// Index of the command that gets the text as input, once it is known.
    pub(super) command: Option<usize>,
    pub(super) via: Vec<String>,
}

pub(super) struct Parser<'a> {
    pub(super) text: Vec<char>,
    pub(super) at: usize,
    pub(super) found: &'a mut Parsed,
    /// The wrappers that the text is run through, outermost first.
    pub(super) via: Vec<String>,
    pub(super) depth: u32,
    pub(super) pending: Vec<PendingHeredoc>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &str, found: &'a mut Parsed, via: &[String], depth: u32) -> Result<Self, Problem> {
        let text: Vec<char> = text.chars().collect();
        if text.len() > MAX_TEXT_CHARS {
            return Problem::new("the command is too long to be read");
        }
        if text.contains(&'\0') {
            return Problem::new("the command holds a NUL character");
        }
        if splits_operator(&text) {
            return Problem::new("an operator that is joined over the end of a line");
        }
        Ok(Self { text, at: 0, found, via: via.to_vec(), depth, pending: Vec::new() })
    }

    pub(super) fn whole_text(&mut self) -> Result<(), Problem> {
        self.list(&[])?;
        match self.peek() {
            None if self.pending.is_empty() => Ok(()),
            None => Problem::new("a here-document without its text"),
            Some(other) => Problem::new(format!("unexpected `{other}`")),
        }
    }

    /// Reads an inner text (a backtick substitution, the body of a here-document) with a separate
    /// parser.
    pub(super) fn inner(
        &mut self,
        text: &str,
        via: Option<&str>,
        read: impl FnOnce(&mut Parser<'_>) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        let mut chain = self.via.clone();
        chain.extend(via.map(str::to_owned));
        let depth = self.depth + 1;
        bounded(depth)?;
        let mut parser = Parser::new(text, self.found, &chain, depth)?;
        read(&mut parser)
    }

    /// Runs `read` one nesting level deeper.
    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Problem>) -> Result<T, Problem> {
        self.depth += 1;
        bounded(self.depth)?;
        let read = read(self);
        self.depth -= 1;
        read
    }

    pub(super) fn emit(&mut self, command: Simple) -> Result<(), Problem> {
        if self.found.commands.len() >= MAX_COMMANDS {
            return Problem::new("more commands than can be judged");
        }
        self.found.commands.push(command);
        Ok(())
    }

    pub(super) fn count(&self) -> usize {
        self.found.commands.len()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    pub(super) fn peek_at(&self, offset: usize) -> Option<char> {
        self.text.get(self.at + offset).copied()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let found = self.peek();
        self.at += usize::from(found.is_some());
        found
    }

    pub(super) fn eat(&mut self, expected: &str) -> bool {
        let matches = self.looking_at(expected);
        if matches {
            self.at += expected.chars().count();
        }
        matches
    }

    pub(super) fn looking_at(&self, expected: &str) -> bool {
        expected.chars().enumerate().all(|(offset, wanted)| self.peek_at(offset) == Some(wanted))
    }

    pub(super) fn slice(&self, from: usize, to: usize) -> String {
        self.text.get(from..to).unwrap_or_default().iter().collect()
    }

    /// Skips blanks, line continuations and a comment.
    pub(super) fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(' ' | '\t') => self.at += 1,
                Some('\\') if self.peek_at(1) == Some('\n') => self.at += 2,
                Some('#') if self.at == 0 || self.text.get(self.at - 1).is_none_or(|before| ends_word(*before)) => {
                    while self.peek().is_some_and(|character| character != '\n') {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    /// Skips blanks, comments and line ends, and reads the here-documents after each line end.
    pub(super) fn blank_lines(&mut self) -> Result<(), Problem> {
        loop {
            self.blanks();
            if self.peek() != Some('\n') {
                return Ok(());
            }
            self.line_end()?;
        }
    }

    /// Consumes a line end and the here-documents after it.
    pub(super) fn line_end(&mut self) -> Result<(), Problem> {
        self.at += 1;
        for pending in std::mem::take(&mut self.pending) {
            self.here_document(pending)?;
        }
        Ok(())
    }
}

fn bounded(depth: u32) -> Result<(), Problem> {
    if depth > DEEPEST { Problem::new("the command is nested too deeply to be read") } else { Ok(()) }
}

/// The text without line continuations. Bash does not join lines in single quotes.
pub(crate) fn join_lines(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (letter, (letter == '\\').then(|| letters.next()).flatten()) {
            ('\\', Some('\n')) => {}
            (_, next) => joined.extend([letter].into_iter().chain(next)),
        }
    }
    joined
}

/// Whether a line continuation splits an operator of two characters: bash joins lines before it
/// looks for operators.
fn splits_operator(text: &[char]) -> bool {
    let mut at = 0;
    while let Some(found) = text[at..].windows(2).position(|pair| pair == ['\\', '\n']) {
        let start = at + found;
        let mut end = start + 2;
        while text[end..].starts_with(&['\\', '\n']) {
            end += 2;
        }
        at = end;
        let (Some(before), Some(after)) = (start.checked_sub(1).map(|at| text[at]), text.get(end)) else { continue };
        let together = match before {
            '$' => !after.is_whitespace(),
            '<' => "<(&>".contains(*after),
            '>' => ">(&|".contains(*after),
            '&' => "&>".contains(*after),
            '|' => "|&".contains(*after),
            ';' => ";&".contains(*after),
            '(' | '=' | '?' | '*' | '+' | '@' | '!' => *after == '(',
            ')' | ']' | '[' => *after == before,
            _ => false,
        };
        if together {
            return true;
        }
    }
    false
}

/// Whether an unquoted character ends a word.
pub(super) fn ends_word(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>')
}
