//! Finds the process and tree that own a connection, by the kernel's tables of sockets and open
//! files. The search is bounded, because a command may open any number of both.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Maximum number of bytes read of a socket table.
const MAX_TABLE: u64 = 512 * 1024;
/// Maximum number of processes examined.
const MAX_PROCESSES: usize = 256;
/// Maximum number of open files examined per process.
const MAX_FILES: usize = 512;

/// The process that owns a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// Index of its tree in the given list.
    pub tree: usize,
    /// Its process id.
    pub process: i32,
    /// Its executable file; `None` if the kernel does not report it.
    pub program: Option<PathBuf>,
}

/// The process below one of these supervisors ([`super::ProcessTree::id`]) whose TCP socket has
/// this local port in their network; `None` if it is gone, or too much is open to find it.
pub fn caller(supervisors: &[i32], port: u16) -> Option<Caller> {
    let socket = supervisors.iter().find_map(|supervisor| socket_of(*supervisor, port))?;
    let socket = PathBuf::from(format!("socket:[{socket}]"));
    let mut looked_at = 0;
    for (tree, supervisor) in supervisors.iter().enumerate() {
        let mut waiting = vec![*supervisor];
        while let Some(process) = waiting.pop() {
            looked_at += 1;
            if looked_at > MAX_PROCESSES {
                return None;
            }
            // The supervisor has no sockets of its own, and shares ours briefly.
            if process != *supervisor && has_open(process, &socket) {
                let program = std::fs::read_link(format!("/proc/{process}/exe")).ok();
                return Some(Caller { tree, process, program });
            }
            waiting.extend(children(process));
        }
    }
    None
}

/// The inode of the socket with a local port in the network of a process.
fn socket_of(process: i32, port: u16) -> Option<u64> {
    ["tcp", "tcp6"].iter().find_map(|table| {
        let mut text = String::new();
        let file = File::open(format!("/proc/{process}/net/{table}")).ok()?;
        file.take(MAX_TABLE).read_to_string(&mut text).ok()?;
        number_in(&text, port)
    })
}

/// The inode of the connected socket with a local port; sockets that listen or are closing do not
/// count.
fn number_in(table: &str, port: u16) -> Option<u64> {
    let local_end = format!(":{port:04X}");
    table.lines().skip(1).find_map(|line| {
        let mut fields = line.split_ascii_whitespace();
        let is_local = fields.nth(1)?.ends_with(&local_end);
        let inode: u64 = fields.nth(7)?.parse().ok()?;
        (is_local && inode > 0).then_some(inode)
    })
}

fn has_open(process: i32, socket: &Path) -> bool {
    let Ok(files) = std::fs::read_dir(format!("/proc/{process}/fd")) else { return false };
    files.flatten().take(MAX_FILES).any(|file| std::fs::read_link(file.path()).is_ok_and(|target| target == *socket))
}

fn children(process: i32) -> Vec<i32> {
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{process}/task")) else { return Vec::new() };
    let lists = tasks.flatten().take(MAX_PROCESSES).filter_map(|task| {
        let mut text = String::new();
        File::open(task.path().join("children")).ok()?.take(4096).read_to_string(&mut text).ok()?;
        Some(text)
    });
    lists.flat_map(|text| text.split_ascii_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_socket_of_a_port_is_found_in_the_kernels_table() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
             0: 0100007F:0C38 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 11 1 0 100 0\n\
             1: 0100007F:9C40 0100007F:0C38 01 00000000:00000000 00:00000000 00000000     0        0 12 1 0 20 4\n\
             2: 0100007F:0C38 0100007F:9C40 01 00000000:00000000 00:00000000 00000000     0        0 13 1 0 20 4\n\
             3: 0100007F:9C41 0100007F:0C38 06 00000000:00000000 03:00000000 00000000     0        0 0 3 0\n";
        assert_eq!(number_in(table, 40000), Some(12));
        assert_eq!(number_in(table, 40001), None, "nobody has it any more");
        assert_eq!(number_in(table, 40002), None);
        assert_eq!(number_in("", 1), None);
    }
}
