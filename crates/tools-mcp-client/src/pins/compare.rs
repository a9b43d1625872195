//! Compares a server's current list with the accepted definitions. This pure function alone decides
//! what is held.

use std::{collections::BTreeSet, fmt};

use super::{Definition, ServerPins, Sign, Surroundings, signs};

/// Result for one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// Equal to the accepted definition.
    Same,
    /// Seen at the first contact with its server, and not suspicious.
    First,
    /// Seen at the first contact with its server, and suspicious.
    Suspicious,
    /// Not among the accepted tools of its server.
    New,
    /// An accepted tool under another name.
    Renamed {
        /// The accepted name.
        from: String,
    },
    /// These fields differ from the accepted ones.
    Changed {
        /// The fields, by the names they have in the protocol.
        fields: Vec<&'static str>,
    },
    /// Accepted, but no longer listed.
    Gone,
}

/// Result of the comparison for one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The server's name of the tool.
    pub tool: String,
    /// The result.
    pub found: Found,
    /// Suspicious signs.
    pub signs: Vec<Sign>,
    /// The definition as listed; `None` if it is gone.
    pub now: Option<Definition>,
    /// The accepted definition; `None` if there is none.
    pub accepted: Option<Definition>,
}

impl Finding {
    /// Whether calls of the tool are held until a person has reviewed it.
    pub fn is_held(&self) -> bool {
        !matches!(self.found, Found::Same | Found::First | Found::Gone)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.found {
            Found::Same => f.write_str("it is as it was accepted")?,
            Found::First => f.write_str("it is seen for the first time")?,
            Found::Suspicious => f.write_str("it is seen for the first time and suspicious")?,
            Found::New => f.write_str("the server did not have it when it was accepted")?,
            Found::Renamed { from } => write!(f, "it was accepted as `{}`", tools_core::VisibleText::of(from))?,
            Found::Changed { fields } => write!(f, "{} changed since it was accepted", fields.join(", "))?,
            Found::Gone => f.write_str("the server does not list it any more")?,
        }
        for sign in &self.signs {
            write!(f, "; {sign}")?;
        }
        Ok(())
    }
}

/// Compares a server's list with its accepted definitions; `None` for a server that was never seen.
/// The findings have the order of the list; missing tools come last.
pub fn compare(accepted: Option<&ServerPins>, listed: &[Definition], around: &Surroundings) -> Vec<Finding> {
    let listed_names: BTreeSet<&str> = listed.iter().map(Definition::name).collect();
    let mut seen = BTreeSet::new();
    let mut findings = Vec::new();
    for now in listed.iter().filter(|now| seen.insert(now.name())) {
        let signs = signs(now, listed, around);
        let before = accepted.and_then(|pins| pins.get(now.name()));
        let is_twice = signs.contains(&Sign::Twice);
        let found = match (accepted, before) {
            // With two tools of one name it is unclear which is meant.
            (None, _) if !signs.is_empty() => Found::Suspicious,
            (None, _) => Found::First,
            (Some(_), Some(before)) if is_twice => Found::Changed { fields: changed_or(before, now, "name") },
            (Some(_), Some(before)) if before.digest() == now.digest() => Found::Same,
            (Some(_), Some(before)) => Found::Changed { fields: changed_or(before, now, "description") },
            (Some(pins), None) => match renamed(pins, now, &listed_names) {
                Some(from) => Found::Renamed { from },
                None => Found::New,
            },
        };
        findings.push(Finding {
            tool: now.name().to_owned(),
            found,
            signs,
            now: Some(now.clone()),
            accepted: before.cloned(),
        });
    }
    let gone = accepted.into_iter().flat_map(ServerPins::definitions);
    findings.extend(gone.filter(|before| !listed_names.contains(before.name())).map(|before| Finding {
        tool: before.name().to_owned(),
        found: Found::Gone,
        signs: Vec::new(),
        now: None,
        accepted: Some(before.clone()),
    }));
    findings
}

/// The accepted name of this tool, if only its name differs.
fn renamed(pins: &ServerPins, now: &Definition, listed: &BTreeSet<&str>) -> Option<String> {
    let digest = now.nameless_digest();
    let same = pins.definitions().filter(|before| before.nameless_digest() == digest);
    let mut names: Vec<&str> = same.map(Definition::name).collect();
    // If the accepted tool is still listed, this one is a copy, not renamed. Both are reported the
    // same way; missing ones are preferred.
    names.sort_by_key(|name| listed.contains(name));
    names.first().map(|name| (*name).to_owned())
}

fn changed_or(before: &Definition, now: &Definition, otherwise: &'static str) -> Vec<&'static str> {
    let fields = ["name", "title", "description", "inputSchema", "outputSchema", "annotations"];
    let changed: Vec<&'static str> =
        fields.into_iter().filter(|field| before.field(field) != now.field(field)).collect();
    if changed.is_empty() { vec![otherwise] } else { changed }
}
