//! Words: quotes, escapes and expansions. Commands in substitutions are read along the way.

use super::cursor::{Parser, Problem, ends_word};
use super::tree::{Feed, Part, ScopeKind, Word};

impl Parser<'_> {
    /// Reads one word, which must exist.
    pub(super) fn word(&mut self) -> Result<Word, Problem> {
        let start = self.at;
        let mut word = Word::default();
        while let Some(character) = self.peek() {
            match character {
                '<' | '>' if self.peek_at(1) == Some('(') => {
                    self.process(character == '<')?;
                    word.parts.push(Part::Dynamic);
                }
                character if ends_word(character) => break,
                '\r' => return Problem::new("a carriage return outside quotes"),
                '\\' => {
                    self.at += 1;
                    match self.next() {
                        // Keywords and names may consist of both parts.
                        Some('\n') if self.peek().is_some_and(|next| !ends_word(next)) => {
                            return Problem::new("a word that is joined over the end of a line");
                        }
                        Some('\n') => {}
                        Some(character) => word.push(character, true),
                        None => word.push('\\', false),
                    }
                }
                '\'' => self.single_quotes(&mut word)?,
                '"' => self.double_quotes(&mut word)?,
                '$' => self.dollar(&mut word, false)?,
                '`' => self.backticks(&mut word, false)?,
                '~' if word.parts.is_empty() => self.tilde(&mut word),
                '?' | '*' | '+' | '@' | '!' if self.peek_at(1) == Some('(') => {
                    return Problem::new("an extended pattern");
                }
                '*' | '?' | '[' => {
                    self.at += 1;
                    word.parts.push(Part::Glob(character));
                }
                _ => {
                    self.at += 1;
                    word.push(character, false);
                }
            }
        }
        if self.at == start {
            return match self.peek() {
                Some(other) => Problem::new(format!("unexpected `{}`", other.escape_debug())),
                None => Problem::new("the command ends too early"),
            };
        }
        word.source = self.slice(start, self.at);
        word.find_braces();
        word.close_brackets();
        Ok(word)
    }

    fn tilde(&mut self, word: &mut Word) {
        self.at += 1;
        let mut name = String::new();
        while let Some(character) =
            self.peek().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+'))
        {
            name.push(character);
            self.at += 1;
        }
        word.parts.push(Part::Tilde(name));
    }

    pub(super) fn single_quotes(&mut self, word: &mut Word) -> Result<(), Problem> {
        self.at += 1;
        word.push_empty();
        loop {
            match self.next() {
                Some('\'') => return Ok(()),
                Some(character) => word.push(character, true),
                None => return Problem::new("a quote `'` without its end"),
            }
        }
    }

    pub(super) fn double_quotes(&mut self, word: &mut Word) -> Result<(), Problem> {
        self.at += 1;
        word.push_empty();
        loop {
            match self.peek() {
                Some('"') => {
                    self.at += 1;
                    return Ok(());
                }
                None => return Problem::new("a quote `\"` without its end"),
                Some(_) => self.quoted_character(word, true)?,
            }
        }
    }

    /// One character, escape or expansion of a text in double quotes or, with other escapes, of a
    /// here-document.
    pub(super) fn quoted_character(&mut self, word: &mut Word, in_quotes: bool) -> Result<(), Problem> {
        match self.peek() {
            Some('\\') => {
                self.at += 1;
                match self.peek() {
                    Some('\n') => self.at += 1,
                    Some(character @ ('$' | '`' | '\\')) => {
                        self.at += 1;
                        word.push(character, true);
                    }
                    Some('"') if in_quotes => {
                        self.at += 1;
                        word.push('"', true);
                    }
                    _ => word.push('\\', true),
                }
            }
            Some('$') => self.dollar(word, true)?,
            Some('`') => self.backticks(word, in_quotes)?,
            Some(character) => {
                self.at += 1;
                word.push(character, true);
            }
            None => {}
        }
        Ok(())
    }

    /// An expansion that begins with `$`. `quoted`: inside double quotes or a here-document.
    pub(super) fn dollar(&mut self, word: &mut Word, quoted: bool) -> Result<(), Problem> {
        self.deeper(|parser| parser.expansion(word, quoted))
    }

    fn expansion(&mut self, word: &mut Word, quoted: bool) -> Result<(), Problem> {
        self.at += 1;
        match self.peek() {
            Some('(') if self.peek_at(1) == Some('(') && self.arithmetic_end(self.at + 2).is_some() => {
                let end = self.arithmetic_end(self.at + 2).unwrap_or(self.text.len());
                self.at += 2;
                self.expressions(end)?;
                self.at = end + 2;
                word.parts.push(Part::Number { quoted });
            }
            Some('(') => {
                self.at += 1;
                let start = self.at;
                self.substitution("$(…)")?;
                let text = self.slice(start, self.at.saturating_sub(1));
                word.parts.push(Part::Output { text, quoted });
            }
            Some('{') => {
                self.at += 1;
                let part = self.braced_parameter(quoted)?;
                word.parts.push(part);
            }
            Some('[') => {
                self.at += 1;
                self.until_bracket()?;
                word.parts.push(Part::Number { quoted });
            }
            Some('\'') if !quoted => self.ansi_quotes(word)?,
            Some('"') if !quoted => self.double_quotes(word)?,
            Some(first) if first.is_ascii_alphabetic() || first == '_' => {
                let name = self.name();
                if self.is_joined_to_name() {
                    return Problem::new("a name that is joined over the end of a line");
                }
                word.parts.push(Part::Variable { name, quoted });
            }
            Some(special) if special.is_ascii_digit() || "@*#?-$!".contains(special) => {
                self.at += 1;
                word.parts.push(Part::Variable { name: special.to_string(), quoted });
            }
            _ => word.push('$', quoted),
        }
        Ok(())
    }

    /// Whether a name that ends here continues after a line continuation.
    fn is_joined_to_name(&self) -> bool {
        let goes_on = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '\\');
        self.looking_at("\\\n") && self.peek_at(2).is_some_and(goes_on)
    }

    /// The letters, digits and `_` at the current position.
    pub(super) fn name(&mut self) -> String {
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
            self.at += 1;
        }
        self.slice(start, self.at)
    }

    /// `<(…)` or `>(…)`. The commands in `>(…)` get their input from the command that has it
    /// as an argument.
    pub(super) fn process(&mut self, is_read: bool) -> Result<(), Problem> {
        self.at += 2;
        let from = self.count();
        self.substitution(if is_read { "<(…)" } else { ">(…)" })?;
        if !is_read {
            self.feed_range(from, &Feed::Unknown);
        }
        Ok(())
    }

    /// The commands of a substitution, up to its `)`.
    pub(super) fn substitution(&mut self, kind: &str) -> Result<(), Problem> {
        self.via.push(kind.to_owned());
        // Here-documents announced outside begin after a line end outside.
        let outside = std::mem::take(&mut self.pending);
        let from = self.count();
        self.deeper(|parser| parser.list(&[]))?;
        self.found.scope(ScopeKind::Subshell, from);
        if !self.pending.is_empty() {
            return Problem::new("a here-document that ends with its substitution");
        }
        self.pending = outside;
        self.via.pop();
        if self.eat(")") { Ok(()) } else { Problem::new(format!("a `{kind}` without its end")) }
    }

    fn backticks(&mut self, word: &mut Word, in_quotes: bool) -> Result<(), Problem> {
        self.at += 1;
        let mut inner = String::new();
        loop {
            match self.next() {
                Some('`') => break,
                Some('\\') => match self.peek() {
                    Some(character @ ('$' | '`' | '\\')) => {
                        self.at += 1;
                        inner.push(character);
                    }
                    Some('"') if in_quotes => {
                        self.at += 1;
                        inner.push('"');
                    }
                    _ => inner.push('\\'),
                },
                Some(character) => inner.push(character),
                None => return Problem::new("a backtick without its end"),
            }
        }
        word.parts.push(Part::Output { text: inner.clone(), quoted: in_quotes });
        self.inner(&inner, Some("`…`"), |inner| {
            let from = inner.count();
            inner.whole_text()?;
            inner.found.scope(ScopeKind::Subshell, from);
            Ok(())
        })
    }

    fn until_bracket(&mut self) -> Result<(), Problem> {
        let start = self.at;
        let mut word = Word::default();
        let mut open = 1;
        loop {
            match self.peek() {
                Some('[') => open += 1,
                Some(']') => open -= 1,
                None => return Problem::new("a `$[` without its end"),
                Some(_) => {}
            }
            if open == 0 {
                word.source = self.slice(start, self.at);
                self.found.expressions.push(word);
                self.at += 1;
                return Ok(());
            }
            self.quoted_character(&mut word, true)?;
        }
    }

    /// Position of the `))` that closes an arithmetic expression that begins at `from`; `None` if
    /// it is not an expression but nested subshells.
    pub(super) fn arithmetic_end(&self, from: usize) -> Option<usize> {
        let mut open = 0u32;
        for (at, character) in self.text.iter().enumerate().skip(from) {
            match character {
                '(' => open += 1,
                ')' if open > 0 => open -= 1,
                ')' => return (self.text.get(at + 1) == Some(&')')).then_some(at),
                _ => {}
            }
        }
        None
    }

    /// Notes an expression that ends at `end`, and reads its substitutions.
    pub(super) fn expressions(&mut self, end: usize) -> Result<(), Problem> {
        let word = self.quoted_until(end)?;
        self.found.expressions.push(word);
        Ok(())
    }

    /// The text up to `end`, read as in double quotes: bash reads expressions and subscripts this
    /// way.
    pub(super) fn quoted_until(&mut self, end: usize) -> Result<Word, Problem> {
        let mut word = Word { source: self.slice(self.at, end), ..Word::default() };
        while self.at < end {
            self.quoted_character(&mut word, true)?;
        }
        if self.at == end { Ok(word) } else { Problem::new("an expression that ends inside a substitution") }
    }

    /// `$'…'` with its escapes.
    fn ansi_quotes(&mut self, word: &mut Word) -> Result<(), Problem> {
        self.at += 1;
        word.push_empty();
        // An escape for NUL ends the value; the rest is read but dropped.
        let mut dropped = None;
        loop {
            let into = dropped.as_mut().unwrap_or(&mut *word);
            match self.next() {
                Some('\'') => return Ok(()),
                Some('\\') if !self.ansi_escape(into)? => dropped = Some(Word::default()),
                Some('\\') => {}
                Some(character) => into.push(character, true),
                None => return Problem::new("a quote `$'` without its end"),
            }
        }
    }

    /// One escape after its backslash. Returns whether the value continues after it.
    fn ansi_escape(&mut self, word: &mut Word) -> Result<bool, Problem> {
        let Some(kind) = self.next() else { return Problem::new("a quote `$'` without its end") };
        let code = match kind {
            'n' => 10,
            't' => 9,
            'r' => 13,
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'v' => 11,
            'e' | 'E' => 27,
            'x' => self.digits(16, 2),
            'u' => self.digits(16, 4),
            'U' => self.digits(16, 8),
            'c' => self.next().map_or(0, |character| u32::from(character) & 0x1f),
            '0'..='7' => {
                self.at -= 1;
                self.digits(8, 3) & 0xff
            }
            '\\' | '\'' | '"' | '?' => u32::from(kind),
            other => {
                word.push('\\', true);
                u32::from(other)
            }
        };
        match char::from_u32(code) {
            None => Problem::new("an invalid character in `$'…'`"),
            Some('\0') => Ok(false),
            Some(character) => {
                word.push(character, true);
                Ok(true)
            }
        }
    }

    fn digits(&mut self, radix: u32, most: usize) -> u32 {
        let mut value: u32 = 0;
        for _ in 0..most {
            let Some(digit) = self.peek().and_then(|character| character.to_digit(radix)) else { break };
            value = value.wrapping_mul(radix).wrapping_add(digit);
            self.at += 1;
        }
        value
    }
}
