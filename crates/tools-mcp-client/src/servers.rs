//! The servers of a configuration: their offered tools, current lists and accepted definitions.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use schemars::Schema;
use serde_json::Value;
use tokio::sync::Notify;
use tools_core::{
    CallContext, Locked as _, Redactor, SessionId, Shared, ToolDef, ToolDefs, ToolKind, ToolName, ToolOrigin,
    ToolTraits,
};

use crate::connection::{Connection, Judge};
use crate::listing::{HoldReason, Listing};
use crate::log_text::LogText;
use crate::naming::names;
use crate::pins::{Definition, Finding, Found, LockFile, LockStore, Sign, Surroundings, compare};
use crate::slots::Slots;
use crate::{Launcher, McpError, PinMode, Server};

/// The servers of a toolbox, shared by all sessions; every session has its own processes.
#[derive(Debug)]
pub struct McpServers {
    servers: Vec<Arc<Server>>,
    state: Arc<State>,
    slots: Slots,
    published: Shared<PublishedTools>,
}

/// State of the servers besides their connections.
#[derive(Debug)]
struct State {
    lock: LockStore,
    /// Names of tools that belong to no server.
    built_in: Mutex<BTreeSet<String>>,
    /// Accepted definitions as last read; an error if they cannot be read.
    accepted: Mutex<Result<LockFile, McpError>>,
    /// Last lists of servers without pins.
    live: Mutex<BTreeMap<String, Vec<Definition>>>,
    /// Whether a changed list is to be published at the next boundary.
    pending: AtomicBool,
    woken: Arc<Notify>,
}

/// The published tools.
#[derive(Debug, Default)]
struct PublishedTools {
    definitions: DefaultToolDefs,
    owners: HashMap<ToolName, (Arc<Server>, String)>,
}

/// Definitions with a default.
#[derive(Debug)]
struct DefaultToolDefs(ToolDefs);

impl Default for DefaultToolDefs {
    fn default() -> Self {
        Self(Arc::from([]))
    }
}

/// Results of the first contact with servers.
#[derive(Debug, Default)]
pub struct Introductions {
    /// Servers that could not be contacted, and why.
    pub failed: Vec<(String, McpError)>,
    /// Servers seen for the first time, with the number of tools accepted and the number held.
    pub first: Vec<(String, usize, usize)>,
}

/// Facts about a server after it was contacted.
#[derive(Debug)]
pub struct Report {
    /// Name, version and protocol revision that the server reports.
    pub about: Option<(String, String, String)>,
    /// Results for its tools.
    pub listing: Listing,
    /// Client features that it requested without an offer.
    pub asked: Vec<&'static str>,
    /// Number of lines on standard output that were not messages.
    pub noise: usize,
    /// End of its standard error, without credentials.
    pub stderr: String,
}

impl McpServers {
    /// The servers, with their accepted definitions in `lock`; `built_in` are names that their
    /// tools must not resemble.
    pub fn new(servers: Vec<Server>, lock: LockStore, built_in: impl IntoIterator<Item = String>) -> Self {
        let accepted = lock.load();
        if let Err(error) = &accepted {
            tracing::warn!(%error, "no tool of an MCP server is offered");
        }
        let state = State {
            lock,
            built_in: Mutex::new(built_in.into_iter().collect()),
            accepted: Mutex::new(accepted),
            live: Mutex::default(),
            pending: AtomicBool::new(false),
            woken: Arc::default(),
        };
        let servers = servers.into_iter().map(Arc::new).collect();
        let made = Self {
            servers,
            state: Arc::new(state),
            slots: Slots::default(),
            published: Shared::new(PublishedTools::default()),
        };
        made.publish();
        made
    }

    /// Sets the redactor for server text in definitions, the log and [`Report::stderr`]. Without it
    /// credentials are found by their shape.
    #[must_use]
    pub fn redacting(self, redactor: Arc<dyn Redactor>) -> Self {
        let made = Self { slots: self.slots.logging(LogText::by(redactor)), ..self };
        made.publish();
        made
    }

    /// The servers.
    pub fn all(&self) -> &[Arc<Server>] {
        &self.servers
    }

    /// The server with this key.
    pub fn get(&self, id: &str) -> Option<&Arc<Server>> {
        self.servers.iter().find(|server| server.id() == id)
    }

    /// Adds names that tools of servers must not resemble.
    pub fn reserve_names(&self, names: impl IntoIterator<Item = String>) {
        self.state.built_in.locked().extend(names);
    }

