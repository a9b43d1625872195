//! Lists, pipelines and compound commands. Bodies are read as if all of them ran.

use super::cursor::{Parser, Problem, ends_word};
use super::simple::feed_of;
use super::tree::{Feed, Part, Place, Redirect, ScopeKind, Setting, Simple, Word};

/// Words that end a list in the position of a command.
const CLOSERS: [&str; 8] = ["then", "elif", "else", "fi", "do", "done", "esac", "}"];

impl Parser<'_> {
    /// Commands up to one of `closers`, a `)`, a `;;` or the end of the text. The list may be empty
    /// only where bash allows it.
    pub(super) fn list(&mut self, closers: &[&str]) -> Result<(), Problem> {
        self.found.begin_chain();
        let mut is_complete = true;
        let mut place = Place::Always;
        let mut begun = self.count();
        loop {
            self.blank_lines()?;
            match self.peek() {
                None | Some(')') => break,
                Some(';') if matches!(self.peek_at(1), Some(';' | '&')) => break,
                _ => {}
            }
            if let Some(closer) = CLOSERS.iter().find(|closer| self.at_word(closer)) {
                if closers.contains(closer) {
                    break;
                }
                return Problem::new(format!("unexpected `{closer}`"));
            }
            let from = self.count();
            if is_complete {
                place = if self.depth == 0 { Place::Always } else { Place::InChain };
                begun = from;
                self.found.next_chain();
            }
            let is_alone = self.pipeline()?;
            if let Some(last) = self.found.commands[from..].last_mut().filter(|_| is_alone) {
                last.place = place;
            }
            self.blanks();
            is_complete = true;
            match self.peek() {
                Some('&') if self.looking_at("&&") => {
                    self.at += 2;
                    is_complete = false;
                    place = if place == Place::Unknown { place } else { Place::InChain };
                }
                Some('|') if self.looking_at("||") => {
                    self.at += 2;
                    is_complete = false;
                    place = Place::Unknown;
                    self.found.next_chain();
                }
                Some('&') => {
                    self.at += 1;
                    self.mark_concurrent(from);
                    self.found.scope(ScopeKind::Subshell, begun);
                    for command in &mut self.found.commands[begun..] {
                        command.place = Place::Unknown;
                    }
                }
                Some(';') if !matches!(self.peek_at(1), Some(';' | '&')) => self.at += 1,
                None | Some('\n' | ')' | ';') => {}
                // A word can only follow directly after a compound command: it may end an outer
                // one.
                Some(_) if closers.iter().any(|closer| self.at_word(closer)) => {}
                Some(other) => return Problem::new(format!("unexpected `{}`", other.escape_debug())),
            }
        }
        self.found.around.pop();
        if is_complete { Ok(()) } else { Problem::new("a list that ends with an operator") }
    }

    fn mark_concurrent(&mut self, from: usize) {
        for command in self.found.commands.iter_mut().skip(from) {
            command.is_concurrent = true;
        }
    }

    /// Reads one pipeline. Returns whether it is a single simple command without `!`.
    fn pipeline(&mut self) -> Result<bool, Problem> {
        let mut is_negated = false;
        loop {
            self.blanks();
            if self.take_word("!") {
                is_negated = true;
                continue;
            }
            if self.take_word("time") {
                self.blanks();
                while self.take_word("-p") || self.take_word("--") {
                    self.blanks();
                }
                // `time` alone is a complete command.
                if matches!(self.peek(), None | Some('\n' | ';' | ')' | '&' | '|')) {
                    return Ok(false);
                }
                continue;
            }
            break;
        }
        let first = self.count();
        let mut previous = None;
        let mut parts = Vec::new();
        loop {
            let from = self.count();
            let start = self.at;
            let is_simple = self.deeper(Self::command)?;
            if self.depth == 0 {
                parts.push(self.slice(start, self.at).trim().to_owned());
            }
            let is_piped = previous.is_some();
            if let Some(previous) = previous {
                self.feed_range(from, &Feed::Pipe(previous));
            }
            previous = Some(from..self.count());
            self.blanks();
            let goes_on = !self.looking_at("||") && (self.eat("|&") || self.eat("|"));
            if is_piped || goes_on {
                self.mark_concurrent(first);
            }
            if !goes_on {
                if self.depth == 0 {
                    self.found.last_pipeline = parts;
                }
                return Ok(is_simple && !is_piped && !is_negated);
            }
            self.blank_lines()?;
            if matches!(self.peek(), None | Some(')' | ';' | '&' | '|')) {
                return Problem::new("a pipe that leads nowhere");
            }
        }
    }

    /// Sets this input for all commands since `from` that have none of their own.
    pub(super) fn feed_range(&mut self, from: usize, feed: &Feed) {
        for command in self.found.commands.iter_mut().skip(from) {
            if command.feed == Feed::None {
                command.feed = feed.clone();
            }
        }
    }

    /// Reads one command, compound or simple. Returns whether it is simple.
    pub(super) fn command(&mut self) -> Result<bool, Problem> {
        self.blanks();
        let from = self.count();
        let is_compound = self.compound()?;
        if !is_compound {
            return self.deeper(Self::simple);
        }
        let announced = self.pending.len();
        let start = self.at;
        let mut redirects: Vec<Redirect> = Vec::new();
        loop {
            self.blanks();
            if !self.redirection(&mut redirects)? {
                break;
            }
        }
        if !redirects.is_empty() {
            let feed = feed_of(&redirects);
            if feed != Feed::None {
                self.feed_range(from, &feed);
            }
            let line = self.slice(start, self.at).trim().to_owned();
            let index = self.count();
            let (via, chains) = (self.via.clone(), self.found.around.clone());
            self.emit(Simple { redirects, line, via, chains, ..Default::default() })?;
            self.feed_here_documents(announced, index);
        }
        Ok(false)
    }

    fn compound(&mut self) -> Result<bool, Problem> {
        if self.looking_at("((")
            && let Some(end) = self.arithmetic_end(self.at + 2)
        {
            self.at += 2;
            self.expressions(end)?;
            self.at = end + 2;
            return Ok(true);
        }
        let from = self.count();
        if self.eat("(") {
            self.list(&[])?;
            self.found.scope(ScopeKind::Subshell, from);
            return self.expect(")").map(|()| true);
        }
        if self.take_word("{") {
            self.list(&["}"])?;
            return self.expect_word("}").map(|()| true);
        }
        if self.take_word("if") {
            self.conditional()?;
        } else if self.take_word("while") || self.take_word("until") {
            self.list(&["do"])?;
            self.body()?;
            self.found.scope(ScopeKind::Loop, from);
        } else if self.take_word("for") {
            self.for_loop()?;
            self.found.scope(ScopeKind::Loop, from);
        } else if self.take_word("select") {
            // `select` puts the number that the user types into `REPLY`.
            let value = Word { parts: vec![Part::Dynamic], ..Word::default() };
            self.found.settings.push(Setting { name: "REPLY".to_owned(), value, is_split: false });
            self.for_loop()?;
            self.found.scope(ScopeKind::Loop, from);
        } else if self.take_word("case") {
            self.case()?;
        } else if self.take_word("[[") {
            self.condition()?;
        } else if self.take_word("function") {
            self.blanks();
            let name = self.word()?.literal().unwrap_or_default();
            self.blanks();
            if self.eat("(") {
                self.blanks();
                self.expect(")")?;
            }
            self.function_body(name)?;
        } else if self.take_word("coproc") {
            self.coprocess()?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn conditional(&mut self) -> Result<(), Problem> {
        loop {
            self.list(&["then"])?;
            self.expect_word("then")?;
            self.list(&["elif", "else", "fi"])?;
            if self.take_word("elif") {
                continue;
            }
            if self.take_word("else") {
                self.list(&["fi"])?;
            }
            return self.expect_word("fi");
        }
    }

    fn body(&mut self) -> Result<(), Problem> {
        self.expect_word("do")?;
        self.list(&["done"])?;
        self.expect_word("done")
    }

    fn for_loop(&mut self) -> Result<(), Problem> {
        self.blanks();
        if self.looking_at("((") {
            let Some(end) = self.arithmetic_end(self.at + 2) else {
                return Problem::new("a `for` that is not understood");
            };
            self.at += 2;
            self.expressions(end)?;
            self.at = end + 2;
        } else {
            let name = self.word()?.source;
            self.blank_lines()?;
            if !self.at_word("in") {
                let part = Part::Variable { name: "@".to_owned(), quoted: true };
                let value = Word { parts: vec![part], source: "\"$@\"".to_owned(), has_braces: false };
                self.found.settings.push(Setting { name: name.clone(), value, is_split: true });
            }
            if self.take_word("in") {
                loop {
                    self.blanks();
                    match self.peek() {
                        Some('<' | '>') if self.peek_at(1) == Some('(') => {}
                        None => break,
                        Some(character) if ends_word(character) => break,
                        Some(_) => {}
                    }
                    for value in self.word()?.expanded() {
                        self.found.settings.push(Setting { name: name.clone(), value, is_split: true });
                    }
                }
            }
        }
        self.blanks();
        self.eat(";");
        self.blank_lines()?;
        if self.take_word("{") {
            self.list(&["}"])?;
            return self.expect_word("}");
        }
        self.body()
    }

    fn case(&mut self) -> Result<(), Problem> {
        self.blanks();
        self.word()?;
        self.blank_lines()?;
        self.expect_word("in")?;
        loop {
            self.blank_lines()?;
            if self.take_word("esac") {
                return Ok(());
            }
            self.eat("(");
            loop {
                self.blanks();
                self.word()?;
                self.blanks();
                if !self.eat("|") {
                    break;
                }
            }
            self.expect(")")?;
            self.list(&["esac"])?;
            if !(self.eat(";;&") || self.eat(";;") || self.eat(";&")) {
                self.blank_lines()?;
                return self.expect_word("esac");
            }
        }
    }

    /// `[[ … ]]`: no commands but those in substitutions.
    fn condition(&mut self) -> Result<(), Problem> {
        let numeric = ["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];
        let mut before = Word::default();
        let mut is_evaluated = false;
        loop {
            self.blank_lines()?;
            if self.take_word("]]") {
                return Ok(());
            }
            match self.peek() {
                None => return Problem::new("a `[[` without its end"),
                Some(character @ ('<' | '>')) if self.peek_at(1) == Some('(') => self.process(character == '<')?,
                Some('(' | ')' | '&' | '|' | '<' | '>') => self.at += 1,
                Some(_) => {
                    let word = self.word()?;
                    if is_evaluated {
                        self.found.expressions.push(word.clone());
                    }
                    let sign = word.source.as_str();
                    is_evaluated = numeric.contains(&sign) || matches!(sign, "-v" | "-R");
                    if numeric.contains(&sign) {
                        self.found.expressions.push(std::mem::take(&mut before));
                    } else if sign == "=~" {
                        let value = std::mem::take(&mut before);
                        self.found.settings.push(Setting { name: "BASH_REMATCH".to_owned(), value, is_split: false });
                    }
                    before = word;
                }
            }
        }
    }

    fn coprocess(&mut self) -> Result<(), Problem> {
        self.blanks();
        let start = self.at;
        // A name may come first, but only before a compound command.
        if self.peek().is_some_and(|c| c.is_ascii_alphabetic() || c == '_') {
            while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
                self.at += 1;
            }
            self.blanks();
            let opens = ["{", "if", "while", "until", "for", "case", "[[", "select"];
            if self.peek() == Some('(') || opens.iter().any(|word| self.at_word(word)) {
                let name = self.slice(start, self.at).trim().to_owned();
                self.found.arrays.push(name);
            } else {
                self.at = start;
            }
        }
        let from = self.count();
        self.deeper(Self::command)?;
        self.mark_concurrent(from);
        self.found.scope(ScopeKind::Subshell, from);
        // The shell may write to the coprocess.
        self.feed_range(from, &Feed::Unknown);
        Ok(())
    }

    /// Whether this reserved word is next, unquoted and whole.
    fn at_word(&self, word: &str) -> bool {
        self.looking_at(word) && self.peek_at(word.chars().count()).is_none_or(ends_word)
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.at += word.chars().count();
        }
        found
    }

    fn expect(&mut self, text: &str) -> Result<(), Problem> {
        self.blanks();
        if self.eat(text) { Ok(()) } else { Problem::new(format!("a missing `{text}`")) }
    }

    fn expect_word(&mut self, word: &str) -> Result<(), Problem> {
        self.blanks();
        if self.take_word(word) { Ok(()) } else { Problem::new(format!("a missing `{word}`")) }
    }
}
