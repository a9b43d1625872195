//! Composes the proposed rules as the text of a configuration from partial files. Pure.

use std::fmt::Write as _;

use super::{detect::ProjectKind, hosts::SourceHost};

/// Rules that ask before later rules would allow.
const ASKS: &str = include_str!("rules/asks.toml");
/// Everyday commands of every project.
const GENERAL: &str = include_str!("rules/general.toml");
/// Rules for file tools.
const FILES: &str = include_str!("rules/files.toml");

/// The rules for one kind of project.
fn part(kind: ProjectKind) -> &'static str {
    match kind {
        ProjectKind::Rust => include_str!("rules/rust.toml"),
        ProjectKind::Node => include_str!("rules/node.toml"),
        ProjectKind::Python => include_str!("rules/python.toml"),
        ProjectKind::Go => include_str!("rules/go.toml"),
        ProjectKind::Java => include_str!("rules/java.toml"),
        ProjectKind::Ruby => include_str!("rules/ruby.toml"),
    }
}

/// The proposed configuration for a project of these kinds, whose packages come from these hosts.
/// Rules to install packages and run scripts depend on the kinds; programs that read, check and
/// test are included for every project.
pub fn propose(kinds: &[ProjectKind], hosts: &[SourceHost]) -> String {
    let named: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
    let of = if named.is_empty() {
        "a project of no kind that is known".to_owned()
    } else {
        format!("a project of: {}", named.join(", "))
    };
    let mut text = format!(
        "# Rules for {of}.\n#\n\
         # The first rule that matches a command decides about it; each command of a line needs its own. What no rule\n\
         # matches asks: what publishes, installs programs, reaches other machines or deletes for others is not named\n\
         # below. What destroys work or changes files that other programs obey asks whatever a rule allows.\n\
         # `haft explain bash '{{\"command\": \"…\"}}'` says what would be decided, `haft policy suggest` reads in the record\n\
         # which rules would spare most questions. `{{a,b}}` is either, `{{, *}}` with or without more words.\n\n\
         [tools.permissions]\nbash = [\n"
    );
    let parts = std::iter::once(ASKS).chain(kinds.iter().map(|kind| part(*kind))).chain([GENERAL]);
    text.push_str(&parts.collect::<Vec<_>>().join("\n"));
    text.push_str("]\n");
    text.push_str(&network(hosts));
    text.push_str(FILES);
    text
}

/// The hosts that commands may connect to, each after the file that names it.
fn network(hosts: &[SourceHost]) -> String {
    if hosts.is_empty() {
        return String::new();
    }
    let mut text =
        "\n# Hosts that packages come from. Any other is asked about when a command connects to it.\n".to_owned();
    text.push_str("network = [\n");
    let mut from = None;
    for host in hosts {
        if from != Some(&host.from) {
            let _ = writeln!(text, "    # {}", host.from.display().to_string().escape_debug());
            from = Some(&host.from);
        }
        let _ = writeln!(text, "    {{ pattern = \"{}\", action = \"allow\" }},", host.pattern);
    }
    text.push_str("]\n");
    text
}
