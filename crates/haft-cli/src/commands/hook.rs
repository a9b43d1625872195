//! `haft hook HOST`: runs before and after a host's own tools and answers in the host's format. On
//! any failure it asks; it never allows.

use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use haft::config::places::watch_dir;
use haft::core::{ApprovalContext, CallerId, Decisions, Redactor as _, SessionId, SystemClock, ToolCall, Verdict};
use haft::hosts::Host;
use haft::hosts::hook::{
    Answer, Decision, Event, Format, HookRequest, HookStart, HostCall, HostCallOrigin, map_strings, quoted,
};
use haft::questions::Watchers;
use haft::secrets::{SecretRedactor, SecretsMode};
use serde_json::{Value, json};

use crate::args::CommonArgs;
use crate::commands::hook_lines::without_lines;
use crate::commands::hook_start::detect_hook_start;
use crate::commands::open::{load, open_with, takes_everything};
use crate::commands::program_path::our_path;
use crate::exit::Exit;
use crate::output;

/// Time limit for an answer at `haft approvals watch`: `haft setup` gives a hook 30 seconds.
const PATIENCE: Duration = Duration::from_secs(25);
/// Maximum input size in bytes, more than any host sends for one result.
const MAX_INPUT_BYTES: u64 = 64 * 1024 * 1024;

/// Reads one event from standard input and answers it.
pub(crate) fn run(common: &CommonArgs, host: Host, confine: bool) -> Result<Exit, String> {
    let format = host.hooks().ok_or_else(|| format!("{} has no hooks; plug in over MCP instead", host.title()))?;
    let (input, unread) = match input() {
        Ok(input) => (input, None),
        Err(problem) => (Value::Null, Some(problem)),
    };
    let hook = Hook { common, host, format, confine, input: &input, seat: detect_hook_start() };
    let answered = catch_unwind(AssertUnwindSafe(|| match unread {
        None => hook.answer(),
        Some(problem) => Err(problem),
    }));
    let answered = answered.unwrap_or_else(|_| Err("haft failed unexpectedly".to_owned()));
    let answer = answered.unwrap_or_else(|problem| {
        output::note(&format!("haft: {problem}"));
        hook.failed(&problem)
    });
    output::line(&answer.to_string());
    Ok(Exit::Ok)
}

fn input() -> Result<Value, String> {
    let mut text = Vec::new();
    let read = io::stdin().lock().take(MAX_INPUT_BYTES + 1).read_to_end(&mut text);
    read.map_err(|error| format!("the input cannot be read: {error}"))?;
    if text.len() as u64 > MAX_INPUT_BYTES {
        return Err("the input is larger than 64 MiB".to_owned());
    }
    serde_json::from_slice(&text).map_err(|error| format!("the input is not valid JSON: {error}"))
}

struct Hook<'a> {
    common: &'a CommonArgs,
    host: Host,
    format: &'static dyn Format,
    /// Whether allowed commands are rewritten to run confined.
    confine: bool,
    input: &'a Value,
    seat: HookStart,
}

