//! Splits a command line into words and separators. Resolves quotes, redirections, substitutions
//! and here-documents as far as needed to find the last command, which is done elsewhere.

/// A word, or a separator of words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    Word(String),
    /// `&&`, `;`, `&` or the end of a line.
    Next,
    Or,
    Pipe,
}

pub(crate) fn tokenize(line: &str) -> Vec<Token> {
    Tokenizer { chars: line.chars().collect(), at: 0, tokens: Vec::new(), heredocs: Vec::new() }.run()
}

struct Tokenizer {
    chars: Vec<char>,
    at: usize,
    tokens: Vec<Token>,
    heredocs: Vec<String>,
}

impl Tokenizer {
    fn run(mut self) -> Vec<Token> {
        while let Some(c) = self.peek(0) {
            match c {
                '\n' => {
                    self.at += 1;
                    self.tokens.push(Token::Next);
                    self.skip_heredocs();
                }
                ' ' | '\t' | '\r' => self.at += 1,
                '#' if self.word_may_start() => self.skip_to_line_end(),
                ';' | '(' | ')' => {
                    self.at += 1;
                    self.tokens.push(Token::Next);
                }
                '&' if self.peek(1) == Some('&') => self.operator(2, Token::Next),
                '&' if self.peek(1) == Some('>') => self.redirection(),
                '&' => self.operator(1, Token::Next),
                '|' if self.peek(1) == Some('|') => self.operator(2, Token::Or),
                '|' if self.peek(1) == Some('&') => self.operator(2, Token::Pipe),
                '|' => self.operator(1, Token::Pipe),
                '<' | '>' => self.redirection(),
                _ => self.word(),
            }
        }
        self.tokens
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn operator(&mut self, length: usize, token: Token) {
        self.at += length;
        self.tokens.push(token);
    }

    fn word_may_start(&self) -> bool {
        self.at == 0 || matches!(self.chars[self.at - 1], ' ' | '\t' | '\n' | ';' | '&' | '|' | '(')
    }

    fn skip_to_line_end(&mut self) {
        while self.peek(0).is_some_and(|c| c != '\n') {
            self.at += 1;
        }
    }

    /// Skips an operator such as `2>&1`, `>> file`, `<<< word`, and its target.
    fn redirection(&mut self) {
        // A preceding file descriptor was read as a word.
        if let Some(Token::Word(word)) = self.tokens.last()
            && self.at > 0
            && self.chars[self.at - 1].is_ascii_digit()
            && word.chars().all(|c| c.is_ascii_digit())
        {
            self.tokens.pop();
        }
        let start = self.at;
        while self.peek(0).is_some_and(|c| matches!(c, '<' | '>' | '&' | '|' | '-')) {
            self.at += 1;
        }
        let operator: String = self.chars[start..self.at].iter().collect();
        while self.peek(0).is_some_and(|c| matches!(c, ' ' | '\t')) {
            self.at += 1;
        }
        if operator.ends_with("&-") || (operator.starts_with('<') && self.peek(0) == Some('(')) {
            return;
        }
        let target = self.read_word();
        if operator == "<<" || operator == "<<-" {
            self.heredocs.push(target);
        }
    }

    fn skip_heredocs(&mut self) {
        for end in std::mem::take(&mut self.heredocs) {
            while self.at < self.chars.len() {
                let start = self.at;
                self.skip_to_line_end();
                let line: String = self.chars[start..self.at].iter().collect();
                self.at += 1;
                if line.trim() == end {
                    break;
                }
            }
        }
        self.at = self.at.min(self.chars.len());
    }

    fn word(&mut self) {
        let word = self.read_word();
        self.tokens.push(Token::Word(word));
    }

    fn read_word(&mut self) -> String {
        let mut word = String::new();
        while let Some(c) = self.peek(0) {
            match c {
                ' ' | '\t' | '\n' | '\r' | ';' | '&' | '|' | '(' | ')' | '<' | '>' => break,
                '\'' => self.single_quoted(&mut word),
                '"' => self.double_quoted(&mut word),
                '\\' => {
                    if let Some(next) = self.peek(1).filter(|c| *c != '\n') {
                        word.push(next);
                    }
                    self.at = (self.at + 2).min(self.chars.len());
                }
                '$' if self.peek(1) == Some('(') => self.substitution(&mut word),
                '`' => self.backticks(&mut word),
                c => {
                    word.push(c);
                    self.at += 1;
                }
            }
        }
        word
    }

    fn single_quoted(&mut self, word: &mut String) {
        self.at += 1;
        while let Some(c) = self.peek(0) {
            self.at += 1;
            if c == '\'' {
                break;
            }
            word.push(c);
        }
    }

    fn double_quoted(&mut self, word: &mut String) {
        self.at += 1;
        while let Some(c) = self.peek(0) {
            match c {
                '"' => {
                    self.at += 1;
                    break;
                }
                '\\' => {
                    if let Some(next) = self.peek(1) {
                        if !matches!(next, '"' | '\\' | '$' | '`' | '\n') {
                            word.push('\\');
                        }
                        word.push(next);
                    }
                    self.at = (self.at + 2).min(self.chars.len());
                }
                '$' if self.peek(1) == Some('(') => self.substitution(word),
                c => {
                    word.push(c);
                    self.at += 1;
                }
            }
        }
    }

    /// Copies `$( … )` as text: separators inside do not separate words here.
    fn substitution(&mut self, word: &mut String) {
        let mut depth = 0_usize;
        while let Some(c) = self.peek(0) {
            word.push(c);
            self.at += 1;
            match c {
                '(' => depth += 1,
                ')' => {
                    depth -= 1;
                    if depth == 0 {
                        break;
                    }
                }
                _ => {}
            }
        }
    }

    fn backticks(&mut self, word: &mut String) {
        word.push('`');
        self.at += 1;
        while let Some(c) = self.peek(0) {
            word.push(c);
            self.at += 1;
            if c == '`' {
                break;
            }
        }
    }
}
