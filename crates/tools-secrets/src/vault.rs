//! The credentials for which a session was shown placeholders: one vault per session, only in
//! memory. Its values are searched in every text of the session, and restored only where they came
//! from.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};

use tools_core::{PlaceholderMatch, ServerName, SessionId, placeholders};
use uuid::Uuid;

use crate::{UnknownPlaceholder, finding::Finding, forms::Forms, known_values::KNOWN, placeholder, value};

/// Maximum number of numbered credentials of a session. Further ones are redacted too, but cannot
/// be restored.
const MAX_VALUES: usize = 100_000;
const MAX_BYTES: usize = 16 << 20;
/// Maximum number of known files of a credential.
const MAX_ORIGINS: usize = 64;
/// Maximum number of sessions with a vault; the least recently used one is dropped.
const MAX_SESSIONS: usize = 256;

/// The placeholders of one session.
#[derive(Default)]
pub(crate) struct Vault {
    /// An unguessable text in the session's placeholders; empty where placeholders are not
    /// restored.
    mark: String,
    /// The server that owns the vault, if there are several.
    server: Option<ServerName>,
    pages: RwLock<Pages>,
}

#[derive(Default)]
struct Pages {
    placeholders: HashMap<Arc<str>, Arc<str>>,
    secrets: HashMap<Arc<str>, Secret>,
    numbers: HashMap<&'static str, usize>,
    forms: Forms,
    bytes: usize,
}

/// The credential of a placeholder, and the files that are known to contain it.
struct Secret {
    kind: &'static str,
    value: Arc<str>,
    origins: BTreeSet<PathBuf>,
}

/// A credential that a text would move to a place it did not come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretMove {
    /// Its kind, in a word.
    pub kind: String,
    /// The placeholder in the text.
    pub placeholder: String,
    /// The files that are known to contain it; empty when it came from the output of a command or a
    /// search.
    pub origins: Vec<PathBuf>,
}

impl Vault {
    /// A new vault of a session.
    fn of_session(server: Option<&ServerName>) -> Self {
        const ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
        let random = Uuid::new_v4();
        // The last six bytes of a random UUID have no fixed bits.
        let bytes = random.as_bytes()[10..16].iter();
        let mark: String = bytes.map(|byte| char::from(ALPHABET[usize::from(byte & 31)])).collect();
        Self { mark: placeholder::mark(&mark, server), server: server.cloned(), ..Self::default() }
    }

    /// The placeholder of a credential from `origin`; always the same one for a credential.
    pub(crate) fn placeholder(&self, kind: &'static str, value: &str, origin: Option<&Path>) -> Arc<str> {
        if let Some(placeholder) = self.known_placeholder(value, origin) {
            return placeholder;
        }
        let mut pages = self.pages.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(placeholder) = pages.placeholders.get(value).cloned() {
            if let (Some(origin), Some(secret)) = (origin, pages.secrets.get_mut(&placeholder)) {
                secret.came_from(origin);
            }
            return placeholder;
        }
        if pages.placeholders.len() >= MAX_VALUES || pages.bytes + value.len() > MAX_BYTES {
            return placeholder::of(kind, None, "").into();
        }
        let number = pages.numbers.entry(kind).or_default();
        *number += 1;
        let placeholder: Arc<str> = placeholder::of(kind, Some(*number), &self.mark).into();
        let value: Arc<str> = value.into();
        pages.bytes += value.len();
        if !self.mark.is_empty() && value::is_distinct(&value) {
            pages.forms.add(&value, kind);
        }
        pages.placeholders.insert(Arc::clone(&value), Arc::clone(&placeholder));
        let origins = origin.map(Path::to_path_buf).into_iter().collect();
        pages.secrets.insert(Arc::clone(&placeholder), Secret { kind, value, origins });
        placeholder
    }

    /// The placeholder of a known value, if `origin` adds nothing new.
    fn known_placeholder(&self, value: &str, origin: Option<&Path>) -> Option<Arc<str>> {
        let pages = self.pages();
        let placeholder = pages.placeholders.get(value)?;
        let is_news = |origin: &Path| {
            let secret = pages.secrets.get(placeholder);
            secret.is_some_and(|secret| secret.origins.len() < MAX_ORIGINS && !secret.origins.contains(origin))
        };
        (!origin.is_some_and(is_news)).then(|| Arc::clone(placeholder))
    }

