//! `${…}`: a variable, the operator on its value, and every part that bash evaluates as an
//! expression.

use super::cursor::{Parser, Problem};
use super::tree::{Operator, Parameter, Part, Setting, Word};

impl Parser<'_> {
    /// `${…}` after its opening brace.
    pub(super) fn braced_parameter(&mut self, quoted: bool) -> Result<Part, Problem> {
        if matches!(self.peek(), Some(' ' | '\t' | '\n' | '|')) {
            return Problem::new("a `${ …; }` substitution");
        }
        let start = self.at;
        let part = self.deeper(|parser| parser.parameter(quoted))?;
        if self.text[start..self.at].windows(2).any(|pair| pair == ['\\', '\n']) {
            return Problem::new("a `${…}` that is joined over the end of a line");
        }
        Ok(part)
    }

    fn parameter(&mut self, quoted: bool) -> Result<Part, Problem> {
        let follows = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || "_@*#?!$-".contains(c));
        let is_length = self.peek() == Some('#') && follows(self.peek_at(1)) && {
            let after = self.peek_at(2);
            self.peek_at(1).is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') || after == Some('}')
        };
        let is_indirect = self.peek() == Some('!') && follows(self.peek_at(1));
        if is_length || is_indirect {
            self.at += 1;
        }
        let name = self.parameter_name()?;
        let subscript = if self.peek() == Some('[') { Some(self.subscript()?) } else { None };
        let is_list = subscript.as_ref().is_some_and(|text| matches!(text.source.as_str(), "@" | "*"));
        let subscript_is_evaluated = subscript.is_some() && !is_list;
        self.found.expressions.extend(subscript.filter(|_| subscript_is_evaluated));
        if is_indirect {
            return self.indirect(name, is_list, quoted);
        }
        if self.eat("}") {
            return Ok(match (is_length, subscript_is_evaluated || is_list) {
                (true, _) => Part::Number { quoted },
                (false, false) => Part::Variable { name, quoted },
                (false, true) => parameter(name, Operator::Element, Word::default(), quoted),
            });
        }
        if is_length {
            return Problem::new("a `${#…}` that is not understood");
        }
        let (operator, word) = self.operation(&name, quoted)?;
        Ok(parameter(name, operator, word, quoted))
    }

    fn parameter_name(&mut self) -> Result<String, Problem> {
        match self.peek() {
            Some(first) if first.is_ascii_digit() => {
                let start = self.at;
                while self.peek().is_some_and(|c| c.is_ascii_digit()) {
                    self.at += 1;
                }
                Ok(self.slice(start, self.at))
            }
            Some(first) if first.is_ascii_alphabetic() || first == '_' => Ok(self.name()),
            Some(special) if "@*#?!$-".contains(special) => {
                self.at += 1;
                Ok(special.to_string())
            }
            _ => Problem::new("a `${…}` that is not understood"),
        }
    }

    /// `${!…}` after its name. The value of the variable is evaluated as a name, except where
    /// names or subscripts are listed.
    fn indirect(&mut self, name: String, is_list: bool, quoted: bool) -> Result<Part, Problem> {
        if is_list && self.eat("}") {
            return Ok(parameter(name, Operator::Keys, Word::default(), quoted));
        }
        if self.eat("@}") || self.eat("*}") {
            return Ok(parameter("*".to_owned(), Operator::Other, Word::default(), quoted));
        }
        let pointed = Part::Variable { name: name.clone(), quoted: true };
        let source = format!("${{{name}}}");
        self.found.expressions.push(Word { parts: vec![pointed], source, has_braces: false });
        if self.eat("}") {
            return Ok(parameter(name, Operator::Other, Word::default(), quoted));
        }
        if self.looking_at("=") || self.looking_at(":=") {
            return Problem::new("a variable that another one names is set");
        }
        let (_, word) = self.operation("", quoted)?;
        Ok(parameter(name, Operator::Other, word, quoted))
    }

    /// The operator after a name, its word and the closing `}`.
    fn operation(&mut self, name: &str, quoted: bool) -> Result<(Operator, Word), Problem> {
        let after_colon = usize::from(self.peek() == Some(':'));
        match self.peek_at(after_colon) {
            Some(sign @ ('-' | '=' | '?' | '+')) => {
                self.at += after_colon + 1;
                let word = self.parameter_word(quoted, !quoted)?;
                if sign == '=' {
                    let setting = Setting { name: name.to_owned(), value: word.clone(), is_split: false };
                    self.found.settings.push(setting);
                }
                Ok((Operator::Default, word))
            }
            _ if after_colon > 0 => {
                self.at += 1;
                let bounds = self.parameter_word(true, false)?;
                self.found.expressions.push(bounds);
                Ok((Operator::Other, Word::default()))
            }
            Some(sign @ ('%' | '#' | '/' | '^' | ',' | '~')) => {
                self.at += 1;
                // The doubled sign cuts off the longest match.
                if matches!(sign, '%' | '#') && self.peek() == Some(sign) {
                    self.at += 1;
                }
                let word = self.parameter_word(quoted, true)?;
                let operator = match sign {
                    '#' => Operator::TrimStart,
                    '%' => Operator::TrimEnd,
                    _ => Operator::Other,
                };
                Ok((operator, word))
            }
            Some('@') => {
                self.at += 1;
                match (self.next(), self.eat("}")) {
                    (Some('P'), _) => Problem::new("a parameter expanded as a prompt"),
                    (Some(letter), true) if letter.is_ascii_alphabetic() => Ok((Operator::Other, unknown())),
                    _ => Problem::new("a `${…}` that is not understood"),
                }
            }
            Some(_) => Problem::new("a `${…}` that is not understood"),
            None => Problem::new("a `${` without its end"),
        }
    }

    /// Everything up to the `}`. `has_quotes`: a single quote opens a quoted text here.
    fn parameter_word(&mut self, quoted: bool, has_quotes: bool) -> Result<Word, Problem> {
        let start = self.at;
        let mut word = Word::default();
        loop {
            match self.peek() {
                Some('}') => {
                    word.source = self.slice(start, self.at);
                    self.at += 1;
                    return Ok(word);
                }
                Some('\'') if has_quotes => self.single_quotes(&mut word)?,
                Some('"') => self.double_quotes(&mut word)?,
                Some('\\') if !quoted || self.peek_at(1) == Some('}') => {
                    self.at += 1;
                    match self.next() {
                        Some('\n') | None => {}
                        Some(character) => word.push(character, true),
                    }
                }
                Some(character @ ('<' | '>')) if self.peek_at(1) == Some('(') && !quoted => {
                    self.process(character == '<')?;
                    word.parts.push(Part::Dynamic);
                }
                Some('$') => self.dollar(&mut word, quoted && !has_quotes)?,
                Some(_) => self.quoted_character(&mut word, quoted)?,
                None => return Problem::new("a `${` without its end"),
            }
        }
    }

    /// `[…]`: the text between the brackets, which bash expands as in double quotes.
    pub(super) fn subscript(&mut self) -> Result<Word, Problem> {
        let Some(end) = self.bracket_end(self.at + 1) else {
            return Problem::new("a subscript without its end");
        };
        self.at += 1;
        let word = self.quoted_until(end)?;
        self.at += 1;
        // Expressions do not contain these characters, and what looks like commands is better asked
        // about.
        if word.source.contains([';', '\n']) && !word.source.contains("$(") {
            return Problem::new("a subscript that is not understood");
        }
        Ok(word)
    }

    /// Position of the `]` that closes a bracket opened before `from`. Brackets in quotes and
    /// substitutions do not count.
    fn bracket_end(&self, from: usize) -> Option<usize> {
        let mut at = from;
        let mut open = Vec::new();
        while let Some(character) = self.text.get(at) {
            let last = open.last().copied();
            match (character, last) {
                ('\\', quote) if quote != Some('\'') => at += 1,
                (closing, Some(opened)) if *closing == opened => {
                    open.pop();
                }
                (_, Some('\'')) => {}
                ('\'', last) if last != Some('"') => open.push('\''),
                ('"' | '`', _) => open.push(*character),
                ('(', last) if last != Some('"') || self.text.get(at - 1) == Some(&'$') => open.push(')'),
                ('{', _) if self.text.get(at - 1) == Some(&'$') => open.push('}'),
                ('[', last) if last != Some('"') => open.push(']'),
                (']', None) => return Some(at),
                _ => {}
            }
            at += 1;
        }
        None
    }
}

fn parameter(name: String, operator: Operator, word: Word, quoted: bool) -> Part {
    Part::Parameter(Box::new(Parameter { name, operator, word, quoted }))
}

/// A word of unknown value.
fn unknown() -> Word {
    Word { parts: vec![Part::Dynamic], ..Word::default() }
}
