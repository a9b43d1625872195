//! Health of the tools: windows of results, blocks, and the single call that may probe a blocked
//! tool.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use jiff::{SignedDuration, Timestamp};
use tools_core::{Clock, Locked as _, Shared, ToolDef, ToolName};

use super::config::AnomalyPolicy;
use super::decide::{Severity, Window, assess};

/// The results of all tools, shared by the gate that refuses and the layer that counts.
#[derive(Debug)]
pub struct ToolHealth {
    policy: Shared<AnomalyPolicy>,
    clock: Arc<dyn Clock>,
    tools: Mutex<HashMap<ToolName, Health>>,
    /// Number of blocked tools; at zero, the gate skips all other checks.
    blocked: AtomicUsize,
    /// Folder in which other processes leave requests to unblock a tool; `None` if there is none.
    resets: Option<PathBuf>,
}

#[derive(Debug, Default)]
struct Health {
    window: Window,
    block: Option<Block>,
}

#[derive(Debug, Clone, Copy)]
struct Block {
    since: Timestamp,
    failed: usize,
    total: usize,
    is_probed: bool,
}

/// Whether a call of a tool may go on.
#[derive(Debug)]
pub enum Admission {
    /// The call may run.
    Free,
    /// The call may run as the probe of whether the tool works again.
    Probe(Probe),
    /// The call is refused, with the reason in words that fit after "is".
    Blocked(String),
}

/// State of a tool, without side effects.
#[derive(Debug)]
enum HealthState {
    Free,
    /// Somebody asked to unblock the tool.
    LetBack,
    /// The block has expired, and no probe is running.
    MayProbe,
    Blocked(String),
}

/// The right to probe a blocked tool; returned when dropped without a result.
#[derive(Debug)]
pub struct Probe {
    health: Arc<ToolHealth>,
    tool: ToolName,
}

impl ToolHealth {
    /// Results under a policy that may be swapped, with the time from `clock`.
    pub fn new(policy: Shared<AnomalyPolicy>, clock: Arc<dyn Clock>) -> Self {
        Self { policy, clock, tools: Mutex::default(), blocked: AtomicUsize::new(0), resets: None }
    }

    /// Follows the requests that [`ToolHealth::request_reset`] leaves in `folder`.
    pub(crate) fn with_reset_folder(self, folder: PathBuf) -> Self {
        Self { resets: Some(folder), ..self }
    }

