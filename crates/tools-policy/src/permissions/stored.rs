//! What people allowed beyond a session: the lines it is kept in, and the rules they make. Pure;
//! hosts own the file.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tools_core::{Script, StoredRule, ToolName};

use super::{
    config::RuleError,
    session::{CompiledRule, SessionRules},
};

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

/// One approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredApproval {
    /// Its reach.
    #[serde(flatten)]
    pub scope: Scope,
    /// The tool.
    pub tool: ToolName,
    /// The pattern that it allows.
    pub pattern: String,
    /// The files of code that it lets run, as they were; `None` where it lets them run whatever
    /// they hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scripts: Option<Vec<Script>>,
    /// When a person agreed.
    pub at: Timestamp,
    /// When it ends; `None` for never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
    /// Whether this line takes the approval back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub revoked: bool,
}

/// Compiled approvals: what runs.
#[derive(Debug, Default)]
pub struct StoredRules(Vec<(StoredApproval, CompiledRule)>);

impl StoredApproval {
    /// The line that keeps it, with its line end.
    ///
    /// # Errors
    /// When the folder's name is no text.
    pub fn to_line(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self).map(|line| line + "\n")
    }

    /// Checks that the pattern can be used.
    ///
    /// # Errors
    /// When it is no valid glob.
    pub fn check(&self) -> Result<(), RuleError> {
        CompiledRule::compile(self.rule()).map(drop)
    }

    fn rule(&self) -> StoredRule {
        StoredRule { scripts: self.scripts.clone(), ..StoredRule::new(self.tool.clone(), self.pattern.clone()) }
    }

    fn is_same(&self, other: &Self) -> bool {
        (&self.scope, &self.tool, &self.pattern) == (&other.scope, &other.tool, &other.pattern)
    }
}

/// Reads kept lines: the approvals that stand, and how many lines were of no use. A line that
/// cannot be read allows nothing, so that leaving it out only tightens.
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
    /// Compiles approvals; those that are no valid globs allow nothing.
    pub fn compile(approvals: Vec<StoredApproval>) -> Self {
        let compiled = approvals
            .into_iter()
            .filter_map(|approved| CompiledRule::compile(approved.rule()).ok().map(|rule| (approved, rule)));
        Self(compiled.collect())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The approvals.
    pub fn approvals(&self) -> impl Iterator<Item = &StoredApproval> {
        self.0.iter().map(|(approved, _)| approved)
    }

    /// The approvals that count for a call.
    pub(super) fn standing<'a>(
        &'a self,
        tool: &'a str,
        workdir: &'a Path,
        now: Timestamp,
    ) -> impl Iterator<Item = &'a (StoredApproval, CompiledRule)> {
        self.0.iter().filter(move |(approved, _)| {
            let reaches = match &approved.scope {
                Scope::Project { project } => project == workdir,
                Scope::User => true,
            };
            reaches && approved.tool.as_str() == tool && approved.expires.is_none_or(|expires| now < expires)
        })
    }

    /// The pattern that allows a call without subjects.
    pub(super) fn allows_nothing_particular(&self, tool: &str, workdir: &Path, now: Timestamp) -> Option<String> {
        let mut standing = self.standing(tool, workdir, now);
        standing.find(|(_, rule)| rule.is_everything()).map(|(approved, _)| approved.pattern.clone())
    }
}

impl SessionRules {
    /// The approvals that stand beyond sessions.
    pub fn approvals(&self) -> Vec<StoredApproval> {
        self.stored().approvals().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn approved(scope: Scope, pattern: &str) -> StoredApproval {
        StoredApproval {
            scope,
            tool: ToolName::parse("bash").unwrap(),
            pattern: pattern.to_owned(),
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
            rules.standing(tool, Path::new(workdir), now).any(|(approved, _)| approved.pattern == pattern)
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
}