    /// Number of searched values.
    pub(crate) fn values(&self) -> usize {
        if self.mark.is_empty() { 0 } else { self.pages().secrets.len() }
    }

    /// Finds credentials of this session in any context.
    pub(crate) fn find(&self, text: &str, findings: &mut Vec<Finding>) {
        let pages = self.pages();
        let found = pages.forms.find(text);
        findings.extend(found.map(|(start, end, kind)| Finding { start, end, kind, rule: KNOWN }));
    }

    /// Whether a text is a placeholder of this session; without marks, whether it looks like one.
    pub(crate) fn has(&self, placeholder: &str) -> bool {
        self.mark.is_empty() || self.pages().secrets.contains_key(placeholder)
    }

    /// The kinds of the credentials whose placeholders are in a text.
    pub(crate) fn kinds_in(&self, text: &str) -> Vec<&'static str> {
        let pages = self.pages();
        placeholder::ranges(text)
            .filter_map(|range| pages.secrets.get(&text[range]).map(|secret| secret.kind))
            .collect()
    }

    /// The credentials of a text for `destination` that did not come from there.
    pub(crate) fn moves(&self, text: &str, destination: &Path) -> Vec<SecretMove> {
        let pages = self.pages();
        let moved = placeholder::ranges(text).filter_map(|range| {
            let secret = pages.secrets.get(&text[range.clone()])?;
            let placeholder = text[range].to_owned();
            let origins: Vec<PathBuf> = secret.origins.iter().cloned().collect();
            let is_moved = !secret.origins.contains(destination);
            is_moved.then(|| SecretMove { kind: secret.kind.to_owned(), placeholder, origins })
        });
        moved.collect()
    }

    fn unknown(&self, placeholder: &str) -> UnknownPlaceholder {
        let server = placeholder::server_of(placeholder).filter(|server| self.server.as_ref() != Some(server));
        UnknownPlaceholder { placeholder: placeholder.to_owned(), server }
    }

    /// The text with placeholders replaced by their credentials, and look-alikes in their original
    /// form.
    pub(crate) fn restore<'a>(&self, text: &'a str) -> Result<Cow<'a, str>, UnknownPlaceholder> {
        let pages = self.pages();
        let mut values = Vec::new();
        for PlaceholderMatch { range, .. } in placeholders(text).filter(|found| found.literals == 0) {
            let placeholder = &text[range.clone()];
            let secret = pages.secrets.get(placeholder);
            let secret = secret.ok_or_else(|| self.unknown(placeholder))?;
            values.push((range, Arc::clone(&secret.value)));
        }
        drop(pages);
        if values.is_empty() {
            return Ok(placeholder::unescaped(text));
        }
        // Text between placeholders is unescaped separately, since a credential may look like
        // anything.
        let mut restored = String::new();
        let mut copied = 0;
        for (range, value) in values {
            restored.push_str(&placeholder::unescaped(&text[copied..range.start]));
            restored.push_str(&value);
            copied = range.end;
        }
        restored.push_str(&placeholder::unescaped(&text[copied..]));
        Ok(Cow::Owned(restored))
    }

    fn pages(&self) -> RwLockReadGuard<'_, Pages> {
        self.pages.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Secret {
    fn came_from(&mut self, origin: &Path) {
        if self.origins.len() < MAX_ORIGINS {
            self.origins.insert(origin.to_path_buf());
        }
    }
}

/// The vaults of all sessions.
#[derive(Default)]
pub(crate) struct SessionVaults {
    vaults: Mutex<Vaults>,
    server: Option<ServerName>,
}

#[derive(Default)]
struct Vaults {
    of: HashMap<SessionId, (u64, Arc<Vault>)>,
    uses: u64,
}

impl SessionVaults {
    /// An empty shelf; placeholders will name this server.
    pub(crate) fn at_server(server: Option<ServerName>) -> Self {
        Self { server, ..Self::default() }
    }

    /// Removes the vault of a session that has ended.
    pub(crate) fn forget(&self, session: &SessionId) {
        self.vaults.lock().unwrap_or_else(PoisonError::into_inner).of.remove(session);
    }