    /// Notified when a changed list can be published at the next boundary.
    pub fn changed(&self) -> &Arc<Notify> {
        &self.state.woken
    }

    /// Publishes changes since the last call; returns whether there were any. Called between turns,
    /// so that the list stays the same within one.
    pub fn settle(&self) -> bool {
        let is_due = self.state.pending.swap(false, Ordering::AcqRel);
        if is_due {
            self.publish();
        }
        is_due
    }

    /// The last published tools.
    pub fn definitions(&self) -> ToolDefs {
        Arc::clone(&self.published.load().definitions.0)
    }

    /// The server that owns a tool, and the server's name for it.
    pub(crate) fn owner(&self, tool: &ToolName) -> Option<(Arc<Server>, String)> {
        self.published.load().owners.get(tool).cloned()
    }

    /// Servers whose tools are unknown, so that they must be asked before their tools can be
    /// offered.
    pub fn unknown(&self) -> Vec<Arc<Server>> {
        let accepted = self.state.accepted();
        let live = self.state.live.locked();
        let is_known = |server: &Arc<Server>| match server.config.pin {
            PinMode::Off => live.contains_key(server.id()),
            PinMode::Strict => true,
            PinMode::Ask => accepted.as_ref().map_or(true, |lock| lock.servers.contains_key(server.id())),
        };
        self.servers.iter().filter(|server| !is_known(server)).cloned().collect()
    }

    /// Asks all servers with unknown tools in parallel, and publishes their lists.
    pub async fn introduce(&self, launcher: &Launcher, cx: &CallContext) -> Introductions {
        let mut introduced = Introductions::default();
        let unknown = self.unknown();
        let contacts = unknown.iter().map(|server| async move { (server, self.connect(server, launcher, cx).await) });
        for (server, connected) in join_all(contacts).await {
            match connected {
                Ok(connection) => {
                    let findings = connection.listing().findings;
                    let held = findings.iter().filter(|finding| finding.is_held()).count();
                    introduced.first.push((server.id().to_owned(), findings.len() - held, held));
                }
                Err(error) => introduced.failed.push((server.id().to_owned(), error)),
            }
        }
        self.settle();
        introduced
    }

    /// Starts a server, or uses the running one, and reports its state.
    ///
    /// # Errors
    /// Why it cannot be contacted.
    pub async fn report(
        &self,
        server: &Arc<Server>,
        launcher: &Launcher,
        cx: &CallContext,
    ) -> Result<Report, McpError> {
        let connection = self.connect(server, launcher, cx).await?;
        let (asked, noise) = connection.protocol_violations();
        Ok(Report {
            about: connection.about(),
            listing: connection.listing(),
            asked,
            noise,
            stderr: connection.last_words(),
        })
    }

    /// Accepts findings of a server in their current state: a changed definition replaces the
    /// accepted one, a missing one is removed.
    ///
    /// # Errors
    /// [`McpError::Lock`] if they cannot be stored.
    pub fn accept(&self, server: &Server, findings: &[Finding]) -> Result<(), McpError> {
        self.state.lock.change(|lock| {
            let pins = lock.servers.entry(server.id().to_owned()).or_default();
            pins.launch = server.launch_digest();
            pins.reviewed = true;
            for finding in findings {
                if let Found::Renamed { from } = &finding.found {
                    pins.forget(from);
                }
                match &finding.now {
                    Some(now) => pins.accept(now.clone()),
                    None => pins.forget(&finding.tool),
                }
            }
        })?;
        self.state.reload()?;
        self.state.due();
        Ok(())
    }

    /// Forgets all accepted definitions of a server; the next contact is the first.
    ///
    /// # Errors
    /// [`McpError::Lock`] if that cannot be stored.
    pub fn forget(&self, id: &str) -> Result<bool, McpError> {
        let was_there = self.state.lock.change(|lock| lock.servers.remove(id).is_some())?;
        self.state.reload()?;
        self.state.due();
        Ok(was_there)
    }

    /// Tools that are held until a person has reviewed them, as server and tool names; only of
    /// servers that this session has open.
    pub fn held(&self, session: &SessionId) -> Vec<(String, String)> {
        let mut held: Vec<(String, String)> = Vec::new();
        for connection in self.slots.open(session) {
            let listing = connection.listing();
            let tools = listing.findings.iter().filter(|finding| finding.is_held());
            held.extend(tools.map(|finding| (connection.id(), finding.tool.clone())));
        }
        held.sort();
        held.dedup();
        held
    }

    /// Ends the servers of a session.
    pub fn end(&self, session: &SessionId) {
        self.slots.end(session);
    }

