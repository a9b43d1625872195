//! A command line with placeholders. Each inserted argument is one word to bash, whatever it
//! contains.

use std::collections::BTreeMap;

/// Maximum length in bytes of a command line with placeholders.
const MAX_TEMPLATE_BYTES: usize = 4_096;

/// A command line with placeholders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Template {
    text: String,
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Place(Place),
}

/// A placeholder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The parameter.
    pub(super) name: String,
    /// Default value; `None` if an argument is required. An empty default inserts nothing.
    pub(super) default: Option<String>,
}

/// Quoting state of bash at a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Plain,
    Single,
    Double,
    Comment,
}

impl Template {
    /// Parses a command line. `{name}` is the placeholder of a parameter, `{name=default}` that of
    /// an optional one. Inside quotation marks there are no placeholders; a name of `parameters`
    /// there is refused, since bash would parse the argument differently.
    ///
    /// # Errors
    /// What is wrong, in a sentence.
    pub(super) fn parse(text: &str, parameters: &[&str]) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Err("its command is empty".to_owned());
        }
        if text.len() > MAX_TEMPLATE_BYTES || text.contains('\0') {
            return Err(format!("its command is longer than {MAX_TEMPLATE_BYTES} bytes, or has a NUL in it"));
        }
        let mut pieces = vec![];
        let (mut state, mut literal, mut at) = (State::Plain, String::new(), 0);
        // Inside an open `${…}` an argument would not be a separate word.
        let mut open = 0_u32;
        while let Some(c) = text[at..].chars().next() {
            let rest = &text[at..];
            if let Some((place, length)) = place(rest).filter(|_| !literal.ends_with('$')) {
                let is_parameter = parameters.contains(&place.name.as_str());
                match state {
                    State::Plain if open == 0 => {
                        pieces.push(Piece::Text(std::mem::take(&mut literal)));
                        pieces.push(Piece::Place(place));
                        at += length;
                        continue;
                    }
                    _ if is_parameter => {
                        let name = &place.name;
                        return Err(format!(
                            "`{{{name}}}` stands within quotation marks, `${{…}}` or a comment: put it outside"
                        ));
                    }
                    _ => {}
                }
            }
            let begins_word = literal.is_empty() || literal.ends_with([' ', '\t', '\n', ';', '&', '|', '(', ')']);
            let is_escaped = c == '\\' && matches!(state, State::Plain | State::Double);
            match (state, c) {
                (State::Plain, '\'') => state = State::Single,
                (State::Plain, '"') => state = State::Double,
                (State::Single, '\'') | (State::Double, '"') | (State::Comment, '\n') => state = State::Plain,
                (State::Plain, '#')
                    if begins_word && !matches!(pieces.last(), Some(Piece::Place(_)) if literal.is_empty()) =>
                {
                    state = State::Comment;
                }
                (State::Plain, '{') if literal.ends_with('$') => open += 1,
                (State::Plain, '}') => open = open.saturating_sub(1),
                _ => {}
            }
            literal.push(c);
            at += c.len_utf8();
            if let Some(next) = text[at..].chars().next().filter(|_| is_escaped) {
                literal.push(next);
                at += next.len_utf8();
            }
        }
        pieces.push(Piece::Text(literal));
        let template = Self { text: text.to_owned(), pieces };
        // With these, quotation marks have another meaning.
        let odd = ["`", "<<", "((", "$'", "$["].iter().find(|odd| template.has(odd));
        match odd {
            Some(odd) if template.places().next().is_some() => {
                Err(format!("its command takes arguments and has `{odd}`: put that into a script"))
            }
            _ if matches!(state, State::Single | State::Double) => {
                Err("a quotation mark in its command is not closed".to_owned())
            }
            _ => Ok(template),
        }
    }

    fn has(&self, text: &str) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Text(literal) if literal.contains(text)))
    }

    /// As it was written.
    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// The placeholders, in order; a parameter may have several.
    pub(super) fn places(&self) -> impl Iterator<Item = &Place> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Place(place) => Some(place),
            Piece::Text(_) => None,
        })
    }

    /// The command line with these arguments; otherwise the name of the first missing parameter.
    pub(super) fn filled(&self, arguments: &BTreeMap<String, String>) -> Result<String, &str> {
        let mut line = String::with_capacity(self.text.len());
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => line.push_str(text),
                Piece::Place(Place { name, default }) => {
                    let given = arguments.get(name).filter(|given| default.is_none() || !given.is_empty());
                    match given.or(default.as_ref()) {
                        None => return Err(name),
                        Some(value) if value.is_empty() && default.is_some() => {}
                        Some(value) => line.push_str(&quoted(value)),
                    }
                }
            }
        }
        Ok(line)
    }
}

