//! Which placeholder stands for which credential: one book per session, in memory only, never written anywhere.

use std::{
    borrow::Cow,
    collections::HashMap,
    ops::Range,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use thiserror::Error;
use tools_core::{SessionId, ToolError, ToolErrorCategory};

const OPENING: &str = "«secret:";
const CLOSING: &str = "»";
/// How long a kind and a number may be.
const LONGEST: usize = 64;
/// How many credentials of a session have a number. Further ones are taken out all the same, without a way back.
const MOST_VALUES: usize = 100_000;
const MOST_BYTES: usize = 16 << 20;
/// How many sessions have a book; the one that was used longest ago loses its own.
const MOST_SESSIONS: usize = 256;

/// A placeholder in a text that is to become the content of a file, and that stands for nothing here.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the placeholder `{0}` stands for nothing in this session")]
pub struct UnknownPlaceholder(pub String);

impl From<UnknownPlaceholder> for ToolError {
    fn from(error: UnknownPlaceholder) -> Self {
        ToolError::new(ToolErrorCategory::InvalidParameters, "unknown_placeholder", error.to_string()).with_suggestion(
            "Read the file again and use its placeholders exactly as they are shown; they hold for one session only.",
        )
    }
}

/// The placeholders of one session.
#[derive(Default)]
pub(crate) struct Book(Mutex<Pages>);

#[derive(Default)]
struct Pages {
    placeholders: HashMap<Arc<str>, Arc<str>>,
    values: HashMap<Arc<str>, Arc<str>>,
    numbers: HashMap<&'static str, usize>,
    bytes: usize,
}

impl Book {
    /// The placeholder of a credential: the same one whenever it is asked for.
    pub(crate) fn placeholder(&self, kind: &'static str, value: &str) -> Arc<str> {
        let mut pages = self.pages();
        if let Some(placeholder) = pages.placeholders.get(value) {
            return Arc::clone(placeholder);
        }
        if pages.placeholders.len() >= MOST_VALUES || pages.bytes + value.len() > MOST_BYTES {
            return format!("{OPENING}{kind}{CLOSING}").into();
        }
        let placeholder: Arc<str> = loop {
            let number = pages.numbers.entry(kind).or_default();
            *number += 1;
            let placeholder = format!("{OPENING}{kind}#{number}{CLOSING}");
            // One that a file holds as its own text stays that.
            if !pages.values.contains_key(placeholder.as_str()) {
                break placeholder.into();
            }
        };
        let value: Arc<str> = value.into();
        pages.bytes += value.len();
        pages.placeholders.insert(Arc::clone(&value), Arc::clone(&placeholder));
        pages.values.insert(Arc::clone(&placeholder), value);
        placeholder
    }

    /// Sees to it that what looks like a placeholder in a file, and is none, can be written back as it is.
    pub(crate) fn keep_literal(&self, text: &str) {
        for range in ranges(text) {
            let literal: Arc<str> = text[range].into();
            let mut pages = self.pages();
            if pages.values.len() < MOST_VALUES {
                pages.values.entry(Arc::clone(&literal)).or_insert(literal);
            }
        }
    }

    /// The text with the credentials in the place of their placeholders.
    pub(crate) fn restore<'a>(&self, text: &'a str) -> Result<Cow<'a, str>, UnknownPlaceholder> {
        let mut restored = String::new();
        let mut copied = 0;
        for range in ranges(text) {
            let placeholder = &text[range.clone()];
            let value = self.pages().values.get(placeholder).cloned();
            let value = value.ok_or_else(|| UnknownPlaceholder(placeholder.to_owned()))?;
            restored.push_str(&text[copied..range.start]);
            restored.push_str(&value);
            copied = range.end;
        }
        if copied == 0 {
            return Ok(Cow::Borrowed(text));
        }
        restored.push_str(&text[copied..]);
        Ok(Cow::Owned(restored))
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The books of all sessions.
#[derive(Default)]
pub(crate) struct Shelf(Mutex<Books>);

#[derive(Default)]
struct Books {
    of: HashMap<SessionId, (u64, Arc<Book>)>,
    uses: u64,
}

impl Shelf {
    pub(crate) fn of(&self, session: &SessionId) -> Arc<Book> {
        let mut books = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        books.uses += 1;
        let now = books.uses;
        if let Some((used, book)) = books.of.get_mut(session) {
            *used = now;
            return Arc::clone(book);
        }
        if books.of.len() >= MOST_SESSIONS
            && let Some(oldest) = books.of.iter().min_by_key(|(_, (used, _))| *used).map(|(session, _)| session.clone())
        {
            books.of.remove(&oldest);
        }
        let book = Arc::<Book>::default();
        books.of.insert(session.clone(), (now, Arc::clone(&book)));
        book
    }
}

/// Where placeholders stand: `«secret:KIND#N»`, and `«secret:KIND»` of those without a number.
pub(crate) fn ranges(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let start = from + memchr::memmem::find(text.get(from..)?.as_bytes(), OPENING.as_bytes())?;
            let inner = start + OPENING.len();
            from = inner;
            let is_part = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'#');
            let length = text.as_bytes()[inner..].iter().take(LONGEST).take_while(|byte| is_part(byte)).count();
            if length > 0 && text[inner + length..].starts_with(CLOSING) {
                from = inner + length + CLOSING.len();
                return Some(start..from);
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_placeholder_stands_for_comes_back() {
        let book = Book::default();
        let one = book.placeholder("key", "first");
        assert_eq!((one.as_ref(), book.placeholder("token", "first").as_ref()), ("«secret:key#1»", "«secret:key#1»"));
        assert_eq!(book.placeholder("key", "second").as_ref(), "«secret:key#2»");
        assert_eq!(book.restore("a «secret:key#2» b «secret:key#1»").unwrap(), "a second b first");
        assert_eq!(book.restore("nothing").unwrap(), "nothing");
        assert_eq!(book.restore("«secret:key#3»"), Err(UnknownPlaceholder("«secret:key#3»".to_owned())));
        assert_eq!(Book::default().restore("«secret:key#1»"), Err(UnknownPlaceholder("«secret:key#1»".to_owned())));
        for none in ["«secret:»", "«secret:key#1", "«secret: x»", "«secret:KIND#N»"] {
            assert_eq!(book.restore(none).unwrap(), none);
        }
    }

    #[test]
    fn a_text_that_looks_like_one_keeps_its_meaning() {
        let book = Book::default();
        book.keep_literal("assert «secret:key#1»");
        assert_eq!(book.placeholder("key", "value").as_ref(), "«secret:key#2»");
        assert_eq!(book.restore("«secret:key#1» «secret:key#2»").unwrap(), "«secret:key#1» value");
    }

    #[test]
    fn the_books_of_old_sessions_are_given_up() {
        let shelf = Shelf::default();
        let first = SessionId::generate();
        shelf.of(&first).placeholder("key", "value");
        for _ in 0..MOST_SESSIONS {
            shelf.of(&SessionId::generate());
        }
        assert!(shelf.of(&first).restore("«secret:key#1»").is_err());
    }
}