    /// Ends all servers and waits until they are gone.
    pub async fn stop(&self) {
        self.slots.stop().await;
    }

    /// The number of connections, including those that broke and were not needed again.
    pub fn connections(&self) -> usize {
        self.slots.count()
    }

    pub(crate) async fn connect(
        &self,
        server: &Arc<Server>,
        launcher: &Launcher,
        cx: &CallContext,
    ) -> Result<Arc<Connection>, McpError> {
        let state = Arc::clone(&self.state);
        let judge: Judge = Arc::new(move |server, listed| state.judge(server, listed));
        self.slots.connection(server, launcher, cx, &judge, &self.state.woken).await
    }

    fn publish(&self) {
        let mut tools: Vec<(String, String)> = Vec::new();
        let mut definitions: HashMap<(String, String), (Arc<Server>, Definition)> = HashMap::new();
        let accepted = self.state.accepted().unwrap_or_default();
        let live = self.state.live.locked().clone();
        for server in &self.servers {
            let listed: Vec<Definition> = match server.config.pin {
                PinMode::Off => live.get(server.id()).cloned().unwrap_or_default(),
                PinMode::Ask | PinMode::Strict => {
                    let pins = accepted.servers.get(server.id());
                    let may = pins.filter(|pins| pins.reviewed || server.config.pin == PinMode::Ask);
                    may.map(|pins| pins.definitions().cloned().collect()).unwrap_or_default()
                }
            };
            for definition in listed.into_iter().filter(|definition| server.offers(definition.name())) {
                let key = (server.id().to_owned(), definition.name().to_owned());
                tools.push(key.clone());
                definitions.insert(key, (Arc::clone(server), definition));
            }
        }
        let (mut shown, mut owners) = (Vec::new(), HashMap::new());
        let named = names(&tools);
        // In the order of the configuration, then by name: the same on every run.
        for server in &self.servers {
            for (name, owner) in named.iter().filter(|(_, owner)| owner.0 == server.id()) {
                if let Some((server, definition)) = definitions.get(owner) {
                    shown.push(Arc::new(defined(name.clone(), server, definition, self.slots.log())));
                    owners.insert(name.clone(), (Arc::clone(server), owner.1.clone()));
                }
            }
        }
        self.published.store(PublishedTools { definitions: DefaultToolDefs(shown.into()), owners });
    }
}

impl State {
    fn accepted(&self) -> Result<LockFile, McpError> {
        self.accepted.locked().clone()
    }

    /// Reads the accepted definitions again: other processes review, too.
    fn reload(&self) -> Result<LockFile, McpError> {
        let read = self.lock.load();
        let mut accepted = self.accepted.locked();
        let is_same = matches!((&*accepted, &read), (Ok(before), Ok(now)) if before == now);
        if !is_same {
            (*accepted).clone_from(&read);
            drop(accepted);
            self.due();
        }
        read
    }

    /// Marks a changed list for the next boundary.
    fn due(&self) {
        self.pending.store(true, Ordering::Release);
        self.woken.notify_waiters();
    }

    /// Compares a server's list with the accepted definitions, and accepts those of the first
    /// contact.
    fn judge(&self, server: &Server, listed: Vec<Definition>) -> Result<Listing, McpError> {
        let mode = server.config.pin;
        if mode == PinMode::Off {
            let findings = compare(None, &listed, &Surroundings::default());
            let mut live = self.live.locked();
            if live.get(server.id()) != Some(&listed) {
                live.insert(server.id().to_owned(), listed);
                drop(live);
                self.due();
            }
            return Ok(Listing::new(findings, |finding| {
                let is_gone = !server.offers(&finding.tool) || finding.now.is_none();
                // With two tools of one name it is unclear which is meant, pinned or not.
                let is_twice = finding.signs.contains(&Sign::Twice);
                is_gone
                    .then_some(HoldReason::Missing)
                    .or_else(|| is_twice.then(|| HoldReason::Because(finding.to_string())))
            }));
        }
        let lock = self.reload()?;
        let around = self.around(&lock, server.id());
        let pins = lock.servers.get(server.id());
        let findings = compare(pins, &listed, &around);
        if pins.is_none() && mode == PinMode::Ask {
            self.lock.change(|lock| {
                // Another process was first: its accepted definitions apply.
                if lock.servers.contains_key(server.id()) {
                    return;
                }
                let pins = lock.servers.entry(server.id().to_owned()).or_default();
                pins.launch = server.launch_digest();
                for finding in findings.iter().filter(|finding| finding.found == Found::First) {
                    if let Some(now) = &finding.now {
                        pins.accept(now.clone());
                    }
                }
            })?;
            self.reload()?;
        }
        let launched = pins.is_none_or(|pins| pins.launch == server.launch_digest() || mode == PinMode::Ask);
        let reviewed = mode == PinMode::Ask || pins.is_some_and(|pins| pins.reviewed);
        for finding in findings.iter().filter(|finding| finding.is_held()) {
            tracing::warn!(server = server.id(), tool = crate::error::shown(&finding.tool), %finding, "a tool is held for review");
        }
        Ok(Listing::new(findings, |finding| {
            if finding.now.is_none() || !server.offers(&finding.tool) {
                Some(HoldReason::Missing)
            } else if finding.is_held() {
                Some(HoldReason::Because(finding.to_string()))
            } else if !reviewed {
                Some(HoldReason::Because("nobody has reviewed the server".to_owned()))
            } else if !launched {
                Some(HoldReason::Because("the server is started otherwise than when it was reviewed".to_owned()))
            } else {
                None
            }
        }))
    }

