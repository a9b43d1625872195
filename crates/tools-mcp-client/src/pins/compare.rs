//! What a server lists now against what was accepted of it. A pure function: the one place that
//! decides what is held.

use std::{collections::BTreeSet, fmt};

use super::{Definition, ServerPins, Sign, Surroundings, signs};

/// Result for one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// It is as it was accepted.
    Same,
    /// It is seen for the first time, together with its server, and nothing about it is suspicious.
    First,
    /// It is seen for the first time, together with its server, and suspicious.
    Suspicious,
    /// The server was accepted without it.
    New,
    /// It is an accepted tool under another name.
    Renamed {
        /// The accepted name.
        from: String,
    },
    /// These fields are others than those accepted.
    Changed {
        /// The fields, by the names they have in the protocol.
        fields: Vec<&'static str>,
    },
    /// It was accepted and is not listed any more.
    Gone,
}

/// One tool of a server, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The server's name of the tool.
    pub tool: String,
    /// The result.
    pub found: Found,
    /// Suspicious signs.
    pub signs: Vec<Sign>,
    /// The definition as it is listed; `None` when it is gone.
    pub now: Option<Definition>,
    /// The accepted definition; `None` when there is none.
    pub accepted: Option<Definition>,
}

impl Finding {
    /// Whether calls of the tool are held until a person has looked at it.
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
            Found::Renamed { from } => write!(f, "it was accepted as `{}`", tools_core::Visible::of(from))?,
            Found::Changed { fields } => write!(f, "{} changed since it was accepted", fields.join(", "))?,
            Found::Gone => f.write_str("the server does not list it any more")?,
        }
        for sign in &self.signs {
            write!(f, "; {sign}")?;
        }
        Ok(())
    }
}

/// Compares the list of a server with what was accepted of it; `None` for a server that was never
/// seen. The findings stand in the order of the list, then what is gone.
pub fn compare(accepted: Option<&ServerPins>, listed: &[Definition], around: &Surroundings) -> Vec<Finding> {
    let listed_names: BTreeSet<&str> = listed.iter().map(Definition::name).collect();
    let mut seen = BTreeSet::new();
    let mut findings = Vec::new();
    for now in listed.iter().filter(|now| seen.insert(now.name())) {
        let signs = signs(now, listed, around);
        let before = accepted.and_then(|pins| pins.get(now.name()));
        let is_twice = signs.contains(&Sign::Twice);
        let found = match (accepted, before) {
            // Which of the two is meant cannot be told.
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

/// The accepted tool that this one is under another name: compared by all it has but the name.
fn renamed(pins: &ServerPins, now: &Definition, listed: &BTreeSet<&str>) -> Option<String> {
    let digest = now.nameless_digest();
    let same = pins.definitions().filter(|before| before.nameless_digest() == digest);
    let mut names: Vec<&str> = same.map(Definition::name).collect();
    // One that is still listed was copied, not renamed; both are told the same way, the missing one
    // first.
    names.sort_by_key(|name| listed.contains(name));
    names.first().map(|name| (*name).to_owned())
}

fn changed_or(before: &Definition, now: &Definition, otherwise: &'static str) -> Vec<&'static str> {
    let fields = ["name", "title", "description", "inputSchema", "outputSchema", "annotations"];
    let changed: Vec<&'static str> =
        fields.into_iter().filter(|field| before.field(field) != now.field(field)).collect();
    if changed.is_empty() { vec![otherwise] } else { changed }
}
