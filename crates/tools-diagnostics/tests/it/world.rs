//! A workspace with the tool in it.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use tools_core::{CallContext, Outcome, Shared, Stack, ToolCall, ToolOutput, Typed};
use tools_diagnostics::{Diagnostics, DiagnosticsConfig, DiagnosticsReport};
use tools_sandbox::ReadRules;
use tools_sandbox::kernel::{Confinement, MaskRules};

pub(crate) struct World {
    pub(crate) files: tools_testkit::Workspace,
    config: DiagnosticsConfig,
    env: BTreeMap<String, String>,
    /// Relative to `files`.
    workdir: PathBuf,
}

impl World {
    pub(crate) fn new() -> Self {
        Self {
            files: tools_testkit::Workspace::new(),
            config: DiagnosticsConfig::default(),
            env: BTreeMap::new(),
            workdir: PathBuf::new(),
        }
    }

    pub(crate) fn configured(self, config: DiagnosticsConfig) -> Self {
        Self { config, ..self }
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.env.insert(name.to_owned(), value.to_owned());
        self
    }

    /// The same with calls from a directory in it, their only root.
    pub(crate) fn below(self, workdir: &str) -> Self {
        Self { workdir: workdir.into(), ..self }
    }

    /// A program in the workspace.
    pub(crate) fn script(&self, name: &str, text: &str) {
        let path = self.files.file(name, format!("#!/bin/sh\n{text}"));
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// A package without dependencies.
    pub(crate) fn package(&self, main: &str) {
        self.files.file("Cargo.toml", "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
        self.files.file("src/main.rs", main);
    }

    pub(crate) fn executor(&self) -> Typed<Diagnostics> {
        let rules = ReadRules::preset(None);
        let policy = Shared::new(self.config.compile().unwrap());
        Diagnostics::new(policy)
            .confined(Arc::new(|writable, hidden| Confinement { writable, hidden, ..Confinement::default() }))
            .hiding(MaskRules::new(move |path| rules.denies(path), Vec::new()))
            .into_executor()
    }

    pub(crate) fn context(&self) -> CallContext {
        CallContext::new(self.files.path(&self.workdir)).with_env(self.env.clone())
    }

    pub(crate) async fn call(&self, params: Value) -> Outcome {
        let call = ToolCall::new("diagnostics", params).unwrap();
        Stack::new(vec![], self.executor()).dispatch(call, &self.context()).await
    }
}

pub(crate) fn report(output: &ToolOutput) -> DiagnosticsReport {
    serde_json::from_value(output.raw_response.clone().unwrap()).unwrap()
}
