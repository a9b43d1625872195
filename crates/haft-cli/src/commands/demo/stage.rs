//! The toolbox of the demo, its folder, and the count of what was seen.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use haft::{
    CallReport, Explanation, Toolbox,
    config::{HaftConfig, Loaded},
    core::{CallContext, ToolCall, Verdict},
};
use serde_json::Value;

use crate::{
    args::Common,
    commands::call::{Consent, make},
    exit::Exit,
    output::{line, printable},
};

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
}

impl Stage {
    /// Makes the folder and the toolbox.
    pub(super) fn set(common: &Common, dir: &Path) -> Result<Self, String> {
        let repository = dir.canonicalize().map_err(|error| format!("`{}`: {error}", dir.display()))?;
        let folder = repository.join("haft-demo");
        fs::create_dir_all(&folder).map_err(|error| format!("`{}`: {error}", folder.display()))?;
        // So that it does not show up among the repository's own changes.
        fs::write(folder.join(".gitignore"), "*\n").map_err(|error| format!("`{}`: {error}", folder.display()))?;
        let audit = folder.join("audit.jsonl");
        for earlier in [audit.clone(), haft::audit::head_file(&audit)].iter().filter(|file| file.exists()) {
            fs::remove_file(earlier).map_err(|error| format!("`{}`: {error}", earlier.display()))?;
        }
        let environment = |name: &str| std::env::var(name).ok();
        let mut loaded = Loaded::<HaftConfig>::parse(RULES, &environment).map_err(|error| error.to_string())?;
        loaded.config.tools.audit.path.clone_from(&audit);
        // What is kept of calls stays in the demo's own folder, too.
        let state = folder.join("state");
        loaded.config.tools.overflow.path = state.join("overflow/overflow.db");
        loaded.config.tools.checkpoints.path = state.join("checkpoints");
        loaded.config.tools.approvals.path = state.join("approvals.jsonl");
        let toolbox = Toolbox::builder(loaded, repository.clone()).build().map_err(|error| error.to_string())?;
        if !common.quiet {
            line(&format!("haft demo on {}", repository.display()));
        }
        Ok(Self { toolbox, repository, folder, audit, started: Instant::now(), calls: 0, broken: vec![] })
    }

    /// Prints the head of an act.
    pub(super) fn act(title: &str) {
        line(&format!("\n── {title} {}", "─".repeat(74_usize.saturating_sub(title.chars().count()))));
    }

    /// Makes a call that nobody is asked about.
    pub(super) async fn call(&mut self, tool: &str, params: Value) -> Result<CallReport, String> {
        let cx = self.toolbox.context();
        self.call_in(tool, params, &cx, Consent::Refused).await
    }

    /// Makes a call in a context of its own, perhaps with consent.
    pub(super) async fn call_in(
        &mut self,
        tool: &str,
        params: Value,
        cx: &CallContext,
        consent: Consent,
    ) -> Result<CallReport, String> {
        let call = ToolCall::new(tool, params).map_err(|error| error.to_string())?;
        self.calls += 1;
        Ok(make(&self.toolbox, call, cx, consent).await)
    }

    /// Counts calls that were made by others.
    pub(super) fn count(&mut self, calls: usize) {
        self.calls += calls;
    }

    /// Asks what would be decided, without running anything.
    pub(super) async fn explain(&self, tool: &str, params: Value) -> Result<Explanation, String> {
        let call = ToolCall::new(tool, params).map_err(|error| error.to_string())?;
        Ok(self.toolbox.explain(call, &self.toolbox.context()).await)
    }

    /// Prints one finding, and remembers it when it is not what was promised.
    pub(super) fn finding(&mut self, holds: bool, text: &str) {
        line(&format!("  {} {}", if holds { "ok " } else { "BAD" }, printable(text)));
        if !holds {
            self.broken.push(text.to_owned());
        }
    }

    /// Writes the page of the record.
    fn report(&self) -> Result<String, String> {
        let page = haft::audit::report::page(&self.audit, &haft::audit::report::Options::default());
        let file = self.folder.join("report.html");
        fs::write(&file, page.map_err(|error| error.to_string())?).map_err(|error| error.to_string())?;
        Ok(file.display().to_string())
    }

    /// Prints the sum.
    pub(super) fn close(self) -> Exit {
        Self::act("In short");
        let took = self.started.elapsed().as_secs_f64();
        line(&format!("  {} calls in {took:.1} s, each one line of {}", self.calls, self.audit.display()));
        line("  look at them: haft audit view haft-demo/audit.jsonl");
        match self.report() {
            Ok(page) => line(&format!("  or in a browser: {page}")),
            Err(problem) => line(&format!("  there is no page of them: {problem}")),
        }
        if self.broken.is_empty() {
            line("  everything held");
            return Exit::Ok;
        }
        for text in &self.broken {
            line(&format!("  did not hold: {}", printable(text)));
        }
        Exit::ToolFailed
    }
}

/// A verdict in a column.
pub(super) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Allow => "allow",
        Verdict::Ask => "ask",
        Verdict::Deny => "DENY",
    }
}
