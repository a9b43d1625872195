//! `git_log`: one header line for each commit instead of four. A repeated author is not named
//! again, an address is shown once and dates are short. Messages, statistics and patches stay.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::FilterConfidence;

use super::{Facts, Reducer, Strategy, git_stat::ChangedFiles};
use crate::emit::Emitter;

/// Parameters of `git_log`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GitLog {
    /// Maximum number of commits shown unless the command gives a number itself; 0 for all.
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
            known: HashSet::new(),
            zone: String::new(),
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
    /// The author of the previous commit, which is not named again.
    author: String,
    /// Authors whose address was shown.
    known: HashSet<String>,
    /// The time zone shown last.
    zone: String,
    /// The files of a statistic.
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
        let is_known = author.as_ref().is_some_and(|author| self.known.contains(author));
        let name =
            author.as_ref().map(|author| author.split_once(" <").filter(|_| is_known).map_or(&**author, |a| a.0));
        for field in name.into_iter().chain(header.fields.iter().map(String::as_str)) {
            line.push_str("  ");
            line.push_str(field);
        }
        if let Some(author) = author {
            if self.known.len() < MAX_AUTHORS {
                self.known.insert(author.clone());
            }
            self.author = author;
        }
        out.write(&line);
    }

    fn is_over(&self) -> bool {
        self.limit > 0 && self.commits > self.limit
    }
}

/// Maximum number of remembered authors.
const MAX_AUTHORS: usize = 1000;

/// Shortens a date: `Fri Nov 27 19:25:42 2026 +0000` → `2026-11-27 19:25:42`. The zone is shown
/// when it changes. A date in another form stays.
fn date(text: &str, zone: &mut String) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let [_, month, day, time, year, new_zone] = words[..] else { return text.to_owned() };
    let month = MONTHS.iter().position(|name| *name == month).map(|at| at + 1);
    let (Some(month), Ok(day)) = (month, day.parse::<u8>()) else { return text.to_owned() };
    let is_other = *zone != new_zone;
    new_zone.clone_into(zone);
    let told = if is_other { format!(" {new_zone}") } else { String::new() };
    format!("{year}-{month:02}-{day:02} {time}{told}")
}

const MONTHS: &[&str] = &["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// The hash in `commit <hash>`, and what may follow it.
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
                    "Date:" | "AuthorDate:" => header.fields.push(date(value, &mut self.zone)),
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

#[cfg(test)]
mod tests {
    use crate::{Exit, FilterPipeline};

    #[test]
    fn an_address_and_a_zone_are_told_once() {
        let commit = |hash: &str, author: &str, date: &str| {
            format!("commit {}\nAuthor: {author}\nDate:   {date}\n\n    Change {hash}\n\n", hash.repeat(5))
        };
        let text = [
            commit("12345678", "Ana Diaz <ana@example.org>", "Fri Nov 27 19:25:42 2026 +0000"),
            commit("23456789", "Bo Li <bo@example.org>", "Thu Nov 5 09:05:01 2026 +0000"),
            commit("3456789a", "Ana Diaz <ana@example.org>", "Wed Nov 4 09:05:01 2026 +0200"),
            commit("456789ab", "Ana Diaz <ana@example.org>", "3 weeks ago"),
        ]
        .concat();
        assert_eq!(
            FilterPipeline::builtin().filter("git log", Exit::Code(0), text.as_bytes()).text,
            "commit 123456781234  Ana Diaz <ana@example.org>  2026-11-27 19:25:42 +0000\n  Change 12345678\n\
             commit 234567892345  Bo Li <bo@example.org>  2026-11-05 09:05:01\n  Change 23456789\n\
             commit 3456789a3456  Ana Diaz  2026-11-04 09:05:01 +0200\n  Change 3456789a\n\
             commit 456789ab4567  3 weeks ago\n  Change 456789ab\n"
        );
    }
}