/// The placeholder at the beginning of a text, and its length in bytes.
fn place(text: &str) -> Option<(Place, usize)> {
    let (inside, _) = text.strip_prefix('{')?.split_once('}')?;
    let (name, default) = match inside.split_once('=') {
        Some((name, default)) => (name, Some(default.to_owned())),
        None => (inside, None),
    };
    is_name(name).then(|| (Place { name: name.to_owned(), default }, inside.len() + 2))
}

/// Whether a text is a name: `a-z`, then `a-z`, `0-9` and `_`, 64 at most.
pub(super) fn is_name(text: &str) -> bool {
    let is_usual = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    text.len() <= 64 && text.starts_with(|c: char| c.is_ascii_lowercase()) && text.bytes().all(is_usual)
}

/// Quotes a text as one word of bash.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(template: &str, arguments: &[(&str, &str)]) -> Result<String, String> {
        let arguments = arguments.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let template = Template::parse(template, &["a"])?;
        template.filled(&arguments).map_err(|missing| format!("{missing} is missing"))
    }

    #[test]
    fn an_argument_is_one_word_and_what_has_no_place_stays() {
        let check = |template: &str, arguments: &[(&str, &str)], expected: &str| {
            assert_eq!(filled(template, arguments).as_deref(), Ok(expected), "{template}");
        };
        check("cargo test -p {a}", &[("a", "x; rm -r /")], "cargo test -p 'x; rm -r /'");
        check("echo {a}{a}", &[("a", "it's")], r"echo 'it'\''s''it'\''s'");
        check("echo {a}", &[("a", "")], "echo ''");
        check("echo {a=}{b=two words}", &[], "echo 'two words'");
        check("echo {a=} x", &[("a", "")], "echo  x");
        check("echo {a=1}", &[("a", "2")], "echo '2'");
        check("awk '{print}' {a}", &[("a", "f")], "awk '{print}' 'f'");
        check("echo ${HOME} {x,y} {A} \"{b}\" \\{b\\}", &[], "echo ${HOME} {x,y} {A} \"{b}\" \\{b\\}");
        check("echo \"$(date)\" # {b}\necho {a}", &[("a", "1")], "echo \"$(date)\" # {b}\necho '1'");
        check("echo $(basename {a})", &[("a", "f")], "echo $(basename 'f')");
        check("echo \\'{a}", &[("a", "1")], "echo \\''1'");
        check("echo {a}#{a}", &[("a", "1")], "echo '1'#'1'");
    }

    #[test]
    fn what_would_not_be_a_word_is_refused() {
        let check = |template: &str, text: &str| {
            let error = filled(template, &[("a", "1")]).unwrap_err();
            assert!(error.contains(text), "{template}: {error}");
        };
        check("", "empty");
        check("echo '{a}'", "quotation marks");
        check("echo \"x{a}\"", "quotation marks");
        check("echo ${x:-{a}}", "quotation marks");
        check("echo # {a}", "comment");
        check("echo `cat {a}`", "script");
        check("cat << {a}", "script");
        check("echo $(({a}))", "script");
        check("echo $'x' {a}", "script");
        check("echo 'x {b}", "not closed");
        check("echo {b}", "b is missing");
        check(&"x".repeat(5_000), "longer");
    }
}
