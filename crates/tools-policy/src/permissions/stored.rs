//! Approvals and rejections beyond a session: their lines in a store, and the rules compiled from
//! them. Pure; hosts own the file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tools_core::{CallerId, KeyFault, Script, StoredRule, ToolName, Verdict};

use super::{compiled_rule::CompiledRule, config::RuleConfig, list::RuleList};

/// Reach of an approval beyond its session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "scope")]
pub enum Scope {
    /// Calls whose working directory is this one.
    Project {
        /// The folder, canonical.
        project: PathBuf,
    },
    /// All calls of this user.
    User,
}

/// One approval, or one rejection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "StoredLine", into = "StoredLine")]
pub struct StoredApproval {
    /// Its reach.
    pub scope: Scope,
    /// The guest whose calls it applies to; `None` if it applies to everybody's.
    pub caller: Option<CallerId>,
    /// The tool.
    pub tool: ToolName,
    /// The pattern that it allows or rejects.
    pub pattern: String,
    /// Whether it rejects what matches, instead of allowing it.
    pub rejects: bool,
    /// The approved files of code; `None` if their content does not matter.
    pub scripts: Option<Vec<Script>>,
    /// Time of the decision.
    pub at: Timestamp,
    /// Time at which it ends; `None` for never.
    pub expires: Option<Timestamp>,
    /// Whether this line revokes it.
    pub revoked: bool,
}

/// The stored form. A rejection has its pattern under another key, so that a version that knows
/// only approvals cannot mistake it for one.
#[derive(Debug, Serialize, Deserialize)]
struct StoredLine {
    #[serde(flatten)]
    scope: Scope,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    caller: Option<CallerId>,
    tool: ToolName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pattern: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rejected: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scripts: Option<Vec<Script>>,
    at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    revoked: bool,
}

impl From<StoredApproval> for StoredLine {
    fn from(stored: StoredApproval) -> Self {
        let StoredApproval { scope, caller, tool, pattern, rejects, scripts, at, expires, revoked } = stored;
        let (pattern, rejected) = if rejects { (None, Some(pattern)) } else { (Some(pattern), None) };
        Self { scope, caller, tool, pattern, rejected, scripts, at, expires, revoked }
    }
}

impl TryFrom<StoredLine> for StoredApproval {
    type Error = &'static str;

    fn try_from(line: StoredLine) -> Result<Self, &'static str> {
        let StoredLine { scope, caller, tool, pattern, rejected, scripts, at, expires, revoked } = line;
        let (pattern, rejects) = match (pattern, rejected) {
            (Some(pattern), None) => (pattern, false),
            (None, Some(pattern)) => (pattern, true),
            _ => return Err("one of `pattern` and `rejected` is needed"),
        };
        Ok(Self { scope, caller, tool, pattern, rejects, scripts, at, expires, revoked })
    }
}

/// Compiled approvals and rejections. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct StoredRules(Arc<[(StoredApproval, CompiledApproval)]>);

#[derive(Debug)]
enum CompiledApproval {
    Allows(Box<CompiledRule>),
    /// A list of this single rule, compared like a configured rule that denies.
    Rejects(Box<RuleList>),
}

impl CompiledApproval {
    fn compile(stored: &StoredApproval) -> Result<Self, KeyFault> {
        if stored.rejects {
            let rule = RuleConfig::new(&stored.pattern, Verdict::Deny);
            return RuleList::compile(stored.tool.as_str(), &[&rule], &[], None)
                .map(|list| Self::Rejects(Box::new(list)));
        }
        CompiledRule::compile(stored.rule()).map(|rule| Self::Allows(Box::new(rule)))
    }
}

impl StoredApproval {
    /// Its stored line, with the line end.
    ///
    /// # Errors
    /// If the folder's name is not valid UTF-8.
    pub fn to_line(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self).map(|line| line + "\n")
    }

    /// Checks that the pattern can be used.
    ///
    /// # Errors
    /// If it is not a valid glob.
    pub fn check(&self) -> Result<(), KeyFault> {
        CompiledApproval::compile(self).map(drop)
    }

    fn rule(&self) -> StoredRule {
        StoredRule { scripts: self.scripts.clone(), ..StoredRule::new(self.tool.clone(), self.pattern.clone()) }
    }

    /// Whether the decision applies to calls of an audience.
    pub fn applies_to(&self, audience: Audience<'_>) -> bool {
        let is_for = self.caller.is_none() || self.caller.as_ref() == audience.caller;
        is_for && self.scope.reaches(audience.workdir) && self.expires.is_none_or(|expires| audience.now < expires)
    }

    /// Key of the decision: of two lines with the same key the later one applies.
    ///
    /// # Errors
    /// If the folder's name is not valid UTF-8.
    pub fn key(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(&(&self.scope, &self.caller, &self.tool, &self.pattern))
    }

    fn is_same(&self, other: &Self) -> bool {
        (&self.scope, &self.caller, &self.tool, &self.pattern)
            == (&other.scope, &other.caller, &other.tool, &other.pattern)
    }
}

