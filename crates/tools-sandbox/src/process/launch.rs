//! The parent's side of the supervisor: the memory shared with it, its start, and its reaping. None
//! of that memory is freed before the supervisor has ended.
#![expect(unsafe_code, reason = "the supervisor uses memory of ours as long as it lives")]

use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::Arc;

use tokio::io::unix::AsyncFd;

use super::error::{SpawnError, Step};
use super::fork::{Stack, clone_sharing, clone_sharing_in, reap, watch};
use super::spec::Image;
use super::supervisor::{Orders, enter};
use crate::kernel::{Claims, CompiledPlan, HeldPlace, NamespacePlan, Sandbox, WatchFilter};

/// Time in milliseconds a drop waits for the tree to end before it leaves that to a thread.
const PATIENCE_MS: libc::c_int = 100;

/// Pipe ends for the supervisor.
pub(super) struct Ends {
    pub(super) streams: [RawFd; 3],
    /// Side channel input and output, or -1.
    pub(super) side: [RawFd; 2],
    pub(super) control: RawFd,
    pub(super) status: RawFd,
    /// Socket to which the write listener is sent, if there is one.
    pub(super) watch: Option<RawFd>,
}

/// Memory that the supervisor and the leader use.
struct Shared {
    /// Points into the fields below.
    orders: Option<Box<Orders<'static>>>,
    _argv: Vec<*const libc::c_char>,
    _envp: Vec<*const libc::c_char>,
    _image: Box<Image>,
    _compiled: Arc<CompiledPlan>,
    /// Dropped once no process of the tree is left.
    sandbox: Option<Sandbox>,
    claims: Option<Arc<Claims>>,
    _places: Vec<HeldPlace>,
    _watch: Option<Box<WatchFilter>>,
    stack: Stack,
    leader_stack: Stack,
}

// SAFETY: the pointers lead to heap memory this value owns and nobody writes while the supervisor
// lives; `sandbox` and `claims`, which are dropped earlier, are not part of it.
unsafe impl Send for Shared {}
// SAFETY: as above; a shared reference allows nothing but reading.
unsafe impl Sync for Shared {}

impl std::fmt::Debug for Supervisor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Supervisor").field(&self.id).finish()
    }
}

/// A running supervisor. It ends when its control pipe closes; a drop waits for that and reaps it.
pub(super) struct Supervisor {
    descriptor: Option<PidWatch>,
    shared: Option<Box<Shared>>,
    id: i32,
}

enum PidWatch {
    ByRuntime(AsyncFd<OwnedFd>),
    /// The runtime did not accept it; it can only be reaped.
    Plain(OwnedFd),
}

impl Supervisor {
    pub(super) fn start(image: Image, sandbox: Sandbox, claims: Arc<Claims>, ends: &Ends) -> Result<Self, SpawnError> {
        let image = Box::new(image);
        let (argv, envp) = (image.argv(), image.envp());
        let places = claims.places();
        let filter = ends.watch.map(|_| Box::new(WatchFilter::new()));
        let stack = Stack::take().map_err(SpawnError::Create)?;
        let leader_stack = Stack::take().map_err(SpawnError::Create)?;
        // SAFETY: these references lead to memory owned by `Shared` through a box and an `Arc`; it
        // does not move, is not changed, and is freed after the supervisor has ended.
        let (program, cwd, compiled, held) = unsafe {
            (
                &*std::ptr::from_ref(image.program.as_c_str()),
                &*std::ptr::from_ref(image.cwd.as_c_str()),
                &*Arc::as_ptr(sandbox.compiled()),
                &*std::ptr::from_ref(places.as_slice()),
            )
        };
        // SAFETY: as above; the box is moved into `Shared` too.
        let watched = filter.as_deref().map(|filter| unsafe { &*std::ptr::from_ref(filter) }).zip(ends.watch);
        let orders = Box::new(Orders {
            program,
            cwd,
            argv: argv.as_ptr(),
            envp: envp.as_ptr(),
            streams: ends.streams,
            side: ends.side,
            control: ends.control,
            status: ends.status,
            compiled,
            places: held,
            watch: watched,
            stack: leader_stack.top(),
        });
        let flags = compiled.namespaces.as_ref().map_or(0, NamespacePlan::clone_flags);
        let mut shared = Box::new(Shared {
            orders: None,
            _argv: argv,
            _envp: envp,
            _image: image,
            _compiled: Arc::clone(sandbox.compiled()),
            sandbox: Some(sandbox),
            claims: Some(claims),
            _places: places,
            _watch: filter,
            stack,
            leader_stack,
        });
        let argument = std::ptr::from_ref(&**shared.orders.insert(orders)).cast_mut().cast();
        // SAFETY: `argument` is an `Orders`; it and the stack are kept in `shared` until the
        // supervisor is reaped.
        let started = unsafe {
            match compiled.namespaces.as_ref().and_then(NamespacePlan::joins) {
                Some(network) => clone_sharing_in(network.descriptors(), flags, &shared.stack, enter, argument),
                None => clone_sharing(flags, &shared.stack, enter, argument),
            }
        };
        let (descriptor, id) = started.map_err(|source| SpawnError::Confine { step: Step::Clone, source })?;
        let descriptor = match descriptor.try_clone().and_then(watch) {
            Ok(watched) => PidWatch::ByRuntime(watched),
            Err(_) => PidWatch::Plain(descriptor),
        };
        Ok(Self { descriptor: Some(descriptor), shared: Some(shared), id })
    }

    /// Its process id.
    pub(super) fn id(&self) -> i32 {
        self.id
    }

    /// Lets it end on its own, which takes as long as the kernel needs for its namespaces. Call
    /// only if no process of the tree is left.
    pub(super) fn leave(mut self) {
        if !matches!(self.descriptor, Some(PidWatch::ByRuntime(_))) {
            return;
        }
        if let Some(shared) = &mut self.shared {
            shared.sandbox = None;
            shared.claims = None;
        }
        tokio::spawn(async move { self.wait_until_ended().await });
    }

    /// Waits until it has ended, and the tree with it.
    pub(super) async fn wait_until_ended(&self) {
        if let Some(PidWatch::ByRuntime(watched)) = &self.descriptor {
            // An error means that the runtime is shutting down; then the drop waits itself.
            let _ = watched.readable().await;
        }
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        let descriptor = match self.descriptor.take() {
            Some(PidWatch::ByRuntime(watched)) => watched.into_inner(),
            Some(PidWatch::Plain(descriptor)) => descriptor,
            None => return,
        };
        let shared = self.shared.take();
        match reap(descriptor.as_raw_fd(), PATIENCE_MS) {
            // It ended normally, after the leader had executed or ended.
            Some(0) => {
                if let Some(shared) = shared {
                    shared.stack.give_back();
                    shared.leader_stack.give_back();
                }
            }
            // It was killed by another process; the leader ends with it, immediately afterwards.
            Some(_) => {}
            None => {
                // Without a thread the memory is leaked: a process may still be using it.
                let rest = ManuallyDrop::new((descriptor, shared));
                let _ = std::thread::Builder::new().spawn(move || {
                    let (descriptor, shared) = ManuallyDrop::into_inner(rest);
                    reap(descriptor.as_raw_fd(), -1);
                    drop(shared);
                });
            }
        }
    }
}
