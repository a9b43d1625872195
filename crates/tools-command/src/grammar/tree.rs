//! The elements of a text: commands, their words, and the parts of words.

use std::ops::Range;

/// Every command of a text. Commands in substitutions precede the command that contains them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Parsed {
    pub(crate) commands: Vec<Simple>,
    pub(crate) functions: Vec<Function>,
    /// Subshells and loops, inner ones first.
    pub(crate) scopes: Vec<Scope>,
    /// The parts of the last pipeline outside compound commands.
    pub(crate) last_pipeline: Vec<String>,
    /// Number of chains so far. A chain is a list of commands joined by `&&`.
    pub(crate) chains: u32,
    /// The chains that contain the place that is read, innermost last.
    pub(crate) around: Vec<u32>,
    /// Variables that loops and `${x:=…}` set.
    pub(crate) settings: Vec<Setting>,
    /// Variables that are used as arrays.
    pub(crate) arrays: Vec<String>,
    /// Texts that are evaluated as expressions, or as names with a subscript.
    pub(crate) expressions: Vec<Word>,
}

/// Commands that are repeated together, or run in a shell of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Scope {
    pub(crate) kind: ScopeKind,
    pub(crate) commands: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScopeKind {
    Subshell,
    Loop,
}

/// A function defined in the text, with the commands of its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) body: Range<usize>,
}

/// A variable that is set by something other than an assignment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Setting {
    pub(crate) name: String,
    pub(crate) value: Word,
    /// Whether the value is split and matched against file names first.
    pub(crate) is_split: bool,
}

/// A simple command before expansion. One without words is an assignment or a bare redirection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Simple {
    pub(crate) assignments: Vec<(String, Word)>,
    pub(crate) words: Vec<Word>,
    pub(crate) redirects: Vec<Redirect>,
    pub(crate) feed: Feed,
    /// The source text of the command.
    pub(crate) line: String,
    /// The substitutions that contain the command, outermost first.
    pub(crate) via: Vec<String>,
    /// Whether it runs at the same time as others: in a pipe or in the background.
    pub(crate) is_concurrent: bool,
    pub(crate) place: Place,
    /// The chains that contain the command, innermost last. In the body of a function the first
    /// one is 0: the chains in which the function is called are not known.
    pub(crate) chains: Vec<u32>,
}

/// Whether a simple command that sets a variable has certainly run before a later one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Place {
    /// Not known: it is in a pipe, or after `!` or `||`.
    #[default]
    Unknown,
    /// It has run if the later command is in the same chain, or in a compound command of it.
    InChain,
    /// It has run.
    Always,
}

impl Parsed {
    /// Notes that the commands since `from` run together.
    pub(super) fn scope(&mut self, kind: ScopeKind, from: usize) {
        self.scopes.push(Scope { kind, commands: from..self.commands.len() });
    }

    /// Begins a chain within those around.
    pub(super) fn begin_chain(&mut self) {
        self.chains += 1;
        self.around.push(self.chains);
    }

    /// Ends the innermost chain and begins another in its place.
    pub(super) fn next_chain(&mut self) {
        self.around.pop();
        self.begin_chain();
    }
}

impl Simple {
    /// Whether its arguments are run later.
    pub(crate) fn is_trap(&self) -> bool {
        self.words.first().and_then(Word::literal).is_some_and(|program| program == "trap")
    }

    /// Sets the text of a here-document as input; `None` if the text contains expansions.
    pub(super) fn feed_text(&mut self, text: Option<String>) {
        self.feed = text.map_or(Feed::Unknown, Feed::Text);
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Redirect {
    pub(crate) kind: RedirectKind,
    /// The file, descriptor or text. For a here-document its delimiter.
    pub(crate) target: Word,
    /// Whether the target follows `>&` or `<&` and is not a number: bash expands it twice then.
    pub(crate) is_expanded_twice: bool,
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

/// Source of a command's standard input.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Feed {
    /// No redirected input.
    #[default]
    None,
    /// The output of the commands with these indices.
    Pipe(Range<usize>),
    /// This text.
    Text(String),
    /// An unknown source: a file, a descriptor, or a text with expansions.
    Unknown,
}

/// A word before expansion.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) parts: Vec<Part>,
    /// The word as written.
    pub(crate) source: String,
    /// Whether braces turn it into several words.
    pub(crate) has_braces: bool,
}

impl Word {
    /// The value of the word; `None` if it is known only at run time.
    pub(crate) fn literal(&self) -> Option<String> {
        if self.has_braces {
            return None;
        }
        let mut value = String::new();
        for part in &self.parts {
            match part {
                Part::Text { text, .. } => value.push_str(text),
                _ => return None,
            }
        }
        Some(value)
    }

    /// Whether any part of the word is quoted.
    pub(crate) fn is_quoted(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Text { quoted: true, .. }))
    }

    pub(super) fn push(&mut self, character: char, quoted: bool) {
        if let Some(Part::Text { text, quoted: last }) = self.parts.last_mut()
            && *last == quoted
        {
            text.push(character);
        } else {
            self.parts.push(Part::Text { text: character.to_string(), quoted });
        }
    }

    /// Appends an empty quoted text: quotes around nothing still make a word.
    pub(super) fn push_empty(&mut self) {
        self.parts.push(Part::Text { text: String::new(), quoted: true });
    }

    /// Turns a `[` without a matching `]` into plain text.
    pub(super) fn close_brackets(&mut self) {
        let closes = |part: &Part| matches!(part, Part::Text { text, quoted: false } if text.contains(']'));
        let last = self.parts.iter().rposition(closes).unwrap_or(0);
        for part in self.parts.iter_mut().skip(last) {
            if *part == Part::Glob('[') {
                *part = Part::Text { text: "[".to_owned(), quoted: false };
            }
        }
    }

    pub(super) fn find_braces(&mut self) {
        // A quoted text counts as one ordinary character.
        let mut shape = String::new();
        for part in &self.parts {
            match part {
                Part::Text { text, quoted: false } => shape.push_str(text),
                Part::Glob(character) => shape.push(*character),
                _ => shape.push('\u{1}'),
            }
        }
        let opened = shape.find('{').map(|at| &shape[at..]);
        self.has_braces = opened.is_some_and(|rest| rest.contains('}') && (rest.contains(',') || rest.contains("..")));
    }
}

/// A piece of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    /// Literal text, quoted or not.
    Text { text: String, quoted: bool },
    /// A plain variable, by name.
    Variable { name: String, quoted: bool },
    /// A home directory; the name is empty for the user's own.
    Tilde(String),
    /// A wildcard character that matches file names.
    Glob(char),
    /// The result of an expression, or a length.
    Number { quoted: bool },
    /// The output of the commands in this text.
    Output { text: String, quoted: bool },
    /// A variable with an operator.
    Parameter(Box<Parameter>),
    /// The words of an array.
    Array(Vec<Word>),
    /// Anything else whose value is known only at run time.
    Dynamic,
}

/// A variable with an operator, in `${…}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parameter {
    /// Name of the variable, or the digit or sign of a special parameter.
    pub(crate) name: String,
    pub(crate) operator: Operator,
    /// The word after the operator.
    pub(crate) word: Word,
    pub(crate) quoted: bool,
}

/// Operation on the value of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    /// One element of an array, or all.
    Element,
    /// The word is the default or replaces the value.
    Default,
    /// A part is cut off at the start.
    TrimStart,
    /// A part is cut off at the end.
    TrimEnd,
    /// The subscripts of an array.
    Keys,
    /// Anything else: substrings, replacements, case changes, indirect variables.
    Other,
}
