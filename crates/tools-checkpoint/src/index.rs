//! Maps file metadata to content hashes, so that a file is read again only if it changed. Stored as
//! an append-only file of fixed-size records; a later record of a file replaces its earlier ones.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use tools_sandbox::Metadata;

use crate::hash::Hash;

const NAME: &str = "index";
const HEADER: &[u8; 16] = b"haft-index-v01\n\0";
/// Size of a record: the stamp's numbers, the hash, and a checksum.
const RECORD: usize = 7 * 8 + 32 + 8;
/// Maximum number of outdated records before the file is rewritten.
const SLACK: usize = 20_000;

/// Metadata that show whether a file changed: device, inode, length, times of content and of inode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Stamp {
    file: (u64, u64),
    state: [u64; 5],
}

impl From<&Metadata> for Stamp {
    fn from(metadata: &Metadata) -> Self {
        let Metadata { id, size, modified, changed, .. } = metadata;
        let state = [*size, modified.0.cast_unsigned(), modified.1, changed.0.cast_unsigned(), changed.1];
        Self { file: (id.device(), id.inode()), state }
    }
}

impl Stamp {
    /// Name of the stamp as a file name: a changed file has another one.
    pub(crate) fn name(&self) -> String {
        let [size, modified, _, changed, nanoseconds] = self.state;
        format!("{:x}-{:x}-{size:x}-{modified:x}-{changed:x}-{nanoseconds:x}", self.file.0, self.file.1)
    }
}

/// Known files of a workspace. Protected by the lock of the store.
#[derive(Debug, Default)]
pub(crate) struct Index {
    files: HashMap<(u64, u64), ([u64; 5], Hash)>,
    /// Records that are not in the file yet.
    added: Vec<u8>,
    /// Identity of the read file, and the position up to which it was read.
    source: Option<(u64, u64)>,
}

impl Index {
    /// Reads records that other processes added. If the file cannot be read, all files are read
    /// again; nothing is lost.
    pub(crate) fn refresh(&mut self, folder: &Path) {
        if self.read_on(folder).is_err() {
            *self = Self::default();
        }
    }

