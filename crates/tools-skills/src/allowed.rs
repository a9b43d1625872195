//! The tools that a skill needs (`allowed-tools`): no others can be called while it is active.

use tools_core::{Inspection, Subject, ToolName, built_in_tool};

/// The tools that may be used. It only restricts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedTools(Vec<Item>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Item {
    /// Name of the tool in this program.
    tool: String,
    /// Required prefix of its commands; `None` for any command.
    commands: Option<String>,
}

impl AllowedTools {
    /// Parses tools separated by blanks or commas: `Read Bash(git:*)`. Brackets contain a command
    /// prefix.
    pub fn parse(text: &str) -> Self {
        let mut words: Vec<String> = vec![];
        let (mut word, mut depth) = (String::new(), 0_u32);
        for c in text.chars() {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 && (c.is_whitespace() || c == ',') {
                words.push(std::mem::take(&mut word));
            } else {
                word.push(c);
            }
        }
        words.push(word);
        Self(words.iter().filter(|word| !word.is_empty()).map(|word| Item::parse(word)).collect())
    }

    /// The tools, by their names in this program.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|item| item.tool.as_str())
    }

    /// Whether a call is allowed.
    pub(crate) fn allows(&self, tool: &ToolName, inspection: Option<&Inspection>) -> bool {
        let items = || self.0.iter().filter(|item| item.tool == tool.as_str());
        if items().any(|item| item.commands.is_none()) {
            return true;
        }
        // Each part of a line has to be allowed; what cannot be parsed is not.
        let Some(inspection) = inspection else { return false };
        let commands = || inspection.subjects.iter().filter(|subject| is_simple(subject));
        let asks_always = |subject: &Subject| matches!(subject, Subject::Port { .. } | Subject::Opaque { .. });
        let is_opaque = inspection.subjects.iter().any(asks_always);
        items().next().is_some()
            && !is_opaque
            && commands().next().is_some()
            && commands().all(|command| items().any(|item| item.covers(&command.text())))
    }
}

fn is_simple(subject: &Subject) -> bool {
    matches!(subject, Subject::Command { program, .. } if !program.is_empty())
}

impl Item {
    fn parse(word: &str) -> Self {
        let (name, commands) = match word.split_once('(') {
            Some((name, rest)) => (name, Some(rest.trim_end_matches(')').trim())),
            None => (word, None),
        };
        let tool = built_in_tool(name).map_or_else(|| name.to_lowercase(), str::to_owned);
        let commands = commands.filter(|commands| !matches!(*commands, "" | "*")).map(str::to_owned);
        Self { tool, commands }
    }

    fn covers(&self, line: &str) -> bool {
        let Some(commands) = &self.commands else { return true };
        match commands.strip_suffix(":*").or_else(|| commands.strip_suffix('*')) {
            Some(start) => {
                let start = start.trim_end();
                line.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
            }
            None => line == commands,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(line: &str) -> Subject {
        let program = line.split(' ').next().unwrap_or_default().to_owned();
        Subject::Command { line: line.to_owned(), program, argv: vec![], via: vec![] }
    }

    #[test]
    fn what_is_not_named_is_not_let() {
        let allowed = AllowedTools::parse("Read, Bash(git:*) Bash(cargo test) mcp__x");
        let lets = |tool: &str, lines: &[&str]| {
            let inspection = lines.iter().fold(Inspection::mutating(), |all, line| all.touching(command(line)));
            allowed.allows(&ToolName::parse(tool).unwrap(), Some(&inspection))
        };
        assert!(lets("read", &[]) && lets("mcp__x", &[]));
        assert!(!lets("write", &[]) && !lets("bash", &[]));
        assert!(lets("bash", &["git status"]) && lets("bash", &["git"]) && lets("bash", &["cargo test"]));
        assert!(!lets("bash", &["gitk"]) && !lets("bash", &["cargo test --all"]) && !lets("bash", &["rm -r x"]));
        assert!(lets("bash", &["git status", "cargo test"]) && !lets("bash", &["git status", "rm -r x"]));
        let opaque = Inspection::mutating().touching(command("git x")).touching(Subject::Opaque { why: String::new() });
        assert!(!allowed.allows(&ToolName::parse("bash").unwrap(), Some(&opaque)));
        assert!(!allowed.allows(&ToolName::parse("bash").unwrap(), None));
        assert!(!AllowedTools::parse("").allows(&ToolName::parse("read").unwrap(), None));
    }
}
