//! [`ProcessTree`]: the parent's side of a running command: start, streams, waiting, signals and
//! end.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::net::unix::pipe;
use tools_core::WriteLog;

use super::error::{SpawnError, Step};
use super::idle;
use super::launch::{Ends, Supervisor};
use super::runtime;
use super::spec::{Image, ProcessSpec, SideChannel, Stdin};
use super::supervisor::Message;
use super::writes::{Channel, Watcher};
use crate::kernel::sys::Errno;
use crate::kernel::{Attempt, Claims, CompiledPlan, Sandbox, refused};

/// Delays before further attempts if a resource is short for a moment. Nothing has run until then.
const WAITS: [Duration; 4] =
    [Duration::from_millis(2), Duration::from_millis(10), Duration::from_millis(40), Duration::from_millis(160)];

/// Exit status of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exit {
    /// Its exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Number of processes it left running, counting only the topmost ones. They run until
    /// [`finish`](ProcessTree::finish) or a drop.
    pub left_running: u32,
}

impl Exit {
    fn from_status(status: i32, left_running: u32) -> Self {
        if libc::WIFEXITED(status) {
            Self { code: Some(libc::WEXITSTATUS(status)), signal: None, left_running }
        } else {
            Self { code: None, signal: Some(libc::WTERMSIG(status)), left_running }
        }
    }
}

/// A running command and everything it has started. Dropping it kills all of it.
#[derive(Debug)]
pub struct ProcessTree {
    stdin: Option<pipe::Sender>,
    stdout: Option<pipe::Receiver>,
    stderr: Option<pipe::Receiver>,
    side: Option<pipe::Receiver>,
    status: pipe::Receiver,
    /// `None` after the order to kill all.
    control: Option<OwnedFd>,
    /// `None` after the supervisor has been reaped.
    supervisor: Option<Supervisor>,
    exit: Option<Exit>,
    compiled: Arc<CompiledPlan>,
    replaced: Vec<PathBuf>,
    /// Start of the current stop of the whole tree; `None` while it runs.
    still_since: Option<Instant>,
    /// Stopped time that [`ProcessTree::take_stopped_time`] has not returned yet.
    still: Duration,
    /// Whether the supervisor has reported that no process is left.
    is_empty: bool,
    id: i32,
    /// Dropped after the supervisor: writes need a listener as long as a process exists.
    watcher: Option<Watcher>,
}

/// Time that a process which may replace files waits for the others to stop.
const OPENS_WITHIN: Duration = Duration::from_secs(10);
/// Time that other processes wait for it to end.
const HOLDS_WITHIN: Duration = Duration::from_mins(1);
/// Interval between two checks.
const LOOK: Duration = Duration::from_millis(10);

/// Takes the locks of a process in its writable folders, for as long as it runs.
async fn claim(sandbox: &Sandbox) -> Result<Claims, SpawnError> {
    let failed = |source| SpawnError::Confine { step: Step::Protect, source };
    let wanted = sandbox.compiled().claimed();
    let claims = Claims::open(wanted).map_err(failed)?;
    let stops_others = sandbox.stops_others();
    let within = match wanted.opens() {
        true if stops_others => OPENS_WITHIN,
        true => Duration::ZERO,
        false => HOLDS_WITHIN,
    };
    let mut is_announced = !wanted.opens();
    let mut elapsed = Duration::ZERO;
    loop {
        let mut attempt = Attempt::Taken;
        if !is_announced {
            attempt = claims.announce(wanted).map_err(failed)?;
            is_announced = matches!(attempt, Attempt::Taken);
        }
        if is_announced {
            if stops_others {
                claims.ask();
            }
            attempt = claims.are_free().map_err(failed)?;
        }
        if matches!(attempt, Attempt::Taken) {
            attempt = claims.hold().map_err(failed)?;
        }
        let Attempt::Waiting(file) = attempt else { return Ok(claims) };
        if elapsed >= within {
            return Err(refused(wanted.opens(), &file));
        }
        runtime::has_timers()?;
        tokio::time::sleep(LOOK).await;
        elapsed += LOOK;
    }
}

/// The pipes of a side channel: two ends for the process, one for us.
struct SidePipes {
    input: io::PipeReader,
    output: io::PipeWriter,
    report: io::PipeReader,
}

impl SidePipes {
    fn open(channel: &SideChannel) -> io::Result<Self> {
        use io::Write;
        if channel.input.len() > SideChannel::MAX_BYTES {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let (input, mut filled) = io::pipe()?;
        filled.write_all(&channel.input)?;
        let (report, output) = io::pipe()?;
        Ok(Self { input, output, report })
    }

    fn theirs(&self) -> [RawFd; 2] {
        [self.input.as_raw_fd(), self.output.as_raw_fd()]
    }
}

impl ProcessTree {
    /// Starts a command in a sandbox. Must be called within a tokio runtime with I/O and timers.
    ///
    /// # Errors
    /// When a step of the confinement fails or the program cannot be started, and
    /// [`SpawnError::Runtime`] where the runtime lacks something: nothing runs then.
    pub async fn spawn(spec: &ProcessSpec, sandbox: &Sandbox) -> Result<Self, SpawnError> {
        Self::spawn_noting(spec, sandbox, None).await
    }