    fn read_on(&mut self, folder: &Path) -> io::Result<()> {
        let mut file = match File::open(folder.join(NAME)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                *self = Self::default();
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let metadata = file.metadata()?;
        let known = self.source.filter(|(inode, length)| *inode == metadata.ino() && *length <= metadata.len());
        let mut from = match known {
            Some((_, length)) if length == metadata.len() => return Ok(()),
            Some((_, length)) => length,
            None => {
                *self = Self::default();
                let mut header = [0; HEADER.len()];
                file.read_exact(&mut header)?;
                if header != *HEADER {
                    return Err(io::ErrorKind::InvalidData.into());
                }
                HEADER.len() as u64
            }
        };
        file.seek(SeekFrom::Start(from))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        for record in bytes.chunks_exact(RECORD) {
            // A torn record of a killed process; later ones are not aligned.
            let Some((stamp, hash)) = decode(record) else { break };
            self.files.insert(stamp.file, (stamp.state, hash));
            from += RECORD as u64;
        }
        self.source = Some((metadata.ino(), from));
        Ok(())
    }

    /// Hash of the file with this stamp.
    pub(crate) fn get(&self, stamp: &Stamp) -> Option<Hash> {
        self.files.get(&stamp.file).filter(|(state, _)| *state == stamp.state).map(|(_, hash)| *hash)
    }

    /// Adds the hash of a file.
    pub(crate) fn learn(&mut self, stamp: Stamp, hash: Hash) {
        if self.get(&stamp) != Some(hash) {
            self.files.insert(stamp.file, (stamp.state, hash));
            self.added.extend(encode(&stamp, hash));
        }
    }

    /// All hashes of current and earlier contents of the workspace's files.
    pub(crate) fn hashes(&self) -> impl Iterator<Item = Hash> {
        self.files.values().map(|(_, hash)| *hash)
    }

    /// Whether it has many entries for files that no longer exist.
    pub(crate) fn is_stale(&self, there: usize) -> bool {
        self.files.len() > there.saturating_mul(2) + SLACK
    }

    /// Removes all files that are not in `there`.
    pub(crate) fn keep_only(&mut self, there: &HashSet<(u64, u64)>) {
        let count = self.files.len();
        self.files.retain(|file, _| there.contains(file));
        if self.files.len() < count {
            // The file will be rewritten.
            self.source = None;
        }
    }

    /// Writes added records.
    pub(crate) fn save(&mut self, folder: &Path) -> io::Result<()> {
        let length = self.source.map_or(0, |(_, length)| length);
        let records = usize::try_from(length).unwrap_or(usize::MAX) / RECORD;
        if self.source.is_none() || records > self.files.len().saturating_mul(2) + SLACK {
            return self.rewrite(folder);
        }
        if self.added.is_empty() {
            return Ok(());
        }
        let mut file = File::options().write(true).open(folder.join(NAME))?;
        // Overwrites the torn record of a killed process.
        file.set_len(length)?;
        file.seek(SeekFrom::Start(length))?;
        file.write_all(&self.added)?;
        self.source = Some((file.metadata()?.ino(), length + self.added.len() as u64));
        self.added.clear();
        Ok(())
    }

    fn rewrite(&mut self, folder: &Path) -> io::Result<()> {
        let mut bytes = HEADER.to_vec();
        bytes.reserve(self.files.len() * RECORD);
        for (file, (state, hash)) in &self.files {
            bytes.extend(encode(&Stamp { file: *file, state: *state }, *hash));
        }
        let new = folder.join("index.new");
        let mut file = File::options().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
        file.write_all(&bytes)?;
        let inode = file.metadata()?.ino();
        fs::rename(new, folder.join(NAME))?;
        self.source = Some((inode, bytes.len() as u64));
        self.added.clear();
        Ok(())
    }
}

fn encode(stamp: &Stamp, hash: Hash) -> [u8; RECORD] {
    let mut record = [0; RECORD];
    let numbers = [stamp.file.0, stamp.file.1].into_iter().chain(stamp.state);
    let (body, sum) = record.split_at_mut(RECORD - 8);
    for (place, number) in body.chunks_exact_mut(8).zip(numbers) {
        place.copy_from_slice(&number.to_le_bytes());
    }
    body[7 * 8..].copy_from_slice(&hash.0);
    sum.copy_from_slice(&checksum(body).to_le_bytes());
    record
}

fn decode(record: &[u8]) -> Option<(Stamp, Hash)> {
    let (body, sum) = record.split_at_checked(RECORD - 8)?;
    if sum != checksum(body).to_le_bytes() {
        return None;
    }
    let mut numbers = [0; 7];
    for (number, bytes) in numbers.iter_mut().zip(body.chunks_exact(8)) {
        *number = u64::from_le_bytes(bytes.try_into().ok()?);
    }
    let [device, inode, state @ ..] = numbers;
    Some((Stamp { file: (device, inode), state }, Hash(body[7 * 8..].try_into().ok()?)))
}

/// Detects torn records; not a protection against tampering.
fn checksum(body: &[u8]) -> u64 {
    body.chunks_exact(8).fold(0x6861_6674, |sum: u64, bytes| {
        let word = bytes.try_into().map_or(0, u64::from_le_bytes);
        (sum.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(file: u64, state: u64) -> Stamp {
        Stamp { file: (1, file), state: [state; 5] }
    }

    fn hash(byte: u8) -> Hash {
        Hash([byte; 32])
    }

    #[test]
    fn what_one_learns_another_reads() {
        let place = tempfile::tempdir().unwrap();
        let (mut one, mut other) = (Index::default(), Index::default());
        one.learn(stamp(1, 1), hash(1));
        one.save(place.path()).unwrap();
        other.refresh(place.path());
        assert_eq!(other.get(&stamp(1, 1)), Some(hash(1)));
        assert_eq!(other.get(&stamp(1, 2)), None, "it changed");
        other.learn(stamp(1, 2), hash(2));
        other.save(place.path()).unwrap();
        one.refresh(place.path());
        assert_eq!((one.get(&stamp(1, 1)), one.get(&stamp(1, 2))), (None, Some(hash(2))));
    }

    #[test]
    fn a_torn_record_is_written_over() {
        let place = tempfile::tempdir().unwrap();
        let mut index = Index::default();
        index.learn(stamp(1, 1), hash(1));
        index.save(place.path()).unwrap();
        let path = place.path().join(NAME);
        let mut bytes = fs::read(&path).unwrap();
        bytes.extend([7; RECORD + 5]);
        fs::write(&path, bytes).unwrap();
        let mut index = Index::default();
        index.refresh(place.path());
        index.learn(stamp(2, 1), hash(2));
        index.save(place.path()).unwrap();
        let mut index = Index::default();
        index.refresh(place.path());
        assert_eq!((index.get(&stamp(1, 1)), index.get(&stamp(2, 1))), (Some(hash(1)), Some(hash(2))));
        fs::write(&path, "something else").unwrap();
        index.refresh(place.path());
        assert_eq!(index.get(&stamp(1, 1)), None);
        index.learn(stamp(3, 1), hash(3));
        index.save(place.path()).unwrap();
        let mut index = Index::default();
        index.refresh(place.path());
        assert_eq!(index.get(&stamp(3, 1)), Some(hash(3)));
    }
}