impl Scope {
    fn reaches(&self, workdir: &Path) -> bool {
        match self {
            Self::Project { project } => project == workdir,
            Self::User => true,
        }
    }
}

/// Calls that approvals and rejections may apply to.
#[derive(Debug, Clone, Copy)]
pub struct Audience<'a> {
    /// The working directory of the calls.
    pub workdir: &'a Path,
    /// The guest who makes them; `None` for anybody who is not a guest.
    pub caller: Option<&'a CallerId>,
    /// The present time.
    pub now: Timestamp,
}

/// Parses stored lines: returns the decisions in force and the number of unusable lines. An
/// unreadable line allows nothing; if it was a rejection, a person is asked again.
pub fn read_approvals(text: &[u8]) -> (Vec<StoredApproval>, usize) {
    let (mut standing, mut useless): (Vec<StoredApproval>, usize) = (Vec::new(), 0);
    for line in text.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
        let Ok(read) = serde_json::from_slice::<StoredApproval>(line) else {
            useless += 1;
            continue;
        };
        standing.retain(|other| !other.is_same(&read));
        if !read.revoked {
            standing.push(read);
        }
    }
    (standing, useless)
}

impl StoredRules {
    /// Compiles decisions; an invalid glob allows and rejects nothing.
    pub fn compile(approvals: Vec<StoredApproval>) -> Self {
        let compiled = approvals.into_iter().filter_map(|stored| {
            let compiled = CompiledApproval::compile(&stored).ok()?;
            Some((stored, compiled))
        });
        Self(compiled.collect())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The approvals and rejections.
    pub fn approvals(&self) -> impl Iterator<Item = &StoredApproval> {
        self.0.iter().map(|(approved, _)| approved)
    }

    /// Whether a decision is stored about calls of a tool from a folder.
    pub(super) fn names(&self, tool: &str, workdir: &Path) -> bool {
        self.approvals().any(|stored| stored.tool.as_str() == tool && stored.scope.reaches(workdir))
    }

    /// The approvals that apply to a call.
    pub(super) fn applicable<'a>(
        &'a self,
        tool: &'a str,
        audience: Audience<'a>,
    ) -> impl Iterator<Item = (&'a StoredApproval, &'a CompiledRule)> {
        self.about(tool, audience).filter_map(|(stored, compiled)| match compiled {
            CompiledApproval::Allows(rule) => Some((stored, rule.as_ref())),
            CompiledApproval::Rejects(_) => None,
        })
    }

