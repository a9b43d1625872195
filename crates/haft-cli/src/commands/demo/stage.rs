//! The demo's toolbox, its folder and its statistics.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use haft::config::LoadedConfig;
use haft::core::{CallContext, ToolCall, Verdict};
use haft::{CallReport, Explanation, Toolbox};
use serde_json::{Value, json};

use super::copy::copy;
use crate::args::CommonArgs;
use crate::commands::call::{Consent, make};
use crate::commands::open::folder;
use crate::exit::Exit;
use crate::output::{json, line, printable};

/// The rules of the demo: what a developer would allow an agent in a repository.
pub(super) const RULES: &str = r#"[[tools.permissions.bash]]
pattern = "git status*"
action = "allow"
[[tools.permissions.bash]]
pattern = "git log *"
action = "allow"
[[tools.permissions.bash]]
pattern = "git push *"
action = "deny"
[[tools.permissions.bash]]
pattern = "cargo --version"
action = "allow"
[[tools.permissions.write]]
pattern = "haft-demo/**"
action = "allow"
[[tools.permissions.edit]]
pattern = "haft-demo/**"
action = "allow"
"#;

/// Everything one demo needs.
pub(super) struct Stage {
    pub(super) toolbox: Toolbox,
    pub(super) repository: PathBuf,
    pub(super) folder: PathBuf,
    pub(super) audit: PathBuf,
    started: Instant,
    calls: usize,
    broken: Vec<String>,
    /// Results of the acts for one JSON object; `None` if text is printed.
    acts: Option<Vec<Value>>,
}

impl Stage {
    /// Creates the folder and the toolbox.
    pub(super) fn set(common: &CommonArgs, dir: &Path) -> Result<Self, String> {
        let named = folder("directory", dir)?;
        let (repository, said) = match prepared(&named) {
            Ok(()) => (named.clone(), format!("haft demo on {}", named.display())),
            Err(why) => {
                let copied =
                    copy(&named).map_err(|error| format!("`{}` cannot be copied: {error}", named.display()))?;
                prepared(&copied.folder).map_err(|error| format!("`{}`: {error}", copied.folder.display()))?;
                let said = format!(
                    "haft demo on a copy of {} ({} files, in {}): the directory itself cannot be written ({why})",
                    named.display(),
                    copied.files,
                    copied.folder.display()
                );
                (copied.folder, said)
            }
        };
        let own = repository.join("haft-demo");
        let audit = own.join("audit.jsonl");
        for earlier in [audit.clone(), haft::audit::head_file(&audit)].iter().filter(|file| file.exists()) {
            fs::remove_file(earlier).map_err(|error| format!("`{}`: {error}", earlier.display()))?;
        }
        let toolbox = toolbox(&own, &repository)?;
        let acts = common.json.then(Vec::new);
        let stage =
            Self { toolbox, repository, folder: own, audit, started: Instant::now(), calls: 0, broken: vec![], acts };
        if !common.quiet {
            stage.line(&said);
        }
        Ok(stage)
    }

    /// Prints a line, unless one object is printed at the end.
    pub(super) fn line(&self, text: &str) {
        if self.acts.is_none() {
            line(text);
        }
    }

    /// Begins an act.
    pub(super) fn act(&mut self, title: &str) {
        self.line(&format!("\n── {title} {}", "─".repeat(74_usize.saturating_sub(title.chars().count()))));
        if let Some(acts) = &mut self.acts {
            acts.push(json!({"title": title, "findings": []}));
        }
    }

    /// Makes a call that needs no question.
    pub(super) async fn call(&mut self, tool: &str, params: Value) -> Result<CallReport, String> {
        let cx = self.toolbox.context();
        self.call_in(tool, params, &cx, Consent::Refused).await
    }

    /// Makes a call in its own context, with consent if given.
    pub(super) async fn call_in(
        &mut self,
        tool: &str,
        params: Value,
        cx: &CallContext,
        consent: Consent,
    ) -> Result<CallReport, String> {
        let toolbox = self.toolbox.clone();
        self.call_with(&toolbox, tool, params, cx, consent).await
    }

