//! Checks of this machine: what works, how calls are confined, and what is not stopped.

use haft::config::ReloadState;
use haft::sandbox::kernel::{Facility, Level, Probe};
use haft::sandbox::view::ViewReport;
use haft::{NetworkMode, Toolbox};
use serde::Serialize;

/// Checks without which calls cannot run.
const REQUIRED: [&str; 2] = ["record", "program bash"];

/// Result of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Finding {
    /// The subject of the check.
    pub(crate) what: String,
    /// Whether the check passed.
    pub(crate) ok: bool,
    /// The result of the check.
    pub(crate) found: String,
}

/// Abilities of this machine. Field names are permanent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Doctor {
    /// Confinement of a command on this machine: `namespaces`, `landlock`, `off`, or why nothing
    /// runs.
    pub(crate) sandbox: String,
    /// The single checks.
    pub(crate) findings: Vec<Finding>,
    /// Gaps of the confinement, one sentence each.
    pub(crate) not_stopped: Vec<String>,
    /// The files and folders that commands can see.
    pub(crate) view: ViewReport,
}

impl Doctor {
    /// Examines this machine as the toolbox uses it.
    pub(crate) fn examine(toolbox: &Toolbox) -> Self {
        let mut findings: Vec<Finding> = Probe::fresh().report().iter().map(facility).collect();
        let commands = toolbox.commands();
        let strength = commands.map_or_else(|| Err("there are no tools".to_owned()), |commands| commands.strength());
        let level = strength.as_ref().map_or(Level::Off, |strength| strength.level);
        let (sandbox, not_stopped) = match strength {
            Ok(strength) => (name(level).to_owned(), strength.not_stopped),
            Err(problem) => {
                (format!("nothing runs: {}", problem.strip_prefix("nothing runs: ").unwrap_or(&problem)), vec![])
            }
        };
        findings.push(network(toolbox, &sandbox));
        findings.extend(judge(toolbox));
        findings.extend([program("bash"), program("git"), program("cargo"), record(toolbox), configuration(toolbox)]);
        let view = commands.map(|commands| commands.report(level)).unwrap_or_default();
        Self { sandbox, findings, not_stopped, view }
    }

    /// Whether calls can run and are recorded: sets the exit code of `haft doctor`.
    pub(crate) fn is_usable(&self) -> bool {
        !self.sandbox.starts_with("nothing runs")
            && self.findings.iter().all(|finding| finding.ok || !REQUIRED.contains(&finding.what.as_str()))
    }

    /// The report as text for a person.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!("commands are confined by: {}", self.sandbox)];
        for finding in &self.findings {
            let mark = if finding.ok { "ok     " } else { "MISSING" };
            lines.push(format!("{mark} {:<34} {}", finding.what, finding.found));
        }
        lines.extend(self.view.lines());
        lines.push("what is not stopped:".to_owned());
        lines.extend(self.not_stopped.iter().map(|sentence| format!("  - {sentence}")));
        if self.not_stopped.is_empty() {
            lines.push("  - nothing that was looked for; see docs/threat-model.md for what was not".to_owned());
        }
        lines
    }
}

fn name(level: Level) -> &'static str {
    match level {
        Level::Namespaces => "namespaces",
        Level::Landlock => "landlock",
        Level::Off => "off",
    }
}

/// Whether commands have the network that is configured.
fn network(toolbox: &Toolbox, sandbox: &str) -> Finding {
    let running = toolbox.running();
    let works = sandbox == "namespaces" && cfg!(feature = "egress");
    let (ok, found) = match running.tools.shell.network {
        NetworkMode::Open => (true, "open: that of the machine"),
        NetworkMode::Off => (true, "off"),
        NetworkMode::Gate if works => (true, "gate: hosts by rule or question"),
        NetworkMode::Gate if sandbox == "off" => (true, "open: without a sandbox nothing holds commands back"),
        NetworkMode::Gate => (false, "off: the gate needs the sandbox `namespaces` and the feature `egress`"),
    };
    Finding { what: "network of commands".to_owned(), ok, found: found.to_owned() }
}

fn facility(facility: &Facility) -> Finding {
    let found = facility.missing.clone().unwrap_or_else(|| "works".to_owned());
    Finding { what: facility.name.clone(), ok: facility.missing.is_none(), found }
}

/// Whether a program is in the `PATH` that commands get.
fn program(name: &str) -> Finding {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file());
    Finding {
        what: format!("program {name}"),
        ok: found.is_some(),
        found: found.map_or_else(|| "not in PATH".to_owned(), |file| file.display().to_string()),
    }
}

/// The model that judges calls by policies in plain language, if that is enabled.
fn judge(toolbox: &Toolbox) -> Option<Finding> {
    let running = toolbox.running();
    let config = &running.tools.adversarial_policy;
    let model = toolbox.parts().gates.state.judge.as_ref().map(|judge| judge.model());
    let found = format!(
        "{}; {} policies, fail_open = {}",
        model.map_or_else(|| "no model to ask".to_owned(), |model| format!("asks {model}")),
        config.policies.len(),
        config.fail_open
    );
    config.enabled.then(|| Finding { what: "adversarial policy".to_owned(), ok: model.is_some(), found })
}

/// The active configuration file, and the result of its last reload.
fn configuration(toolbox: &Toolbox) -> Finding {
    let file = toolbox.config_file().map_or_else(|| "no file: the defaults".to_owned(), |f| f.display().to_string());
    let (ok, found) = match toolbox.last_reload() {
        None => (true, file),
        Some(ReloadState { at, problem: Some(problem), .. }) => {
            (false, format!("{file}: what was read at {at:.0} cannot be used, what was in force stays: {problem}"))
        }
        Some(ReloadState { at, needs_restart, .. }) if needs_restart.is_empty() => {
            (true, format!("{file}, as of {at:.0}"))
        }
        Some(ReloadState { at, needs_restart, .. }) => {
            (true, format!("{file}, as of {at:.0}; from the next start: {}", needs_restart.join(", ")))
        }
    };
    Finding { what: "configuration".to_owned(), ok, found }
}

fn record(toolbox: &Toolbox) -> Finding {
    let record = &toolbox.parts().record;
    let found = record.as_ref().map_or_else(|| "off (`tools.audit.enabled`)".to_owned(), |open| open.store.to_string());
    Finding { what: "record".to_owned(), ok: record.is_some(), found }
}
