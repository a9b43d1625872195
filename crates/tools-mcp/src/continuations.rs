//! What was cut from answers, kept for a while per session so that it can be asked for in parts.

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    ops::Range,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tools_core::{DynExecutor, SessionId, Typed};

use crate::{
    cut::{self, Gap},
    tools::more::More,
};

/// How much text is kept per session; the oldest goes first.
const KEPT_PER_SESSION: usize = 16 << 20;

/// What was cut from answers. Clones share it: one goes into the server, its [`Continuations::executor`] into the
/// stack, so that asking for the rest is a call like any other and put on record.
#[derive(Clone, Default)]
pub struct Continuations(Arc<Mutex<HashMap<SessionId, Kept>>>);

#[derive(Default)]
struct Kept {
    texts: VecDeque<Text>,
    bytes: usize,
    last: u64,
}

struct Text {
    number: u64,
    whole: Arc<str>,
    gap: Range<usize>,
}

/// Where to go on: the text and the byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cursor {
    number: u64,
    at: usize,
}

impl Cursor {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (number, at) = text.trim().split_once(':')?;
        Some(Self { number: number.parse().ok()?, at: at.parse().ok()? })
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.number, self.at)
    }
}

/// One part of what was left out.
pub(crate) struct Part {
    pub(crate) text: String,
    /// `None` at the end of what was left out.
    pub(crate) next: Option<Cursor>,
    pub(crate) bytes_left: usize,
}

impl Continuations {
    /// The tool `more`, to be joined with the other executors below the layers.
    pub fn executor(&self) -> DynExecutor {
        DynExecutor::new(Typed::new(More::new(self.clone())))
    }

    /// Keeps `text` for `session`; `None` when it is larger than all that is ever kept.
    pub(crate) fn keep(&self, session: &SessionId, text: &str, gap: &Gap) -> Option<Cursor> {
        if text.len() > KEPT_PER_SESSION {
            return None;
        }
        let mut sessions = self.sessions();
        let kept = sessions.entry(session.clone()).or_default();
        kept.bytes += text.len();
        while kept.bytes > KEPT_PER_SESSION {
            kept.bytes -= kept.texts.pop_front().map_or(kept.bytes, |oldest| oldest.whole.len());
        }
        kept.last += 1;
        kept.texts.push_back(Text { number: kept.last, whole: Arc::from(text), gap: gap.bytes.clone() });
        Some(Cursor { number: kept.last, at: gap.bytes.start })
    }

    /// The part at `cursor`, at most `budget` bytes; `None` when nothing is kept there.
    pub(crate) fn part(&self, session: &SessionId, cursor: Cursor, budget: usize) -> Option<Part> {
        let (text, gap) = {
            let sessions = self.sessions();
            let kept = sessions.get(session)?;
            let found = kept.texts.iter().find(|text| text.number == cursor.number)?;
            (Arc::clone(&found.whole), found.gap.clone())
        };
        if !gap.contains(&cursor.at) || !text.is_char_boundary(cursor.at) {
            return None;
        }
        let page = cut::page(&text, cursor.at..gap.end, budget);
        let next = Cursor { at: page.end, ..cursor };
        Some(Part {
            next: (page.end < gap.end).then_some(next),
            bytes_left: gap.end - page.end,
            text: text[page].to_owned(),
        })
    }

    /// Drops all that is kept for `session`.
    pub(crate) fn forget(&self, session: &SessionId) {
        self.sessions().remove(session);
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<SessionId, Kept>> {
        // Nothing in here panics half-way through a change.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Continuations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Continuations").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(kept: &Continuations, session: &SessionId, mut cursor: Cursor) -> String {
        let mut all = String::new();
        loop {
            let part = kept.part(session, cursor, 100).unwrap();
            all.push_str(&part.text);
            match part.next {
                Some(next) => cursor = next,
                None => return all,
            }
        }
    }

    #[test]
    fn the_parts_are_exactly_what_was_left_out() {
        let (kept, session) = (Continuations::default(), SessionId::generate());
        let text = (0..200).map(|n| format!("line {n}\n")).collect::<Vec<_>>().concat();
        let gap = cut::gap(&text, 300).unwrap();
        let cursor = kept.keep(&session, &text, &gap).unwrap();
        assert_eq!(walk(&kept, &session, cursor), &text[gap.bytes]);
        assert!(kept.part(&SessionId::generate(), cursor, 100).is_none());
        kept.forget(&session);
        assert!(kept.part(&session, cursor, 100).is_none());
    }

    #[test]
    fn the_oldest_goes_when_too_much_is_kept() {
        let (kept, session) = (Continuations::default(), SessionId::generate());
        let text = "x".repeat(KEPT_PER_SESSION / 2);
        let gap = cut::gap(&text, 300).unwrap();
        let cursors: Vec<_> = (0..3).map(|_| kept.keep(&session, &text, &gap).unwrap()).collect();
        let there: Vec<_> = cursors.iter().map(|cursor| kept.part(&session, *cursor, 10).is_some()).collect();
        assert_eq!(there, [false, true, true]);
        assert!(kept.keep(&session, &"x".repeat(KEPT_PER_SESSION + 1), &gap).is_none());
    }

    #[test]
    fn a_made_up_cursor_finds_nothing() {
        let (kept, session) = (Continuations::default(), SessionId::generate());
        let text = "ä".repeat(1000);
        let cursor = kept.keep(&session, &text, &cut::gap(&text, 300).unwrap()).unwrap();
        for bad in ["", ":", "1", "1:", "a:b", "-1:5", "99999999999999999999999:1"] {
            assert_eq!(Cursor::parse(bad), None, "{bad}");
        }
        for at in [0, cursor.at + 1, 1999, 2000, usize::MAX] {
            assert!(kept.part(&session, Cursor { at, ..cursor }, 100).is_none(), "{at}");
        }
        assert_eq!(Cursor::parse(&cursor.to_string()), Some(cursor));
    }
}
