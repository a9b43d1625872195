//! The files and connections of redirections. A file that is known only at run time is kept as an
//! inexact value.

use super::command::Value;
use super::line::Reader;
use crate::grammar::{Part, Redirect, RedirectKind};

/// Descriptors that every process has; writing to them makes no file.
const STREAMS: [&str; 4] = ["/dev/null", "/dev/stderr", "/dev/stdout", "/dev/tty"];
/// Path prefixes with which bash connects to a host instead of opening a file.
const NETWORK: [&str; 2] = ["/dev/tcp/", "/dev/udp/"];

impl Reader<'_> {
    /// Notes the effect of a redirection; `target` is its word as far as it is known. Returns the
    /// files that the redirection fills.
    pub(super) fn redirect(&mut self, redirect: &Redirect, target: Value) -> Vec<Value> {
        if redirect.is_expanded_twice {
            let is_number = target.is_exact && target.text.chars().all(|c| c.is_ascii_digit() || c == '-');
            if !is_number && (!target.is_exact || target.text.contains(['$', '`'])) {
                self.opaque("a word behind `>&`, which bash expands twice");
            }
        }
        match redirect.kind {
            RedirectKind::Read | RedirectKind::Write | RedirectKind::ReadWrite => {}
            RedirectKind::Duplicate | RedirectKind::HereDocument | RedirectKind::HereString => return Vec::new(),
        }
        if let Some(host) = host(redirect, &target) {
            if !host.is_exact {
                self.opaque("a connection to a host that is known only when it runs");
            }
            self.found.connects.push(host);
            return Vec::new();
        }
        // A process substitution, whose commands are found separately.
        if matches!(redirect.target.parts.as_slice(), [Part::Dynamic]) {
            return Vec::new();
        }
        let others = self.otherwise(&target, self.folder.as_deref());
        let target = self.placed(target);
        let mut beyond = self.beyond(&target);
        beyond.extend(others);
        if redirect.kind == RedirectKind::Read {
            self.found.reads.extend(std::iter::once(target).chain(beyond));
            return Vec::new();
        }
        let mut filled = Vec::new();
        if !STREAMS.contains(&target.text.as_str()) {
            self.makes(&target);
            let named = std::iter::once(target.clone()).chain(self.variants(&target)).chain(beyond.clone());
            filled.extend(named.map(|file| file.placed(Some(&self.surroundings.workdir))));
        }
        self.found.writes.extend(std::iter::once(target).chain(beyond));
        filled
    }

    /// A file relative to the folder where the line starts; the shell may have changed its folder
    /// since.
    fn placed(&self, file: Value) -> Value {
        if !file.is_exact || file.text.starts_with('/') || self.folder.as_ref() == Some(&self.surroundings.workdir) {
            return file;
        }
        match &self.folder {
            Some(folder) => Value { text: format!("{}/{}", folder.trim_end_matches('/'), file.text), ..file },
            None => Value { text: format!("$PWD/{}", file.text), is_exact: false, ..file },
        }
    }
}

/// The `host:port` of a network redirection.
fn host(redirect: &Redirect, target: &Value) -> Option<Value> {
    let begun = match redirect.target.parts.as_slice() {
        _ if target.is_exact => target.text.clone(),
        // A quoted word begins with an empty text.
        parts => parts
            .iter()
            .map_while(|part| if let Part::Text { text, .. } = part { Some(text.as_str()) } else { None })
            .collect(),
    };
    let rest = NETWORK.iter().find_map(|folder| begun.strip_prefix(folder))?;
    let is_exact = target.is_exact && !target.has_pattern;
    let text = if is_exact { rest.replacen('/', ":", 1) } else { target.text.clone() };
    Some(Value { text, is_exact, has_pattern: false })
}
