//! A run over many generated lines: its parts, and the results of the analysis and of bash for each
//! line.

use std::collections::BTreeSet;

use super::generator::Numbers;
use crate::{Analysis, Surroundings, analyse};

/// Number of lines in a run, and their division.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    /// Number of lines in all parts; `HAFT_FUZZ_LINES` asks for more.
    pub(super) lines: usize,
    /// Number of lines for one bash.
    pub(super) batch: usize,
    /// Number of parts. Each part is a separate test, so that parts run in parallel.
    pub(super) parts: usize,
    /// The seed; `HAFT_FUZZ_SEED` sets another.
    pub(super) seed: u64,
    /// Of the lines that are asked about, one in this many is run too, to see whether such lines
    /// run anything.
    pub(super) sample: usize,
}

/// A line with the marker that it may run.
pub(super) struct MarkedLine {
    pub(super) line: String,
    pub(super) marker: String,
}

/// Numbers of lines.
#[derive(Debug, Default)]
pub(super) struct Figures {
    pub(super) lines: usize,
    /// Lines that are asked about and were run.
    pub(super) tried: usize,
    /// Number of tried lines that ran their marker.
    pub(super) ran: usize,
    /// Lines that are not asked about.
    pub(super) clear: usize,
    /// Lines of these that ran their marker, with `zz` in its place.
    pub(super) missed: Vec<String>,
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// The marker of the line with this number.
pub(super) fn marker(number: usize) -> String {
    format!("zz{number}")
}

impl Plan {
    /// The plan with the values from the environment.
    pub(super) fn or_as_set(self) -> Self {
        let lines = setting("HAFT_FUZZ_LINES").and_then(|lines| usize::try_from(lines).ok());
        let seed = setting("HAFT_FUZZ_SEED");
        Self { lines: lines.unwrap_or(self.lines), seed: seed.unwrap_or(self.seed), ..self }
    }

    /// The lines of one part, batch by batch.
    pub(super) fn batches(
        &self,
        part: usize,
        make: impl Fn(&mut Numbers, &str) -> String,
    ) -> impl Iterator<Item = Vec<MarkedLine>> {
        (part..self.lines.div_ceil(self.batch)).step_by(self.parts).map(move |batch| {
            let mut numbers = Numbers::new(self.seed.wrapping_add(batch as u64));
            let numbered = (0..self.batch).map(|at| marker(batch * self.batch + at));
            numbered.map(|marker| MarkedLine { line: make(&mut numbers, &marker), marker }).collect()
        })
    }
}

impl Figures {
    /// Adds lines. `is_seen` judges the analysis of each line, and bash tells which markers run.
    pub(super) fn add(
        &mut self,
        lines: &[MarkedLine],
        sample: usize,
        is_seen: impl Fn(&Analysis, &str) -> bool,
        run: impl Fn(&[&MarkedLine]) -> BTreeSet<String>,
    ) {
        let around = Surroundings { home: "/root".to_owned(), workdir: "/w".to_owned() };
        let seen: Vec<bool> = lines.iter().map(|one| is_seen(&analyse(&one.line, &around), &one.marker)).collect();
        let tried: Vec<usize> = (0..lines.len()).filter(|at| !seen[*at] || at % sample == 0).collect();
        let started = run(&tried.iter().map(|at| &lines[*at]).collect::<Vec<_>>());
        self.lines += lines.len();
        self.clear += seen.iter().filter(|seen| !**seen).count();
        for at in tried {
            let MarkedLine { line, marker } = &lines[at];
            let has_run = started.contains(marker);
            if seen[at] {
                self.tried += 1;
                self.ran += usize::from(has_run);
            } else if has_run {
                self.missed.push(line.replace(marker, "zz"));
            }
        }
    }

    /// Requires three things: no line was missed, at least one in `ran` of the lines tried ran its
    /// marker, and at least one in `clear` of all lines is not asked about. Lines that run nothing
    /// would prove nothing, and an analysis that asks about every line misses none.
    pub(super) fn check(&self, plan: &Plan, least: LeastShares) {
        let Self { lines, tried, ran, clear, missed } = self;
        let (seed, count) = (plan.seed, missed.len());
        println!("seed {seed}: {lines} lines; of {tried} that ask {ran} ran; {clear} are clear, {count} missed");
        let listed = missed.iter().take(60).map(|line| line.replace('\n', "⏎")).collect::<Vec<_>>().join("\n");
        assert!(missed.is_empty(), "seed {seed}, {count} of {lines} lines:\n{listed}");
        assert!(ran * least.ran > *tried, "only {ran} of {tried} lines run their marker");
        assert!(clear * least.clear > *lines, "only {clear} of {lines} lines are clear");
    }
}

/// The minimum shares of a meaningful run, each as one line in this many.
#[derive(Debug, Clone, Copy)]
pub(super) struct LeastShares {
    pub(super) ran: usize,
    pub(super) clear: usize,
}