    pub(crate) fn of(&self, session: &SessionId) -> Arc<Vault> {
        let mut vaults = self.vaults.lock().unwrap_or_else(PoisonError::into_inner);
        vaults.uses += 1;
        let now = vaults.uses;
        if let Some((used, vault)) = vaults.of.get_mut(session) {
            *used = now;
            return Arc::clone(vault);
        }
        if vaults.of.len() >= MAX_SESSIONS
            && let Some(oldest) =
                vaults.of.iter().min_by_key(|(_, (used, _))| *used).map(|(session, _)| session.clone())
        {
            vaults.of.remove(&oldest);
        }
        let vault = Arc::new(Vault::of_session(self.server.as_ref()));
        vaults.of.insert(session.clone(), (now, Arc::clone(&vault)));
        vault
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_placeholder_stands_for_comes_back() {
        let vault = Vault::of_session(None);
        let one = vault.placeholder("key", "first", None);
        assert_eq!(one, vault.placeholder("token", "first", None));
        let two = vault.placeholder("key", "second", None);
        assert!(one.starts_with("«secret:key#1·") && two.starts_with("«secret:key#2·"), "{one} {two}");
        assert_eq!(vault.restore(&format!("a {two} b {one}")).unwrap(), "a second b first");
        assert_eq!(vault.restore("nothing").unwrap(), "nothing");
        for unknown in ["«secret:key#1»", "«secret:key#3·abcdef»"] {
            assert_eq!(
                vault.restore(unknown),
                Err(UnknownPlaceholder { placeholder: unknown.to_owned(), server: None })
            );
        }
        assert!(Vault::of_session(None).restore(&one).is_err());
        assert_eq!(vault.restore(&format!("{one} «literal:secret:key#1»")).unwrap(), "first «secret:key#1»");
    }

    #[test]
    fn the_marks_of_two_sessions_differ() {
        let mark = || Vault::of_session(None).mark;
        assert!(mark().len() == 6 && (0..4).any(|_| mark() != mark()));
    }

    #[test]
    fn a_credential_stays_where_it_came_from() {
        let vault = Vault::of_session(None);
        let (here, there) = (Path::new("/w/a.env"), Path::new("/w/b.md"));
        let placeholder = vault.placeholder("key", "Zx81pQ7mLw2k", None);
        assert_eq!(vault.moves(&placeholder, here)[0].origins, Vec::<PathBuf>::new());
        vault.placeholder("key", "Zx81pQ7mLw2k", Some(here));
        assert_eq!(vault.moves(&placeholder, here), []);
        let moved = vault.moves(&format!("x {placeholder}"), there);
        assert_eq!((moved[0].kind.as_str(), &moved[0].origins), ("key", &vec![here.to_path_buf()]));
    }

    #[test]
    fn the_vaults_of_old_sessions_are_given_up() {
        let shelf = SessionVaults::default();
        let first = SessionId::generate();
        let placeholder = shelf.of(&first).placeholder("key", "value", None);
        for _ in 0..MAX_SESSIONS {
            shelf.of(&SessionId::generate());
        }
        assert!(shelf.of(&first).restore(&placeholder).is_err());
    }

    #[test]
    fn a_placeholder_of_another_server_names_it() {
        let [one, two]: [ServerName; 2] = ["haft-1", "haft-2"].map(|name| name.parse().unwrap());
        let [here, there] = [&one, &two].map(|server| Vault::of_session(Some(server)));
        let foreign = there.placeholder("github-fine-grained-token", "value", None);
        assert!(placeholder::ranges(&foreign).eq(std::iter::once(0..foreign.len())), "{foreign}");
        assert_eq!(there.restore(&foreign).unwrap(), "value");
        let server_of = |vault: &Vault, text: &str| vault.restore(text).unwrap_err().server;
        assert_eq!(server_of(&here, &foreign), Some(two.clone()));
        assert_eq!(server_of(&Vault::of_session(None), &foreign), Some(two));
        // Of a session that has ended here, or of a server without a name, nobody has it.
        assert_eq!(server_of(&Vault::of_session(Some(&one)), &here.placeholder("key", "value", None)), None);
        assert_eq!(server_of(&here, "«secret:key#1·abcdef»"), None);
    }

    #[test]
    fn nothing_is_left_of_a_session_that_ended() {
        let shelf = SessionVaults::default();
        let (mine, other) = (SessionId::generate(), SessionId::generate());
        let [gone, kept] = [&mine, &other].map(|session| shelf.of(session).placeholder("key", "value", None));
        shelf.forget(&mine);
        assert!(shelf.of(&mine).restore(&gone).is_err() && shelf.of(&other).restore(&kept).is_ok());
    }
}