impl Hook<'_> {
    fn answer(&self) -> Result<Value, String> {
        let Event { place, meaning } = self.format.read(self.input).map_err(|error| error.to_string())?;
        match meaning {
            HookRequest::Nothing => Ok(json!({})),
            HookRequest::Before(calls) => Ok(self.format.answer(self.input, &self.put(self.judged(&place, &calls)?))),
            HookRequest::After { result, searched } => {
                let shown = if searched { self.without_closed(&place, &result) } else { None };
                let clean = self.redacted(shown.as_ref().unwrap_or(&result)).or(shown);
                let answer = clean.and_then(|clean| self.format.replace(self.input, &clean));
                Ok(answer.unwrap_or_else(|| json!({})))
            }
        }
    }

    /// Answer if the check failed: a question, in a form the host understands.
    fn failed(&self, problem: &str) -> Value {
        let reason = format!("haft could not judge this call: {problem}");
        let answer = self.put(Answer { decision: Decision::Ask, reason, command: None });
        self.format.answer(if self.input.is_object() { self.input } else { &Value::Null }, &answer)
    }

    /// Returns the answer, but a refusal in place of a question if the host has no person to ask.
    fn put(&self, answer: Answer) -> Answer {
        if answer.decision == Decision::Ask && !self.format.is_attended(&self.seat) {
            let reason = format!("{} (nobody sits at {})", answer.reason, self.host.title());
            return Answer { decision: Decision::Deny, reason, command: None };
        }
        answer
    }

    /// Strictest decision about all of the calls.
    fn judged(&self, place: &HostCallOrigin, calls: &[HostCall]) -> Result<Answer, String> {
        let workdir = match (&place.workdir, &self.common.workdir) {
            (Some(workdir), _) | (None, Some(workdir)) => workdir.clone(),
            (None, None) => PathBuf::from("."),
        };
        let workdir = workdir.canonicalize().map_err(|error| format!("`{}`: {error}", workdir.display()))?;
        let root = self.root(&workdir);
        // If no folder was named: the host's shell may have changed its directory since.
        if self.common.workdir.is_none()
            && calls.iter().any(|call| !call.only_reads())
            && takes_everything(self.common, &root)?
        {
            return Err(format!(
                "it comes from `{}`, and with that as workspace everything there could be written",
                root.display()
            ));
        }
        let named =
            CommonArgs { workdir: Some(root.clone()), session: session(self.host, place), ..self.common.clone() };
        let toolbox = open_with(&named, |config| config.kept_in(&root))?;
        let (hosted, cx) = (toolbox.hosted_calls(), toolbox.context().with_workdir(workdir.clone()));
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
        let caller = CallerId::parse(self.host.name()).map_err(|error| error.to_string())?;
        let mut answer = Answer { decision: Decision::Allow, reason: String::new(), command: None };
        let mut approved = false;
        for call in calls {
            let made = ToolCall::new(call.tool, call.params.clone()).map_err(|error| error.to_string())?;
            let made = made.with_caller(caller.clone());
            let judged = if self.format.can_ask(self.input) && self.format.is_attended(&self.seat) {
                runtime.block_on(hosted.judge(made, &cx))
            } else {
                let watchers =
                    Watchers::of_process(watch_dir(), PATIENCE, false).on_behalf_of(self.host.title(), &workdir);
                let (by, decisions) = (CallerId::person(), Some(&toolbox as &dyn Decisions));
                let asking = ApprovalContext { confirmer: &watchers, decisions, by: &by, clock: &SystemClock };
                runtime.block_on(hosted.judge_asking(made, &cx, asking))
            };
            let decision = match judged.verdict {
                // Rules allow commands because the kernel confines them. The host's own shell is
                // not confined.
                Verdict::Allow if call.line.is_some() && !self.confine => Decision::Leave,
                Verdict::Allow => Decision::Allow,
                Verdict::Ask => Decision::Ask,
                Verdict::Deny => Decision::Deny,
            };
            approved |= judged.approved;
            if decision > answer.decision {
                answer = Answer { decision, reason: judged.reason, command: None };
            }
        }
        if let (true, [call], Decision::Allow | Decision::Ask) = (self.confine, calls, answer.decision)
            && let Some(line) = &call.line
        {
            let consented = approved || answer.decision == Decision::Ask;
            let within = (root != workdir).then_some(root.as_path());
            answer.command = Some(self.confined(line, consented, within).ok_or("the command cannot be quoted")?);
        }
        // The process ends right after, and nothing was started: freeing thousands of rules would
        // only delay the host.
        std::mem::forget(toolbox);
        Ok(answer)
    }

    /// Command line that runs `line` confined. If a person is asked (`consented`), the host runs it
    /// only after their consent.
    fn confined(&self, line: &str, consented: bool, within: Option<&Path>) -> Option<String> {
        let mut words = vec![quoted(our_path().to_str()?)?];
        if let Some(config) = &self.common.config {
            words.extend(["--config".to_owned(), quoted(std::path::absolute(config).ok()?.to_str()?)?]);
        }
        if self.format.has_sandbox() {
            // Without `--quiet`, every command would warn about what the host's sandbox takes away.
            words.extend(["--quiet", "exec", "--on-record"].map(str::to_owned));
        } else {
            words.push("exec".to_owned());
        }
        words.push("--filter".to_owned());
        if consented {
            words.push("--yes".to_owned());
        }
        if let Some(within) = within {
            words.extend(["--within".to_owned(), quoted(within.to_str()?)?]);
        }
        words.extend(["--".to_owned(), quoted(line)?]);
        Some(words.join(" "))
    }

    /// Root that confines the tools: the host's project if the call comes from inside it.
    fn root(&self, workdir: &Path) -> PathBuf {
        if let Some(named) = self.common.workdir.as_ref().and_then(|named| named.canonicalize().ok()) {
            return named;
        }
        let project = match self.host {
            Host::ClaudeCode => "CLAUDE_PROJECT_DIR",
            Host::Gemini => "GEMINI_PROJECT_DIR",
            Host::Cursor => "CURSOR_PROJECT_DIR",
            _ => return workdir.to_owned(),
        };
        let project = std::env::var_os(project).and_then(|path| Path::new(&path).canonicalize().ok());
        project.filter(|project| workdir.starts_with(project)).unwrap_or_else(|| workdir.to_owned())
    }

    /// The result with credentials redacted; `None` if it has none.
    fn redacted(&self, result: &Value) -> Option<Value> {
        let redactor = match load(self.common) {
            Ok(loaded) => {
                let security = &loaded.config.tools.filters.security;
                match security.mode() {
                    SecretsMode::Redact => security.redactor().unwrap_or_default(),
                    SecretsMode::Warn | SecretsMode::Off => return None,
                }
            }
            // If the configuration cannot be read, credentials are still redacted by their shape.
            Err(_) => SecretRedactor::default(),
        };
        let redactor = redactor.numbering();
        let without = |text: &str| {
            let redacted = redactor.redact(text);
            (redacted != text).then(|| redacted.into_owned())
        };
        map_strings(result, &without)
    }

    /// The result of a search without lines of closed files, which the host reads like any other;
    /// `None` if it has none.
    fn without_closed(&self, place: &HostCallOrigin, result: &Value) -> Option<Value> {
        let workdir = place.workdir.clone().or_else(|| self.common.workdir.clone()).unwrap_or_else(|| ".".into());
        let workdir = workdir.canonicalize().ok()?;
        let file = load(self.common).map(|loaded| loaded.config.tools.file).unwrap_or_default();
        let rules = file.read_rules(&workdir, haft::home().as_deref()).ok()?;
        map_strings(result, &|text| without_lines(text, &|path| rules.denies(&workdir.join(path))))
    }
}

/// Session in the record: the host's session, under the host's name.
fn session(host: Host, place: &HostCallOrigin) -> Option<String> {
    let session = format!("{}:{}", host.name(), place.session.as_ref()?);
    SessionId::parse(&session).is_ok().then_some(session)
}