    /// Names that tools of a server must not resemble or mention.
    fn around(&self, lock: &LockFile, server: &str) -> Surroundings {
        let foreign = lock.servers.iter().filter(|(id, _)| *id != server).flat_map(|(_, pins)| pins.definitions());
        let built_in = self.built_in.locked().clone();
        Surroundings { others: foreign.map(|tool| tool.name().to_owned()).chain(built_in).collect() }
    }
}

/// The definition shown to a model: without credentials, which servers put into examples and
/// defaults.
fn defined(name: ToolName, server: &Server, pinned: &Definition, clean: &LogText) -> ToolDef {
    let text = |field: &str| pinned.field(field).and_then(Value::as_str).map(|text| clean.of(text));
    let schema = |field: &str| {
        let mut schema = clean.json(pinned.field(field)?);
        // Nearly every server names the dialect; models do not need it.
        schema.as_object_mut().map(|members| members.remove("$schema"));
        Schema::try_from(schema).ok()
    };
    let (input, output) = (schema("inputSchema"), schema("outputSchema"));
    let trusted = server.config.trust;
    let mut definition = ToolDef::new(
        name,
        text("description").unwrap_or_default(),
        input.unwrap_or_default(),
        ToolKind::Other,
        traits(pinned.field("annotations"), trusted),
    )
    .from_origin(ToolOrigin::Mcp { server: server.id().to_owned(), trusted });
    definition.title = text("title").map(|title| crate::error::shown(&title).into());
    definition.output = output.map(Into::into);
    definition
}

/// Traits from annotations. Missing annotations promise nothing.
fn traits(annotations: Option<&Value>, trusted: bool) -> ToolTraits {
    let hint = |name: &str| annotations.and_then(|all| all.get(name)).and_then(Value::as_bool);
    let read_only = hint("readOnlyHint") == Some(true);
    let idempotent = read_only || hint("idempotentHint") == Some(true);
    ToolTraits {
        read_only,
        destructive: !read_only && hint("destructiveHint") != Some(false),
        idempotent,
        open_world: hint("openWorldHint") != Some(false),
        cacheable: false,
        retryable: trusted && idempotent,
        bounded_output: false,
    }
}

/// Waits for all futures concurrently.
async fn join_all<T>(futures: impl Iterator<Item = impl Future<Output = T>>) -> Vec<T> {
    let mut waiting: Vec<_> = futures.map(|future| (Box::pin(future), None)).collect();
    std::future::poll_fn(|cx| {
        let mut is_ready = true;
        for (future, made) in &mut waiting {
            if made.is_none() {
                match future.as_mut().poll(cx) {
                    std::task::Poll::Ready(value) => *made = Some(value),
                    std::task::Poll::Pending => is_ready = false,
                }
            }
        }
        if is_ready { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    waiting.into_iter().filter_map(|(_, made)| made).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn missing_annotations_promise_nothing() {
        assert_eq!(traits(None, true), ToolTraits::CAUTIOUS);
        assert_eq!(traits(Some(&json!({})), true), ToolTraits::CAUTIOUS);
        let read = traits(Some(&json!({"readOnlyHint": true, "openWorldHint": false})), true);
        assert!(read.read_only && !read.destructive && !read.open_world && read.check().is_ok());
        for read_only in [true, false] {
            for destructive in [true, false] {
                let annotations = json!({"readOnlyHint": read_only, "destructiveHint": destructive});
                assert_eq!(traits(Some(&annotations), false).check(), Ok(()));
            }
        }
    }
}
