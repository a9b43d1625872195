//! Figures over all calls of a log, gathered one call at a time.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{call::Call, hosts::Hosts};

/// Number of each verdict.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Verdicts {
    pub(super) allow: u64,
    pub(super) ask: u64,
    pub(super) deny: u64,
}

impl Verdicts {
    fn add(&mut self, call: &Call) {
        match call.verdict() {
            "allow" => self.allow += 1,
            "ask" => self.ask += 1,
            "deny" => self.deny += 1,
            _ => {}
        }
    }

    pub(super) fn total(self) -> u64 {
        self.allow + self.ask + self.deny
    }
}

/// Calls of one command, with the size of their output.
#[derive(Debug, Default)]
pub(super) struct CommandUsage {
    pub(super) calls: u64,
    pub(super) raw: u64,
    pub(super) model: u64,
}

/// Runs of one program.
#[derive(Debug, Default)]
pub(super) struct Program {
    pub(super) runs: u64,
    pub(super) failed: u64,
    pub(super) refused: u64,
    pub(super) ms: u64,
    pub(super) sandbox: String,
}

/// Changes of one file.
#[derive(Debug, Default)]
pub(super) struct FileChange {
    pub(super) times: u64,
    pub(super) added: u64,
    pub(super) removed: u64,
    pub(super) last: u64,
}

/// A stage that judged calls.
#[derive(Debug, Default)]
pub(super) struct Gate {
    pub(super) verdicts: BTreeMap<String, u64>,
    pub(super) us: u64,
    pub(super) calls: u64,
}

/// All figures.
#[derive(Debug, Default)]
pub(super) struct Figures {
    pub(super) calls: u64,
    pub(super) verdicts: Verdicts,
    pub(super) failed: u64,
    pub(super) first: String,
    pub(super) last: String,
    pub(super) run: u64,
    pub(super) approval: u64,
    pub(super) raw: u64,
    pub(super) filtered: u64,
    pub(super) truncated: u64,
    pub(super) model: u64,
    pub(super) cached: u64,
    pub(super) sessions: BTreeMap<String, u64>,
    pub(super) spent: BTreeMap<String, CommandUsage>,
    pub(super) rules: BTreeMap<String, Verdicts>,
    /// Verdicts by the pattern that a rule would need.
    pub(super) patterns: BTreeMap<String, Verdicts>,
    /// The sets of patterns in questions.
    pub(super) questions: BTreeMap<Vec<String>, u64>,
    pub(super) gates: BTreeMap<String, Gate>,
    pub(super) programs: BTreeMap<String, Program>,
    pub(super) hosts: Hosts,
    pub(super) files: BTreeMap<String, FileChange>,
}

impl Figures {
    pub(super) fn add(&mut self, call: &Call) {
        self.calls += 1;
        self.verdicts.add(call);
        self.failed += u64::from(call.is_failed() && call.verdict() == "allow");
        if self.first.is_empty() {
            self.first.clone_from(&call.ts);
        }
        self.last.clone_from(&call.ts);
        self.run = self.run.saturating_add(call.run);
        self.approval = self.approval.saturating_add(call.approval);
        *self.sessions.entry(call.session.clone()).or_default() += 1;
        self.rules.entry(call.rule.clone()).or_default().add(call);
        for pattern in &call.patterns {
            self.patterns.entry(format!("{}: {pattern}", call.tool)).or_default().add(call);
        }
        if call.verdict() == "ask" {
            let named = call.patterns.iter().map(|pattern| format!("{}: {pattern}", call.tool)).collect();
            *self.questions.entry(named).or_default() += 1;
        }
        self.add_size(call);
        self.add_gates(call);
        self.add_programs(call);
        self.add_files(call);
    }

    fn add_size(&mut self, call: &Call) {
        self.raw = self.raw.saturating_add(call.raw);
        self.model = self.model.saturating_add(call.model);
        let gone = call.raw - call.model;
        // One number for both: if text was cut after filtering, the cut removed most of it.
        let where_to = if call.is_filtered && !call.is_truncated { &mut self.filtered } else { &mut self.truncated };
        *where_to = where_to.saturating_add(gone);
        if call.is_cached {
            self.cached = self.cached.saturating_add(call.model);
        }
        let what = match call.patterns.first() {
            Some(pattern) if !call.programs.is_empty() => pattern.clone(),
            _ => call.tool.clone(),
        };
        let spent = self.spent.entry(what).or_default();
        spent.calls += 1;
        spent.raw = spent.raw.saturating_add(call.raw);
        spent.model = spent.model.saturating_add(call.model);
    }

    fn add_gates(&mut self, call: &Call) {
        let notes = call.line.get("gates").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for note in notes {
            let text = |key: &str| note.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            let gate = self.gates.entry(text("gate")).or_default();
            gate.calls += 1;
            gate.us = gate.us.saturating_add(note.get("us").and_then(Value::as_u64).unwrap_or_default());
            *gate.verdicts.entry(text("verdict")).or_default() += 1;
        }
    }

    fn add_programs(&mut self, call: &Call) {
        for name in &call.programs {
            let program = self.programs.entry(name.clone()).or_default();
            if call.verdict() != "allow" {
                program.refused += 1;
                continue;
            }
            program.runs += 1;
            program.failed += u64::from(call.is_failed());
            program.ms = program.ms.saturating_add(call.run);
            if let Some(sandbox) = call.line.get("sandbox").and_then(Value::as_str) {
                sandbox.clone_into(&mut program.sandbox);
            }
        }
    }

    fn add_files(&mut self, call: &Call) {
        let Some(files) = call.line.get("fs") else { return };
        let number = |key: &str| files.get(key).and_then(Value::as_u64).unwrap_or_default();
        let paths = files.get("changed").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        for (at, path) in paths.enumerate() {
            let changed = self.files.entry(path.to_owned()).or_default();
            changed.times += 1;
            changed.last = call.seq;
            if at == 0 {
                changed.added = changed.added.saturating_add(number("added"));
                changed.removed = changed.removed.saturating_add(number("removed"));
            }
        }
    }
}