    /// Like [`Self::spawn`], but notes every write of the tree in the log before it happens. The
    /// log is marked if that is not possible.
    ///
    /// # Errors
    /// As [`Self::spawn`].
    pub async fn spawn_noting(
        spec: &ProcessSpec,
        sandbox: &Sandbox,
        writes: Option<&WriteLog>,
    ) -> Result<Self, SpawnError> {
        let claims = Arc::new(claim(sandbox).await?);
        let mut observer = writes;
        for wait in WAITS {
            match Self::attempt(spec, sandbox, &claims, observer).await {
                // Another filter with a listener already applies to this process, and there can be
                // only one.
                Err(SpawnError::Confine { step: Step::Observe, .. }) => {
                    if let Some(log) = observer.take() {
                        log.blind();
                    }
                }
                Err(error) if error.is_passing() => tokio::time::sleep(wait).await,
                Err(SpawnError::Confine { step, source }) => return Err(sandbox.explain(step, source)),
                other => return other,
            }
        }
        match Self::attempt(spec, sandbox, &claims, observer).await {
            // This shortage may be permanent: a test without a command finds out.
            Err(SpawnError::Confine { step: Step::Clone, source }) if source.raw_os_error() == Some(libc::ENOSPC) => {
                Err(sandbox.explain(Step::Clone, source))
            }
            other => other,
        }
    }

    async fn attempt(
        spec: &ProcessSpec,
        sandbox: &Sandbox,
        claims: &Arc<Claims>,
        writes: Option<&WriteLog>,
    ) -> Result<Self, SpawnError> {
        let mut tree = Self::launch(spec, sandbox, claims, writes)?;
        let failed = match tree.message().await {
            Some(Message::Started) => {
                if let (Some(watcher), Some(log)) = (&mut tree.watcher, writes) {
                    if watcher.listens().await { log.observing() } else { log.blind() }
                }
                return Ok(tree);
            }
            Some(Message::Failed { step, errno }) => (step, errno),
            Some(_) | None => (Step::Supervise, libc::ECHILD),
        };
        let (step, errno) = failed;
        // It is certain that nothing ran.
        if let Some(log) = writes.filter(|_| step != Step::Observe) {
            log.observing();
        }
        let source = io::Error::from(Errno(errno));
        Err(match step {
            Step::Exec => SpawnError::Program { program: spec.program.clone(), source },
            Step::WorkingDirectory => SpawnError::WorkingDirectory { path: spec.cwd.clone(), source },
            _ => SpawnError::Confine { step, source },
        })
    }

    fn launch(
        spec: &ProcessSpec,
        sandbox: &Sandbox,
        claims: &Arc<Claims>,
        writes: Option<&WriteLog>,
    ) -> Result<Self, SpawnError> {
        let image = Image::new(spec)?;
        let create = SpawnError::Create;
        let (control_end, control) = io::pipe().map_err(create)?;
        let (status, status_end) = io::pipe().map_err(create)?;
        let status = runtime::awaited(status)?;
        let (stdout, stdout_end) = io::pipe().map_err(create)?;
        let (stderr, stderr_end) = io::pipe().map_err(create)?;
        let (stdin_end, stdin): (OwnedFd, Option<OwnedFd>) = match spec.stdin {
            Stdin::Null => (std::fs::File::open("/dev/null").map_err(create)?.into(), None),
            Stdin::Piped => {
                let (ours, theirs) = io::pipe().map(|(read, write)| (write, read)).map_err(create)?;
                (theirs.into(), Some(ours.into()))
            }
        };
        let side = spec.side.as_ref().map(SidePipes::open).transpose().map_err(create)?;
        let streams = [stdin_end.as_raw_fd(), stdout_end.as_raw_fd(), stderr_end.as_raw_fd()];
        let side_ends = side.as_ref().map_or([-1, -1], SidePipes::theirs);
        let channel = writes.and_then(|log| Channel::open(log, sandbox));
        let ends = Ends {
            streams,
            side: side_ends,
            control: control_end.as_raw_fd(),
            status: status_end.as_raw_fd(),
            watch: channel.as_ref().map(Channel::theirs),
        };
        let supervisor = Supervisor::start(image, sandbox.clone(), Arc::clone(claims), &ends)?;
        let watcher = channel.map(Channel::watch).transpose().map_err(create)?;
        let id = supervisor.id();
        // Any later failure drops `control`, which ends the supervisor.
        Ok(Self {
            stdin: stdin.map(pipe::Sender::from_owned_fd).transpose().map_err(create)?,
            stdout: Some(pipe::Receiver::from_owned_fd(stdout.into()).map_err(create)?),
            stderr: Some(pipe::Receiver::from_owned_fd(stderr.into()).map_err(create)?),
            side: side.map(|side| pipe::Receiver::from_owned_fd(side.report.into())).transpose().map_err(create)?,
            status,
            control: Some(control.into()),
            supervisor: Some(supervisor),
            exit: None,
            compiled: Arc::clone(sandbox.compiled()),
            replaced: Vec::new(),
            still_since: None,
            still: Duration::ZERO,
            is_empty: false,
            id,
            watcher,
        })
    }