    /// Leaves a request to unblock `tool`, for processes that share `folder`.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn request_reset(folder: &std::path::Path, tool: &ToolName) -> std::io::Result<()> {
        std::fs::create_dir_all(folder)?;
        let file = folder.join(tool.as_str());
        let made = folder.join(format!(".{}-{}", tool.as_str(), std::process::id()));
        std::fs::write(&made, b"")?;
        std::fs::rename(made, file)
    }

    /// Whether a call of a tool may run. A tool that only reads back the output of earlier calls
    /// always may.
    pub fn admit(self: &Arc<Self>, definition: &ToolDef) -> Admission {
        if self.blocked.load(Ordering::Acquire) == 0 {
            return Admission::Free;
        }
        let mut tools = self.lock();
        match self.standing(&tools, definition) {
            HealthState::Free => Admission::Free,
            HealthState::LetBack => {
                tools.insert(definition.name.clone(), Health::default());
                self.count(&tools);
                Admission::Free
            }
            HealthState::MayProbe => {
                if let Some(block) = tools.get_mut(definition.name.as_str()).and_then(|health| health.block.as_mut()) {
                    block.is_probed = true;
                }
                Admission::Probe(Probe { health: Arc::clone(self), tool: definition.name.clone() })
            }
            HealthState::Blocked(why) => Admission::Blocked(why),
        }
    }

    /// Reason why a call of a tool would be refused now, in words that fit after "is"; `None` if it
    /// would not. Does not take the right to probe.
    pub(crate) fn would_block(&self, definition: &ToolDef) -> Option<String> {
        if self.blocked.load(Ordering::Acquire) == 0 {
            return None;
        }
        match self.standing(&self.lock(), definition) {
            HealthState::Blocked(why) => Some(why),
            HealthState::Free | HealthState::LetBack | HealthState::MayProbe => None,
        }
    }

    fn standing(&self, tools: &HashMap<ToolName, Health>, definition: &ToolDef) -> HealthState {
        let traits = definition.trusted_traits();
        let reads_back = traits.bounded_output && traits.read_only && !traits.open_world;
        let policy = self.policy.load();
        let Some(block) = tools.get(definition.name.as_str()).and_then(|health| health.block) else {
            return HealthState::Free;
        };
        if reads_back || !policy.0.enabled || !policy.0.auto_block {
            return HealthState::Free;
        }
        if self.is_reset(&definition.name, block.since) {
            return HealthState::LetBack;
        }
        let cooldown = SignedDuration::from_secs(i64::try_from(policy.0.cooldown).unwrap_or(i64::MAX));
        if self.clock.now().duration_since(block.since) >= cooldown && !block.is_probed {
            return HealthState::MayProbe;
        }
        let Block { failed, total, .. } = block;
        HealthState::Blocked(format!("auto-blocked after {failed}/{total} failures; `trust reset`"))
    }

    /// Counts a result; returns the new severity, if the result changed it.
    pub(super) fn record(&self, tool: &ToolName, failed: bool) -> Option<(Severity, usize, usize)> {
        let policy = self.policy.load();
        let mut tools = self.lock();
        if !tools.contains_key(tool) {
            tools.insert(tool.clone(), Health::default());
        }
        let health = tools.get_mut(tool)?;
        if let Some(block) = &mut health.block {
            if !block.is_probed {
                // The call was already running when the tool was blocked.
                return None;
            }
            if failed {
                *block = Block { since: self.clock.now(), is_probed: false, ..*block };
                return None;
            }
            *health = Health::default();
            self.count(&tools);
            return None;
        }
        let before = assess(&policy, &health.window);
        health.window.push(failed, policy.0.window_size);
        let (failures, total) = health.window.failures();
        let after = assess(&policy, &health.window);
        if after == Severity::Critical && policy.0.auto_block {
            health.block = Some(Block { since: self.clock.now(), failed: failures, total, is_probed: false });
            health.window.clear();
            self.count(&tools);
        } else if after <= before {
            return None;
        }
        Some((after, failures, total))
    }

    /// Unblocks a tool and forgets its results.
    pub fn reset(&self, tool: &str) {
        let mut tools = self.lock();
        tools.remove(tool);
        self.count(&tools);
    }

    /// The blocked tools, each with its number of failures and of calls.
    pub fn blocked(&self) -> Vec<(ToolName, usize, usize)> {
        let tools = self.lock();
        let blocked = tools.iter().filter_map(|(tool, health)| {
            let block = health.block?;
            Some((tool.clone(), block.failed, block.total))
        });
        let mut blocked: Vec<_> = blocked.collect();
        blocked.sort();
        blocked
    }

    /// Whether somebody asked to unblock the tool since it was blocked.
    fn is_reset(&self, tool: &ToolName, since: Timestamp) -> bool {
        let Some(folder) = &self.resets else { return false };
        let changed = std::fs::symlink_metadata(folder.join(tool.as_str())).and_then(|file| file.modified());
        let changed = changed.ok().and_then(|time| Timestamp::try_from(time).ok());
        changed.is_some_and(|changed| changed >= since)
    }

    fn count(&self, tools: &HashMap<ToolName, Health>) {
        let blocked = tools.values().filter(|health| health.block.is_some()).count();
        self.blocked.store(blocked, Ordering::Release);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ToolName, Health>> {
        self.tools.locked()
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        let mut tools = self.health.lock();
        if let Some(block) = tools.get_mut(self.tool.as_str()).and_then(|health| health.block.as_mut()) {
            block.is_probed = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use schemars::json_schema;
    use tools_core::{ToolKind, ToolTraits};
    use tools_testkit::FakeClock;

    use super::*;
    use crate::anomaly::AnomalyConfig;

    fn tool(traits: ToolTraits) -> ToolDef {
        let name = ToolName::parse("t").unwrap();
        ToolDef::new(name, "", json_schema!({"type": "object"}), ToolKind::Other, traits)
    }

    fn health(clock: &FakeClock) -> Arc<ToolHealth> {
        let policy = Shared::new(AnomalyConfig::default().compile().unwrap());
        Arc::new(ToolHealth::new(policy, Arc::new(clock.clone())))
    }

    fn fail(health: &ToolHealth, times: usize) {
        let name = ToolName::parse("t").unwrap();
        for _ in 0..times {
            health.record(&name, true);
        }
    }

    fn word(admission: &Admission) -> &'static str {
        match admission {
            Admission::Free => "free",
            Admission::Probe(_) => "probe",
            Admission::Blocked(_) => "blocked",
        }
    }

    #[test]
    fn a_failing_tool_is_blocked_until_a_probe_works() {
        let clock = FakeClock::default();
        let (health, tool, name) = (health(&clock), tool(ToolTraits::CAUTIOUS), ToolName::parse("t").unwrap());
        fail(&health, 9);
        assert_eq!(word(&health.admit(&tool)), "free");
        fail(&health, 1);
        let refused = health.admit(&tool);
        assert!(matches!(&refused, Admission::Blocked(why) if why.contains("10/10")), "{refused:?}");
        clock.advance(SignedDuration::from_secs(599));
        assert_eq!(word(&health.admit(&tool)), "blocked");
        clock.advance(SignedDuration::from_secs(1));
        let probe = health.admit(&tool);
        assert_eq!((word(&probe), word(&health.admit(&tool))), ("probe", "blocked"));
        // A probe that never ran gives its right back.
        drop(probe);
        let probe = health.admit(&tool);
        assert_eq!(word(&probe), "probe");
        health.record(&name, true);
        drop(probe);
        assert_eq!(word(&health.admit(&tool)), "blocked");
        clock.advance(SignedDuration::from_secs(600));
        let probe = health.admit(&tool);
        health.record(&name, false);
        drop(probe);
        assert_eq!((word(&health.admit(&tool)), health.blocked()), ("free", vec![]));
    }

    #[test]
    fn a_person_lets_it_back_from_here_and_from_elsewhere() {
        let folder = tools_testkit::Workspace::new();
        let clock = FakeClock::default();
        let policy = Shared::new(AnomalyConfig::default().compile().unwrap());
        let health = ToolHealth::new(policy, Arc::new(clock.clone())).with_reset_folder(folder.dir("resets"));
        let (health, tool) = (Arc::new(health), tool(ToolTraits::CAUTIOUS));
        fail(&health, 10);
        health.reset("t");
        assert_eq!(word(&health.admit(&tool)), "free");
        fail(&health, 10);
        assert_eq!(word(&health.admit(&tool)), "blocked");
        ToolHealth::request_reset(&folder.dir("resets"), &tool.name).unwrap();
        assert_eq!(word(&health.admit(&tool)), "free");
    }

    #[test]
    fn what_reads_back_earlier_output_is_never_blocked() {
        let health = health(&FakeClock::default());
        fail(&health, 20);
        let reading = ToolTraits { bounded_output: true, ..ToolTraits::READ_ONLY };
        assert_eq!(word(&health.admit(&tool(reading))), "free");
        assert_eq!(word(&health.admit(&tool(ToolTraits::READ_ONLY))), "blocked");
    }
}
