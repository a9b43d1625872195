//! Publishes ports of a job on the machine's loopback interface: decides which ports ask, and opens
//! them.

use tools_core::{ConfirmReason, Subject};
use tools_sandbox::kernel::{Network, NetworkLease};

use crate::config::{NetworkMode, SandboxChoice};
use crate::error::ShellError;
use crate::policy::ShellPolicy;

/// Maximum number of ports of one job.
const MAX_PORTS: usize = 8;
/// The rule that permits publishing ports.
const RULE: &str = "tools.shell.publish";

/// Refuses an invalid list of ports of a job.
pub(crate) fn check(ports: &[u16], background: bool) -> Result<(), ShellError> {
    if ports.is_empty() {
        return Ok(());
    }
    if !background {
        return Err(ShellError::Publish("only a command with `background: true` publishes ports"));
    }
    if ports.contains(&0) {
        return Err(ShellError::Publish("0 is no port; name the one that the server listens on"));
    }
    if ports.len() > MAX_PORTS {
        return Err(ShellError::Publish("at most 8 ports for one job"));
    }
    Ok(())
}

/// The ports that no setting lists, each as a subject. A rule about the command does not cover
/// them, so that a person is asked in any case.
pub(crate) fn subjects(ports: &[u16], command: &str, policy: &ShellPolicy) -> Vec<Subject> {
    let asking = ports.iter().filter(|port| asks(**port, policy));
    let subject =
        |port: &u16| Subject::Port { port: *port, command: command.to_owned(), seconds: policy.config.job_timeout };
    asking.map(subject).collect()
}

/// The question about the first of them; `None` if there is none.
pub(crate) fn reason(subjects: &[Subject]) -> Option<ConfirmReason> {
    let why = subjects.first()?.text();
    Some(ConfirmReason::new(format!("what runs {why}"), RULE).about(why))
}

fn asks(port: u16, policy: &ShellPolicy) -> bool {
    // The server then listens on the machine's interface anyway.
    let is_open = policy.config.network == NetworkMode::Open || policy.config.sandbox == SandboxChoice::Off;
    !is_open && !policy.config.publish.contains(&port)
}

/// Opens the ports of a job that is about to start.
///
/// # Errors
/// If one cannot be opened, or the job has no network of its session.
pub(crate) fn open(
    ports: &[u16],
    policy: &ShellPolicy,
    network: Network,
    network_lease: Option<&dyn NetworkLease>,
) -> Result<(), ShellError> {
    for (index, port) in ports.iter().enumerate().filter(|_| network != Network::Open) {
        if ports[..index].contains(port) {
            continue;
        }
        let failed = |why: String| ShellError::NotPublished { port: *port, why };
        let network_lease =
            network_lease.ok_or_else(|| failed("`tools.shell.network` is not `gate` here".to_owned()))?;
        let by = if policy.config.publish.contains(port) { RULE } else { "a person, for this job" };
        network_lease.publish(*port, by).map_err(|error| failed(error.to_string()))?;
    }
    Ok(())
}

/// The note on the ports of a started job.
pub(crate) fn port_note(ports: &[u16], network: Network) -> String {
    let published = ports.iter().filter(|_| network != Network::Open);
    let lines: Vec<String> = published.map(|port| format!("\n[port {port} is published on 127.0.0.1]")).collect();
    lines.concat()
}