    /// Process id of the supervisor, the ancestor of the whole tree.
    pub fn id(&self) -> i32 {
        self.id
    }

    /// Takes the write end of a piped standard input, once.
    pub fn take_stdin(&mut self) -> Option<pipe::Sender> {
        self.stdin.take()
    }

    /// Takes the read end of standard output, once.
    pub fn take_stdout(&mut self) -> Option<pipe::Receiver> {
        self.stdout.take()
    }

    /// Takes the read end of standard error, once.
    pub fn take_stderr(&mut self) -> Option<pipe::Receiver> {
        self.stderr.take()
    }

    /// Takes the process's extra output stream, once; `None` without a side channel.
    pub fn take_side(&mut self) -> Option<pipe::Receiver> {
        self.side.take()
    }

    /// The held paths that an outside process replaced while the tree ran, as far as
    /// [`wait`](Self::wait) has received reports. Each is held again, but the tree may have written
    /// to it in between.
    pub fn replaced(&self) -> &[PathBuf] {
        &self.replaced
    }

    /// The time since the last call during which the tree was stopped because another command may
    /// replace files it holds, as far as [`wait`](Self::wait) has received reports. A time limit is
    /// to be extended by it.
    pub fn take_stopped_time(&mut self) -> Duration {
        let now = Instant::now();
        let running = self.still_since.as_mut().map_or(Duration::ZERO, |since| now - std::mem::replace(since, now));
        std::mem::take(&mut self.still) + running
    }

    /// Whether every process of the tree is blocked reading standard input or waiting for one that
    /// is. False if the kernel does not report it.
    pub fn waits_for_input(&self) -> bool {
        idle::only_reads_input(self.id)
    }

    /// Waits until the command itself has ended, even if it left processes running. Can be dropped
    /// and called again.
    pub async fn wait(&mut self) -> Exit {
        loop {
            if let Some(exit) = self.exit {
                return exit;
            }
            match self.message().await {
                Some(Message::Ended { status, left }) => {
                    // Reports after the order to kill all do not count the processes being killed.
                    self.is_empty = left == 0 && self.control.is_some();
                    self.exit = Some(Exit::from_status(status, left));
                }
                Some(Message::Replaced { number }) => {
                    let namespaces = self.compiled.namespaces.as_ref();
                    let path = namespaces.and_then(|plan| plan.held_path(number));
                    self.replaced.extend(path.filter(|path| !self.replaced.contains(path)));
                }
                Some(Message::StandsStill) => self.still_since = Some(Instant::now()),
                Some(Message::GoesOn) => {
                    self.still += self.still_since.take().map_or(Duration::ZERO, |since| since.elapsed());
                }
                Some(_) => {}
                // The supervisor ended without a message: it was killed, and the tree with it.
                None => {
                    self.exit = Some(Exit { code: None, signal: Some(libc::SIGKILL), left_running: 0 });
                }
            }
        }
    }

    /// Sends a signal to every process of the tree.
    ///
    /// # Errors
    /// If the tree has ended already.
    pub fn signal(&self, signal: u8) -> io::Result<()> {
        use io::Write;
        let Some(control) = &self.control else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        std::fs::File::from(control.try_clone()?).write_all(&[signal])
    }

    /// Asks the whole tree to end, waits for `grace`, then kills all remaining processes.
    pub async fn terminate(&mut self, grace: Duration) -> Exit {
        if self.signal(15).is_ok() {
            let _ = tokio::time::timeout(grace, self.wait_until_ended()).await;
        }
        self.finish().await;
        self.wait().await
    }

    /// Kills all remaining processes and waits until they have ended.
    pub async fn finish(&mut self) {
        self.control = None;
        if self.is_empty
            && let Some(supervisor) = self.supervisor.take()
        {
            return supervisor.leave();
        }
        self.wait_until_ended().await;
        self.supervisor = None;
    }

    /// Waits until the last process of the tree has ended.
    async fn wait_until_ended(&mut self) {
        if let Some(supervisor) = &self.supervisor {
            supervisor.wait_until_ended().await;
        }
    }

    /// The next message of the supervisor; `None` if it has ended.
    async fn message(&mut self) -> Option<Message> {
        let mut bytes = [0u8; Message::SIZE];
        loop {
            self.status.readable().await.ok()?;
            // Messages are written whole and shorter than a pipe's atomic size, so they are read
            // whole.
            match self.status.try_read(&mut bytes) {
                Ok(Message::SIZE) => return Some(Message::decode(bytes)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Ok(_) | Err(_) => return None,
            }
        }
    }
}

impl Drop for ProcessTree {
    fn drop(&mut self) {
        self.control = None;
        self.supervisor = None;
    }
}
