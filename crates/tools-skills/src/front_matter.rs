//! The front matter of a `SKILL.md`: YAML between two lines of `---`, of which the format allows a
//! simple subset. Everything intelligible is read; violations of the format are collected as
//! faults.

use std::{collections::BTreeMap, ops::Range};

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use crate::SkillError;

/// Maximum size of front matter in bytes.
const MAX_FRONT_BYTES: usize = 64 << 10;
/// Maximum nesting depth of values.
const DEEPEST: usize = 16;

/// A value of the front matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Field {
    /// A text: numbers and the like are text too.
    Text(String),
    /// A map.
    Map(BTreeMap<String, Field>),
    /// A list.
    List(Vec<Field>),
    /// `=` or `<<` without quotation marks: special in an older YAML, and not text for the format's
    /// own reader.
    Mark,
}

impl Field {
    /// The text; `None` for another kind of value.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// The front matter of a skill.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FrontMatter {
    /// Its fields.
    pub fields: BTreeMap<String, Field>,
    /// Violations of the format, a sentence each.
    pub faults: Vec<String>,
}

/// Splits a `SKILL.md` into front matter and body.
///
/// # Errors
/// [`SkillError::Front`] if one of the marks is missing.
pub(crate) fn split(text: &str) -> Result<(&str, &str), SkillError> {
    let missing = |what: &str| SkillError::Front(what.to_owned());
    let behind = text.strip_prefix("---").ok_or_else(|| missing("the file does not begin with `---`"))?;
    // The mark counts anywhere, as for the format's own reader.
    let (front, body) = behind.split_once("---").ok_or_else(|| missing("it does not end with `---`"))?;
    Ok((front, body.trim()))
}

impl FrontMatter {
    /// Parses front matter.
    ///
    /// # Errors
    /// [`SkillError::Front`] if it is not YAML, or not a map.
    pub fn parse(text: &str) -> Result<Self, SkillError> {
        if text.len() > MAX_FRONT_BYTES {
            return Err(SkillError::TooLarge {
                what: "the front matter".to_owned(),
                most: format!("{MAX_FRONT_BYTES} bytes"),
            });
        }
        let mut reader = Reader { parser: Parser::new_from_str(text), text, faults: vec![], quoted: vec![] };
        let root = reader.document()?;
        let Reader { mut faults, quoted, .. } = reader;
        if let Some(line) = line_with_tab(text, &quoted) {
            faults.push(format!("line {line}: a tab stands outside of quotation marks"));
        }
        if let Some(control) = text.chars().find(|c| !is_printable(*c)) {
            faults.push(format!("the control character U+{:04X} is not part of YAML", u32::from(control)));
        }
        match root {
            Some(Field::Map(fields)) => Ok(Self { fields, faults }),
            _ => Err(SkillError::Front("it is not a list of names with values".to_owned())),
        }
    }

    /// The trimmed text of a field; `None` if there is none.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.fields.get(name).and_then(Field::text).map(str::trim)
    }
}

/// Whether YAML allows a character.
fn is_printable(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..)
}

/// The first line with a tab outside of `quoted` texts and comments.
fn line_with_tab(text: &str, quoted: &[Range<usize>]) -> Option<usize> {
    let (mut line, mut is_comment, mut before) = (1, false, '\n');
    for (at, c) in text.chars().enumerate() {
        if c == '\n' {
            (line, is_comment) = (line + 1, false);
        } else if !quoted.iter().any(|range| range.contains(&at)) {
            is_comment |= c == '#' && before.is_whitespace();
            if c == '\t' && !is_comment {
                return Some(line);
            }
        }
        before = c;
    }
    None
}

struct Reader<'a> {
    parser: Parser<'a, saphyr_parser::StrInput<'a>>,
    text: &'a str,
    faults: Vec<String>,
    /// Character ranges of texts in quotation marks or blocks.
    quoted: Vec<Range<usize>>,
}

impl<'a> Reader<'a> {
    fn event(&mut self) -> Result<(Event<'a>, Span), SkillError> {
        match self.parser.next() {
            Some(Ok(event)) => Ok(event),
            Some(Err(error)) => Err(SkillError::Front(error.to_string())),
            None => Err(SkillError::Front("it ends too early".to_owned())),
        }
    }

    fn document(&mut self) -> Result<Option<Field>, SkillError> {
        let mut root = None;
        loop {
            match self.event()? {
                (Event::StreamEnd, _) => return Ok(root),
                (Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing, _) => {}
                (event, span) if root.is_none() => root = Some(self.value(event, span, 0)?),
                _ => return Err(SkillError::Front("it holds more than one document".to_owned())),
            }
        }
    }

    fn fault(&mut self, span: Span, what: &str) {
        self.faults.push(format!("line {}: {what}", span.start.line()));
    }

    /// Whether a list or map is written in brackets.
    fn is_flow(&self, span: Span, bracket: char) -> bool {
        self.text.chars().nth(span.start.index()) == Some(bracket)
    }

    fn value(&mut self, event: Event<'a>, span: Span, depth: usize) -> Result<Field, SkillError> {
        if depth > DEEPEST {
            return Err(SkillError::Front(format!("it is more than {DEEPEST} levels deep")));
        }
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                self.plain(span, anchor, tag.is_some());
                if style == ScalarStyle::Plain && matches!(&*text, "=" | "<<") {
                    return Ok(Field::Mark);
                }
                if style != ScalarStyle::Plain {
                    self.quoted.push(span.start.index()..span.end.index());
                }
                if style == ScalarStyle::Plain && text == "~" && span.start.index() == span.end.index() {
                    return Ok(Field::Text(String::new()));
                }
                Ok(Field::Text(text.into_owned()))
            }
            Event::MappingStart(anchor, tag) => {
                self.plain(span, anchor, tag.is_some());
                if self.is_flow(span, '{') {
                    self.fault(span, "`{…}` is not part of the format: write the names below each other");
                }
                self.map(depth)
            }
            Event::SequenceStart(anchor, tag) => {
                self.plain(span, anchor, tag.is_some());
                if self.is_flow(span, '[') {
                    self.fault(span, "`[…]` is not part of the format: write the items below each other");
                }
                let mut items = vec![];
                loop {
                    match self.event()? {
                        (Event::SequenceEnd, _) => return Ok(Field::List(items)),
                        (event, span) => items.push(self.value(event, span, depth + 1)?),
                    }
                }
            }
            // Aliases are not resolved: they could expand to a multiple of the text.
            Event::Alias(_) => {
                Err(SkillError::Front(format!("line {}: aliases (`*`) are not read", span.start.line())))
            }
            _ => Err(SkillError::Front("it ends too early".to_owned())),
        }
    }

    fn map(&mut self, depth: usize) -> Result<Field, SkillError> {
        let mut fields = BTreeMap::new();
        loop {
            let (event, span) = self.event()?;
            if matches!(event, Event::MappingEnd) {
                return Ok(Field::Map(fields));
            }
            let Field::Text(name) = self.value(event, span, depth + 1)? else {
                return Err(SkillError::Front(format!("line {}: a name is expected", span.start.line())));
            };
            let (event, value_span) = self.event()?;
            let value = self.value(event, value_span, depth + 1)?;
            if fields.insert(name.clone(), value).is_some() {
                self.fault(span, &format!("`{name}` stands there twice"));
            }
        }
    }

    fn plain(&mut self, span: Span, anchor: usize, is_tagged: bool) {
        if anchor != 0 {
            self.fault(span, "anchors (`&`) are not part of the format");
        }
        if is_tagged {
            self.fault(span, "tags (`!`) are not part of the format");
        }
    }
}
