//! The keeper that the endpoint of a session calls: it finds who connects, asks people, and records
//! each connection.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use tools_audit::ConnectionLine;
use tools_core::{Absence, Answer, CallContext, Clock, Locked as _, SessionId, StoredRule, SystemClock};
use tools_egress::endpoint::{Caller, Connection, Keeper, Permit, UndecidedConnection};
use tools_egress::rules::HostRules;
use tools_policy::permissions::{Audience, NETWORK, OnUnreadable, Scope, StoredApproval};

use crate::EgressSettings;
use crate::question::{self, NO_RULE};
use crate::rules::allowed;

/// Maximum number of sentences about refusals in the result of a command.
const MAX_REFUSALS: usize = 8;

pub(crate) struct SessionKeeper {
    settings: Arc<EgressSettings>,
    session: SessionId,
    running: Mutex<RunningCommands>,
}

#[derive(Default)]
struct RunningCommands {
    started: u64,
    commands: Vec<Command>,
}

/// A command that runs, or is about to.
struct Command {
    number: u64,
    supervisor: Option<i32>,
    line: String,
    context: CallContext,
    refused: Vec<String>,
}

impl SessionKeeper {
    pub(crate) fn new(settings: Arc<EgressSettings>, session: SessionId) -> Self {
        Self { settings, session, running: Mutex::default() }
    }

    /// Adds a command and returns its number.
    pub(crate) fn begin(&self, line: &str, context: &CallContext) -> u64 {
        let mut running = self.running.locked();
        running.started += 1;
        let number = running.started;
        let (line, context) = (line.to_owned(), context.clone());
        running.commands.push(Command { number, supervisor: None, line, context, refused: Vec::new() });
        number
    }

    pub(crate) fn started(&self, number: u64, supervisor: i32) {
        if let Some(command) = self.running.locked().of(number) {
            command.supervisor = Some(supervisor);
        }
    }

    pub(crate) fn refused(&self, number: u64) -> Vec<String> {
        self.running.locked().of(number).map(|command| command.refused.clone()).unwrap_or_default()
    }

    pub(crate) fn end(&self, number: u64) {
        self.running.locked().commands.retain(|command| command.number != number);
    }

    /// Whether no command runs.
    pub(crate) fn is_idle(&self) -> bool {
        self.running.locked().commands.is_empty()
    }

    /// An earlier decision of a person for this session or its folder. A rejection has priority.
    async fn decided_before(&self, wanted: &UndecidedConnection, workdir: &Path) -> Option<Permit> {
        let rules = &self.settings.allowed;
        // Approvals that cannot be read do not count; then a person is asked.
        let is_known = rules.refresh().await.is_ok() || rules.on_error() == OnUnreadable::Keep;
        let of_session = rules.of(&self.session);
        let own = of_session.rules().filter(|rule| rule.tool.as_str() == NETWORK).map(|rule| rule.pattern.as_str());
        let audience = Audience { workdir, caller: rules.caller(), now: SystemClock.now() };
        let mut stored = rules.approvals();
        stored.retain(|stored| {
            stored.tool.as_str() == NETWORK && stored.applies_to(audience) && (stored.rejects || is_known)
        });
        let (rejected, approved): (Vec<_>, Vec<_>) = stored.into_iter().partition(|stored| stored.rejects);
        let target = &wanted.target;
        let about = |(_, rules): &(_, HostRules)| rules.about(&target.host, target.port, None).is_some();
        if let Some((pattern, _)) = allowed(patterns(&rejected)).into_iter().find(about) {
            return Some(Permit::Refused { by: format!("rejected: {pattern}") });
        }
        let (pattern, _) = allowed(own.chain(patterns(&approved))).into_iter().find(about)?;
        Some(Permit::Allowed { by: format!("approved: {pattern}") })
    }

    async fn reject(&self, rule: StoredRule, workdir: &Path) {
        let caller = self.settings.allowed.caller().cloned();
        let rejected = self.settings.approvals.reject_in_folder(rule, workdir, caller);
        if let Err(error) = self.settings.allowed.store(rejected).await {
            tracing::warn!(%error, "a rejection cannot be stored; the next such connection asks again");
        }
    }

    async fn allow_for_good(&self, rule: StoredRule, workdir: &Path) {
        let scope = Scope::Project { project: workdir.to_owned() };
        let approved = self.settings.approvals.approve(rule.clone(), scope, self.settings.allowed.caller().cloned());
        if let Err(error) = self.settings.allowed.store(approved).await {
            let holds_for_session = self.settings.allowed.on_error() == OnUnreadable::Keep;
            tracing::warn!(%error, holds_for_session, "an approval cannot be stored");
            if holds_for_session {
                self.allow(rule);
            }
        }
    }

    fn allow(&self, rule: StoredRule) {
        if let Err(error) = self.settings.allowed.add(&self.session, rule) {
            tracing::warn!(%error, "a rule for the session was dropped");
        }
    }
}