    /// The rejections that apply to a call.
    pub(super) fn rejections<'a>(
        &'a self,
        tool: &'a str,
        audience: Audience<'a>,
    ) -> impl Iterator<Item = (&'a StoredApproval, &'a RuleList)> {
        self.about(tool, audience).filter_map(|(stored, compiled)| match compiled {
            CompiledApproval::Rejects(list) => Some((stored, list.as_ref())),
            CompiledApproval::Allows(_) => None,
        })
    }

    fn about<'a>(
        &'a self,
        tool: &'a str,
        audience: Audience<'a>,
    ) -> impl Iterator<Item = &'a (StoredApproval, CompiledApproval)> {
        self.0.iter().filter(move |(stored, _)| stored.tool.as_str() == tool && stored.applies_to(audience))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn approved(scope: Scope, pattern: &str) -> StoredApproval {
        StoredApproval {
            scope,
            caller: None,
            tool: ToolName::parse("bash").unwrap(),
            pattern: pattern.to_owned(),
            rejects: false,
            scripts: None,
            at: Timestamp::UNIX_EPOCH,
            expires: None,
            revoked: false,
        }
    }

    #[test]
    fn lines_are_read_back_and_taken_back() {
        let project = Scope::Project { project: PathBuf::from("/w") };
        let (one, two) = (approved(project.clone(), "make"), approved(Scope::User, "make"));
        let later = StoredApproval { expires: Some(Timestamp::MAX), ..one.clone() };
        let gone = StoredApproval { revoked: true, ..two.clone() };
        let line = |approved: &StoredApproval| approved.to_line().unwrap();
        assert_eq!(
            line(&one),
            "{\"scope\":\"project\",\"project\":\"/w\",\"tool\":\"bash\",\"pattern\":\"make\",\"at\":\"1970-01-01T00:00:00Z\"}\n"
        );
        let text = [line(&one), line(&two)].concat();
        assert_eq!(read_approvals(text.as_bytes()), (vec![one, two.clone()], 0));
        let text = [text.as_str(), &line(&later), &line(&gone), "{\"torn\": \n", "\u{0}\n\n"].concat();
        assert_eq!(read_approvals(text.as_bytes()), (vec![later], 2));
        assert_eq!(read_approvals(b"\xff\xfe\n[1]\n"), (vec![], 2));
    }

    #[test]
    fn a_rejection_is_no_approval_to_whoever_reads_it_and_the_later_of_two_counts() {
        let allows = approved(Scope::User, "make");
        let rejects = StoredApproval { rejects: true, ..allows.clone() };
        let line = |stored: &StoredApproval| stored.to_line().unwrap();
        assert_eq!(
            line(&rejects),
            "{\"scope\":\"user\",\"tool\":\"bash\",\"rejected\":\"make\",\"at\":\"1970-01-01T00:00:00Z\"}\n"
        );
        let revoked = StoredApproval { revoked: true, ..rejects.clone() };
        let check = |first: &StoredApproval, then: &StoredApproval, expected: &[&StoredApproval]| {
            let read = read_approvals((line(first) + &line(then)).as_bytes()).0;
            assert_eq!(read.iter().collect::<Vec<_>>(), expected);
        };
        check(&allows, &rejects, &[&rejects]);
        check(&rejects, &allows, &[&allows]);
        check(&rejects, &revoked, &[]);
        let both = line(&rejects).replace("\"at\"", "\"pattern\":\"make\",\"at\"");
        assert_eq!(read_approvals(both.as_bytes()), (vec![], 1));
        let rules = StoredRules::compile(vec![rejects]);
        let audience = Audience { workdir: Path::new("/w"), caller: None, now: Timestamp::UNIX_EPOCH };
        assert_eq!(rules.applicable("bash", audience).count(), 0);
        assert_eq!(rules.rejections("bash", audience).count(), 1);
        assert_eq!(rules.rejections("read", audience).count(), 0);
    }

    #[test]
    fn an_approval_reaches_no_further_than_its_folder_and_its_time() {
        let project = Scope::Project { project: PathBuf::from("/w") };
        let until = Timestamp::from_second(100).unwrap();
        let rules = StoredRules::compile(vec![
            StoredApproval { expires: Some(until), ..approved(project, "make *") },
            approved(Scope::User, "ls"),
            approved(Scope::User, "[broken"),
        ]);
        let stands = |tool: &str, pattern: &str, workdir: &str, second: i64| {
            let now = Timestamp::from_second(second).unwrap();
            let audience = Audience { workdir: Path::new(workdir), caller: None, now };
            rules.applicable(tool, audience).any(|(approved, _)| approved.pattern == pattern)
        };
        let allows = |pattern: &str, workdir: &str, second: i64| stands("bash", pattern, workdir, second);
        assert!(allows("make *", "/w", 99));
        assert!(!allows("make *", "/w", 100));
        assert!(!allows("make *", "/w/sub", 99));
        assert!(!allows("make *", "/", 99));
        assert!(allows("ls", "/elsewhere", 1_000));
        assert!(!stands("read", "ls", "/w", 1));
        assert_eq!(rules.approvals().count(), 2);
    }

    #[test]
    fn what_one_guest_agreed_to_counts_for_no_other() {
        let guest = |name: &str| CallerId::parse(name).unwrap();
        let of_alice = StoredApproval { caller: Some(guest("http:alice")), ..approved(Scope::User, "make") };
        let line = of_alice.to_line().unwrap();
        assert_eq!(
            line,
            "{\"scope\":\"user\",\"caller\":\"http:alice\",\"tool\":\"bash\",\"pattern\":\"make\",\"at\":\"1970-01-01T00:00:00Z\"}\n"
        );
        let everybody = approved(Scope::User, "ls");
        let text = line + &everybody.to_line().unwrap() + &approved(Scope::User, "make").to_line().unwrap();
        let (read, useless) = read_approvals(text.as_bytes());
        assert_eq!((read.len(), useless), (3, 0));
        let rules = StoredRules::compile(vec![of_alice, everybody]);
        let check = |caller: Option<&str>, expected: usize| {
            let caller = caller.map(guest);
            let audience = Audience { workdir: Path::new("/w"), caller: caller.as_ref(), now: Timestamp::UNIX_EPOCH };
            assert_eq!(rules.applicable("bash", audience).count(), expected, "{caller:?}");
        };
        check(Some("http:alice"), 2);
        check(Some("http:bob"), 1);
        check(None, 1);
    }
}