    /// Makes a call with another toolbox.
    pub(super) async fn call_with(
        &mut self,
        toolbox: &Toolbox,
        tool: &str,
        params: Value,
        cx: &CallContext,
        consent: Consent,
    ) -> Result<CallReport, String> {
        let call = ToolCall::new(tool, params).map_err(|error| error.to_string())?;
        self.calls += 1;
        Ok(make(toolbox, call, cx, consent).await)
    }

    /// A toolbox whose workspace is the demo's own folder. In a workspace of more than 100,000
    /// entries no call can be undone.
    pub(super) fn in_own_folder(&self) -> Result<Toolbox, String> {
        toolbox(&self.folder, &self.folder)
    }

    /// Counts calls that were made elsewhere.
    pub(super) fn count(&mut self, calls: usize) {
        self.calls += calls;
    }

    /// Explains how a call would be decided, without running it.
    pub(super) async fn explain(&self, tool: &str, params: Value) -> Result<Explanation, String> {
        let call = ToolCall::new(tool, params).map_err(|error| error.to_string())?;
        Ok(self.toolbox.explain(call, &self.toolbox.context()).await)
    }

    /// Prints one finding, and remembers it if it is not as expected.
    pub(super) fn finding(&mut self, holds: bool, text: &str) {
        self.line(&format!("  {} {}", if holds { "ok " } else { "BAD" }, printable(text)));
        let findings = self.acts.as_mut().and_then(|acts| acts.last_mut()?["findings"].as_array_mut());
        if let Some(findings) = findings {
            findings.push(json!({"ok": holds, "text": text}));
        }
        if !holds {
            self.broken.push(text.to_owned());
        }
    }

    /// Writes the report page of the record.
    fn report(&self) -> Result<String, String> {
        let page = haft::audit::report::page(&self.audit, &haft::audit::report::Options::default());
        let file = self.folder.join("report.html");
        fs::write(&file, page.map_err(|error| error.to_string())?).map_err(|error| error.to_string())?;
        Ok(file.display().to_string())
    }

    /// Prints the summary.
    pub(super) fn close(mut self) -> Exit {
        let (took, report) = (self.started.elapsed().as_secs_f64(), self.report());
        let exit = if self.broken.is_empty() { Exit::Ok } else { Exit::ToolFailed };
        if let Some(acts) = self.acts.take() {
            let page = report.as_ref().ok();
            json(&json!({
                "ok": exit == Exit::Ok, "directory": self.repository, "calls": self.calls, "seconds": took,
                "audit": self.audit, "report": page, "acts": acts, "failed": self.broken,
            }));
            return exit;
        }
        self.act("In short");
        line(&format!("  {} calls in {took:.1} s, each one line of {}", self.calls, self.audit.display()));
        line(&format!("  look at them: haft audit view {}", self.audit.display()));
        match report {
            Ok(page) => line(&format!("  or in a browser: {page}")),
            Err(problem) => line(&format!("  the HTML report could not be written: {problem}")),
        }
        if self.broken.is_empty() {
            line("  everything held");
        }
        for text in &self.broken {
            line(&format!("  did not hold: {}", printable(text)));
        }
        exit
    }
}

/// A toolbox that works in `workdir` and keeps everything it stores in the demo's own folder.
fn toolbox(own: &Path, workdir: &Path) -> Result<Toolbox, String> {
    let environment = |name: &str| std::env::var(name).ok();
    let mut loaded = LoadedConfig::parse(RULES, &environment).map_err(|error| error.to_string())?;
    loaded.config.tools.audit.path = own.join("audit.jsonl");
    let state = own.join("state");
    loaded.config.tools.overflow.path = state.join("overflow/overflow.db");
    loaded.config.tools.checkpoints.path = state.join("checkpoints");
    loaded.config.tools.approvals.path = state.join("approvals.jsonl");
    Toolbox::builder(loaded, workdir.to_owned()).build().map_err(|error| error.to_string())
}

/// Creates the demo's own folder in a repository.
fn prepared(repository: &Path) -> std::io::Result<()> {
    let folder = repository.join("haft-demo");
    fs::create_dir_all(&folder)?;
    // Keeps the folder out of the repository's status.
    fs::write(folder.join(".gitignore"), "*\n")
}

/// Formats a verdict for a column.
pub(super) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Allow => "allow",
        Verdict::Ask => "ask",
        Verdict::Deny => "DENY",
    }
}
