//! Generates a source tree: with the same names and bytes on every machine, and large enough that
//! searching it takes time.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// Number of files in the tree, in directories of `PER_DIRECTORY`.
pub const FILES: usize = 50_000;
/// Number of files in one directory.
const PER_DIRECTORY: usize = 100;
/// Average length of a file in bytes.
const AVERAGE: usize = 4400;

/// Text that occurs once in every 97th file.
pub const LITERAL: &str = "NEEDLE_LITERAL_7f3a";
/// Pattern that matches once in every 53rd file.
pub const REGEX: &str = r"fn_\d{4}_end\(\)";
/// Text that occurs in one file.
pub const RARE: &str = "THE_ONLY_ONE_OF_ITS_KIND";
/// Text that does not occur.
pub const ABSENT: &str = "NOWHERE_TO_BE_FOUND_91c2";

const EXTENSIONS: [&str; 10] = ["rs", "rs", "rs", "toml", "md", "txt", "py", "c", "h", "json"];
const WORDS: [&str; 40] = [
    "async", "await", "block", "buffer", "cache", "channel", "clone", "config", "const", "decode", "encode", "error",
    "event", "field", "filter", "format", "future", "handle", "import", "index", "insert", "layer", "limit", "match",
    "merge", "method", "module", "option", "packet", "parse", "query", "queue", "reader", "record", "result", "return",
    "socket", "source", "stream", "string",
];

/// A generated tree, or one that already existed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// The top folder.
    pub path: PathBuf,
    /// Number of files.
    pub files: usize,
    /// Total size of its files.
    pub bytes: u64,
}

/// Creates the tree below `folder` unless a complete one exists.
///
/// # Errors
/// The error of the file system.
pub fn make(folder: &Path) -> io::Result<Tree> {
    let (path, done) = (folder.join("tree"), folder.join("tree.done"));
    if let Some(bytes) = fs::read_to_string(&done).ok().and_then(|text| text.trim().parse().ok()) {
        return Ok(Tree { path, files: FILES, bytes });
    }
    fs::create_dir_all(path.join(".git"))?; // so that everybody respects the ignore files
    let mut chance = Chance(7);
    let pool: Vec<String> = (0..20_000).map(|_| line(&mut chance)).collect();
    let mut bytes = 0;
    for number in 0..FILES {
        let directory = number / PER_DIRECTORY;
        let place = path.join(format!("crate-{:02}/mod_{:02}", directory / 25, directory % 25));
        if number.is_multiple_of(PER_DIRECTORY) {
            fs::create_dir_all(&place)?;
            if directory.is_multiple_of(25) {
                fs::write(place.join(".gitignore"), "*.log\n/ignored/\n")?;
            }
        }
        let (name, content) = file(number, &pool, &mut chance);
        bytes += content.len() as u64;
        fs::write(place.join(name), content)?;
    }
    fs::write(done, bytes.to_string())?;
    Ok(Tree { path, files: FILES, bytes })
}

fn file(number: usize, pool: &[String], chance: &mut Chance) -> (String, Vec<u8>) {
    if number % 500 == 499 {
        let content = (0..AVERAGE).map(|_| chance.below(256).to_le_bytes()[0]).collect();
        return (format!("blob_{number:05}.bin"), content);
    }
    let length = AVERAGE / 4 + chance.below(AVERAGE * 3 / 2);
    let mut text = String::with_capacity(length + 200);
    let (literal, regex) = (number.is_multiple_of(97), number.is_multiple_of(53));
    let mut due = [
        (length / 2, literal.then(|| format!("    // {LITERAL} {number}\n"))),
        (length / 3, regex.then(|| format!("    fn_{:04}_end();\n", number % 10_000))),
        (length / 4, (number == 31_337).then(|| format!("    // {RARE}\n"))),
    ];
    while text.len() < length {
        text.push_str(&pool[chance.below(pool.len())]);
        for (at, needle) in &mut due {
            if text.len() >= *at {
                text.extend(needle.take());
            }
        }
    }
    (format!("file_{number:05}.{}", EXTENSIONS[number % EXTENSIONS.len()]), text.into_bytes())
}

fn line(chance: &mut Chance) -> String {
    let mut word = || WORDS[chance.below(WORDS.len())];
    let (a, b, c, d) = (word(), word(), word(), word());
    match chance.below(4) {
        0 => format!("    let {a}_{b} = {c}::{d}({a}, {});\n", chance.below(10_000)),
        1 => format!("    // {a} {b} {c} {d} {b} {a} {d}\n"),
        2 => format!("    if {a}.{b}() != {c}_{} {{ return Err({d}); }}\n", chance.below(100)),
        _ => format!("pub fn {a}_{b}_{}(&self, {c}: &str) -> Result<{d}, {a}> {{\n", chance.below(1000)),
    }
}

/// Pseudo-random numbers that are the same on every machine.
#[derive(Debug, Clone)]
pub struct Chance(pub u64);

impl Chance {
    /// The next number below `end`, which is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % end as u64).unwrap_or_default()
    }
}