fn patterns(stored: &[StoredApproval]) -> impl Iterator<Item = &str> {
    stored.iter().map(|stored| stored.pattern.as_str())
}

impl RunningCommands {
    fn of(&mut self, number: u64) -> Option<&mut Command> {
        self.commands.iter_mut().find(|command| command.number == number)
    }
}

#[async_trait]
impl Keeper for SessionKeeper {
    fn caller(&self, peer: SocketAddr) -> Caller {
        let (commands, newest) = {
            let running = self.running.locked();
            let started = running.commands.iter().filter_map(|command| Some((command.number, command.supervisor?)));
            (started.collect::<Vec<_>>(), running.commands.last().map(|command| command.number))
        };
        let supervisors: Vec<i32> = commands.iter().map(|(_, supervisor)| *supervisor).collect();
        match tools_sandbox::process::caller(&supervisors, peer.port()) {
            Some(found) => {
                let program = found.program.as_deref().and_then(Path::file_name);
                let program = program.map(|name| name.to_string_lossy().into_owned());
                Caller { program, command: commands.get(found.tree).map(|(number, _)| *number) }
            }
            // The process has ended or is one of too many. A person can still be asked about the
            // newest command.
            None => Caller { program: None, command: newest },
        }
    }

    fn rules(&self) -> Arc<HostRules> {
        self.settings.rules.load()
    }

    fn most_sent(&self) -> Option<u64> {
        *self.settings.most_sent.load()
    }

    async fn ask(&self, wanted: &UndecidedConnection) -> Permit {
        let found = wanted.caller.command.and_then(|number| {
            self.running.locked().of(number).map(|command| (command.line.clone(), command.context.clone()))
        });
        let rule = wanted.rule.clone().unwrap_or_else(|| NO_RULE.to_owned());
        let Some((line, context)) = found else { return Permit::Refused { by: rule } };
        if let Some(decided) = self.decided_before(wanted, context.workdir()).await {
            return decided;
        }
        let prompt = question::prompt(wanted, &line, self.settings.redactor.as_ref());
        let answer = match (context.questions(), prompt) {
            (Some(questions), Some(prompt)) => questions.ask(prompt).await,
            _ => Answer::Nobody(Absence::CannotAsk),
        };
        let allowed = |by: &str| Permit::Allowed { by: by.to_owned() };
        match (answer, question::rule(wanted)) {
            (Answer::Once, _) | (Answer::Session | Answer::Always, None) => allowed("a person, for this command"),
            (Answer::Session, Some(stored)) => {
                self.allow(stored);
                allowed("a person, for this session")
            }
            (Answer::Always, Some(stored)) => {
                self.allow_for_good(stored, context.workdir()).await;
                allowed("a person, for this project")
            }
            (Answer::Never, Some(stored)) => {
                self.reject(stored, context.workdir()).await;
                Permit::Refused { by: "a person said no, for this project".to_owned() }
            }
            (Answer::No(None) | Answer::Never, _) => Permit::Refused { by: "a person said no".to_owned() },
            (Answer::No(Some(why)), _) => Permit::Refused { by: format!("a person said no: {why}") },
            (Answer::Nobody(absence), _) => {
                let nobody = match absence {
                    Absence::CannotAsk | Absence::NotShown => "nobody can be asked here",
                    Absence::NoAnswer | Absence::Dismissed => "nobody answered",
                };
                Permit::Refused { by: format!("{rule}, and {nobody}") }
            }
        }
    }

    fn ended(&self, connection: &Connection) {
        let Connection { target, caller, permit, problem, .. } = connection;
        let (is_allowed, rule) = match permit {
            Permit::Allowed { by } => (true, by),
            Permit::Refused { by } => (false, by),
        };
        let why = if is_allowed { problem.as_ref() } else { Some(rule) };
        let line = {
            let mut running = self.running.locked();
            let command = caller.command.and_then(|number| running.of(number));
            command.map(|command| {
                if let Some(why) = why {
                    let by = caller.program.as_ref().map(|program| format!(" by `{program}`")).unwrap_or_default();
                    let sentence = if connection.is_inbound {
                        format!("connection to the published port {} failed: {why}", target.port)
                    } else {
                        format!("connection{by} to `{target}` refused: {why}")
                    };
                    if command.refused.len() < MAX_REFUSALS && !command.refused.contains(&sentence) {
                        command.refused.push(sentence);
                    }
                }
                command.line.clone()
            })
        };
        let Some(record) = &self.settings.record else { return };
        record.connection(&ConnectionLine {
            session: self.session.as_str(),
            host: &target.host.to_string(),
            port: target.port,
            address: connection.address.map(|address| address.ip().to_string()),
            program: caller.program.as_deref(),
            command: line.as_deref(),
            decision: if is_allowed { "allow" } else { "deny" },
            rule,
            problem: problem.as_deref(),
            inbound: connection.is_inbound,
            sent: connection.sent,
            received: connection.received,
            duration_ms: u64::try_from(connection.duration.as_millis()).unwrap_or(u64::MAX),
        });
    }
}
