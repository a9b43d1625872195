//! `git_log`: one header line for each commit instead of four, in which an author who goes on is
//! named once; messages, statistics and patches stay.

use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::FilterConfidence;

use super::{Facts, Reducer, Strategy, git_stat::ChangedFiles};
use crate::emit::Emitter;

/// Parameters of `git_log`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GitLog {
    /// So many commits are shown unless the command asks for a number itself; 0 for all.
    pub max_log_entries: usize,
}

impl Strategy for GitLog {
    fn start(&self, facts: &Facts) -> Box<dyn Reducer> {
        let asks = facts.command.words.iter().any(|word| asks_for_a_number(word));
        let limit = if asks { 0 } else { self.max_log_entries };
        Box::new(Machine {
            limit,
            commits: 0,
            header: None,
            author: String::new(),
            files: ChangedFiles::default(),
            found: false,
        })
    }
}

fn asks_for_a_number(word: &str) -> bool {
    word.starts_with("-n")
        || word.starts_with("--max-count")
        || word.strip_prefix('-').is_some_and(|n| !n.is_empty() && n.bytes().all(|byte| byte.is_ascii_digit()))
}

struct Machine {
    limit: usize,
    commits: usize,
    /// The commit whose header lines are being read.
    header: Option<Header>,
    /// The author named last: one that goes on is not named again.
    author: String,
    /// The files that a statistic counts.
    files: ChangedFiles,
    found: bool,
}

#[derive(Default)]
struct Header {
    commit: String,
    author: Option<String>,
    fields: Vec<String>,
}

impl Machine {
    fn end_header(&mut self, out: &mut Emitter<'_>) {
        let Some(header) = self.header.take() else { return };
        let mut line = header.commit;
        let author = header.author.filter(|author| *author != self.author);
        for field in author.iter().chain(&header.fields) {
            line.push_str("  ");
            line.push_str(field);
        }
        if let Some(author) = author {
            self.author = author;
        }
        out.write(&line);
    }

    fn is_over(&self) -> bool {
        self.limit > 0 && self.commits > self.limit
    }
}

/// `commit <hash>` and what may follow it.
fn commit(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix("commit ")?;
    let (hash, refs) = rest.split_once(' ').unwrap_or((rest, ""));
    (hash.len() >= 7 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some((hash, refs))
}

impl Reducer for Machine {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if self.header.is_none() && !self.is_over() && self.files.take(line, out) {
            self.found = true;
            return;
        }
        self.files.end(out);
        if let Some((hash, refs)) = commit(line) {
            self.end_header(out);
            self.found = true;
            self.commits += 1;
            if self.is_over() {
                return out.omit(line);
            }
            out.fold(line);
            let mut commit = format!("commit {}", &hash[..hash.len().min(12)]);
            if !refs.is_empty() {
                commit.push(' ');
                commit.push_str(refs);
            }
            self.header = Some(Header { commit, ..Header::default() });
            return;
        }
        if self.is_over() {
            return out.omit(line);
        }
        if let Some(header) = &mut self.header {
            let field = ["Author:", "Date:", "AuthorDate:", "Merge:", "Commit:", "CommitDate:"]
                .iter()
                .find_map(|name| Some((*name, line.strip_prefix(name)?.trim())));
            if let Some((name, value)) = field {
                out.fold(line);
                match name {
                    "Author:" => header.author = Some(value.to_owned()),
                    "Date:" | "AuthorDate:" => header.fields.push(value.to_owned()),
                    name => header.fields.push(format!("{name} {value}")),
                }
                return;
            }
            self.end_header(out);
        }
        match line.strip_prefix("    ") {
            _ if self.commits == 0 => out.keep(line),
            Some(message) if message.trim().is_empty() => out.fold(line),
            Some(message) => {
                out.fold(line);
                out.write(&format!("  {message}"));
            }
            None if line.is_empty() => out.fold(line),
            None => out.keep(line),
        }
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.files.end(out);
        self.end_header(out);
        out.close();
        if self.is_over() {
            out.write(&format!("[… {} more commits; ask with -n]", self.commits - self.limit));
        }
        let confidence = if self.is_over() { FilterConfidence::Partial } else { FilterConfidence::Full };
        self.found.then_some(confidence)
    }
}
