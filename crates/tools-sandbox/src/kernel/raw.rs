//! System calls and `clone` as bare instructions. A process that shares this one's memory also
//! shares the thread-local storage of the thread that created it, including `errno`: C library
//! wrappers would overwrite it.
#![expect(unsafe_code, reason = "system calls in a process that must not touch thread-local storage")]

use std::arch::asm;

use libc::c_long;

/// A value that fits into a register.
pub(crate) trait Word {
    fn word(self) -> usize;
}

impl Word for i32 {
    #[expect(clippy::cast_sign_loss, reason = "the bits are what counts, the sign among them")]
    fn word(self) -> usize {
        self as usize
    }
}
impl Word for i64 {
    #[expect(
        clippy::cast_sign_loss,
        clippy::cast_possible_truncation,
        reason = "the bits are what counts, all 64 of them"
    )]
    fn word(self) -> usize {
        self as usize
    }
}
impl Word for u32 {
    fn word(self) -> usize {
        self as usize
    }
}
impl Word for u64 {
    #[expect(clippy::cast_possible_truncation, reason = "registers of the supported machines have 64 bits")]
    fn word(self) -> usize {
        self as usize
    }
}
impl Word for usize {
    fn word(self) -> usize {
        self
    }
}
impl<T> Word for *const T {
    fn word(self) -> usize {
        self.addr()
    }
}
impl<T> Word for *mut T {
    fn word(self) -> usize {
        self.addr()
    }
}

/// The first six words, padded with zeros.
pub(crate) fn six(words: &[usize]) -> [usize; 6] {
    let mut six = [0; 6];
    for (slot, word) in six.iter_mut().zip(words) {
        *slot = *word;
    }
    six
}

/// Makes a system call; the result is negative on failure.
macro_rules! call {
    ($number:expr $(, $argument:expr)* $(,)?) => {{
        let words: &[usize] = &[$( $crate::kernel::raw::Word::word($argument) ),*];
        $crate::kernel::raw::syscall($number, $crate::kernel::raw::six(words))
    }};
}
pub(crate) use call;

/// # Safety
/// As the system call itself: pointers among the words must be valid for it.
#[cfg(target_arch = "x86_64")]
pub(crate) unsafe fn syscall(number: c_long, words: [usize; 6]) -> isize {
    let result;
    // SAFETY: the kernel keeps every register but these; memory is the caller's promise.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number => result,
            in("rdi") words[0],
            in("rsi") words[1],
            in("rdx") words[2],
            in("r10") words[3],
            in("r8") words[4],
            in("r9") words[5],
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    result
}

/// # Safety
/// As the system call itself: pointers among the words must be valid for it.
#[cfg(target_arch = "aarch64")]
pub(crate) unsafe fn syscall(number: c_long, words: [usize; 6]) -> isize {
    let result;
    // SAFETY: the kernel keeps every register but these; memory is the caller's promise.
    unsafe {
        asm!(
            "svc 0",
            in("x8") number,
            inlateout("x0") words[0] => result,
            in("x1") words[1],
            in("x2") words[2],
            in("x3") words[3],
            in("x4") words[4],
            in("x5") words[5],
            options(nostack),
        );
    }
    result
}

/// Entry function of a new process; its argument is the one given to [`clone_on`].
pub(crate) type Entry = extern "C" fn(*mut libc::c_void) -> !;

/// Starts a process on a stack of its own that runs `entry`. The result is its id, or a negative
/// error number.
///
/// # Safety
/// `stack` is the upper end of memory that nothing else uses while the process lives, aligned to 16
/// bytes; `argument` is good for `entry`; `descriptor` may be written when `CLONE_PIDFD` is among
/// the flags.
#[cfg(target_arch = "x86_64")]
pub(crate) unsafe fn clone_on(
    flags: usize,
    stack: *mut usize,
    descriptor: *mut i32,
    entry: Entry,
    argument: *mut libc::c_void,
) -> isize {
    let result;
    // SAFETY: the child finds function and argument on its own stack and never comes back here;
    // with the frame base cleared its stack ends there. For the parent this is a system call like
    // any other.
    unsafe {
        let stack = stack.sub(2);
        stack.write(entry as usize);
        stack.add(1).write(argument.expose_provenance());
        asm!(
            "syscall",
            "test rax, rax",
            "jnz 2f",
            "xor ebp, ebp",
            "pop rax",
            "pop rdi",
            "call rax",
            "ud2",
            "2:",
            inlateout("rax") libc::SYS_clone => result,
            in("rdi") flags,
            in("rsi") stack,
            in("rdx") descriptor,
            in("r10") 0usize,
            in("r8") 0usize,
            lateout("rcx") _,
            lateout("r11") _,
        );
    }
    result
}

/// Starts a process on a stack of its own that runs `entry`. The result is its id, or a negative
/// error number.
///
/// # Safety
/// `stack` is the upper end of memory that nothing else uses while the process lives, aligned to 16
/// bytes; `argument` is good for `entry`; `descriptor` may be written when `CLONE_PIDFD` is among
/// the flags.
#[cfg(target_arch = "aarch64")]
pub(crate) unsafe fn clone_on(
    flags: usize,
    stack: *mut usize,
    descriptor: *mut i32,
    entry: Entry,
    argument: *mut libc::c_void,
) -> isize {
    let result;
    // SAFETY: the child finds function and argument on its own stack and never comes back here;
    // with the frame pointer cleared its stack ends there. For the parent this is a system call
    // like any other.
    unsafe {
        let stack = stack.sub(2);
        stack.write(entry as usize);
        stack.add(1).write(argument.expose_provenance());
        asm!(
            "svc 0",
            "cbnz x0, 2f",
            "mov x29, xzr",
            "mov x30, xzr",
            "ldp x1, x0, [sp], #16",
            "blr x1",
            "brk #1",
            "2:",
            in("x8") libc::SYS_clone,
            inlateout("x0") flags => result,
            in("x1") stack,
            in("x2") descriptor,
            in("x3") 0usize,
            in("x4") 0usize,
        );
    }
    result
}
