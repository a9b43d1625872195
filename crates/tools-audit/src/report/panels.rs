//! The figures of the page: use of tokens, questions and their reasons, processes, files.

use std::{cmp::Reverse, fmt::Write as _};

use super::figures::{Figures, Verdicts};
use super::html::{count, share, short, text, time};
use super::strip::small;

/// Maximum number of rows of a table.
const ROWS: usize = 12;
/// Approximate number of bytes per token: always shown as an estimate.
const BYTES_PER_TOKEN: u64 = 4;

fn tokens(bytes: u64) -> String {
    count(bytes.div_ceil(BYTES_PER_TOKEN))
}

/// The tiles at the top.
pub(super) fn tiles(figures: &Figures) -> String {
    let verdicts = figures.verdicts;
    let mut out = String::from("<div class=\"tiles\">");
    let mut tile = |class: &str, number: String, what: &str| {
        let _ = write!(out, "<div class=\"tile {class}\"><b>{number}</b><span>{what}</span></div>");
    };
    tile("", count(figures.calls), "calls");
    tile("allow", count(verdicts.allow), "allowed");
    tile("ask", count(verdicts.ask), "asked");
    tile("deny", count(verdicts.deny), "denied");
    tile("bad", count(figures.failed), "allowed, then failed");
    tile("", time(figures.run), "running");
    tile("", time(figures.approval), "waiting for people");
    tile("", tokens(figures.model), "tokens to the model (est.)");
    out.push_str("</div>");
    out
}

fn panel(title: &str, note: &str, body: &str) -> String {
    format!("<section class=\"panel\"><h2>{title}</h2><p class=\"note\">{note}</p>{body}</section>")
}

fn table(heads: &[&str], rows: &[Vec<String>], hidden: usize) -> String {
    if rows.is_empty() {
        return "<p class=\"none\">nothing</p>".to_owned();
    }
    let mut out = String::from("<table><thead><tr>");
    for head in heads {
        let _ = write!(out, "<th>{head}</th>");
    }
    out.push_str("</tr></thead><tbody>");
    for row in rows {
        out.push_str("<tr>");
        for cell in row {
            let _ = write!(out, "<td>{cell}</td>");
        }
        out.push_str("</tr>");
    }
    out.push_str("</tbody></table>");
    if hidden > 0 {
        let _ = write!(out, "<p class=\"none\">and {} more</p>", count(hidden as u64));
    }
    out
}

/// From the output of tools to the text for the model.
pub(super) fn spent(figures: &Figures) -> String {
    let raw = figures.raw.max(1);
    let mut out = String::from("<div class=\"flow\">");
    let steps = [
        ("printed", "raw", figures.raw),
        ("taken out by filters", "filtered", figures.filtered),
        ("cut, or moved to storage", "cut", figures.truncated),
        ("given to the model", "given", figures.model),
        ("of it from the cache", "cached", figures.cached),
    ];
    for (what, class, bytes) in steps {
        let _ = write!(
            out,
            "<div><span>{what}</span>{}<b>{}</b><em>{}</em></div>",
            small(&[(class, bytes)], raw, 220),
            tokens(bytes),
            share(bytes, figures.raw)
        );
    }
    out.push_str("</div>");
    let mut commands: Vec<_> = figures.spent.iter().collect();
    commands.sort_by_key(|(_, spent)| Reverse(spent.model));
    let rows: Vec<Vec<String>> = commands
        .iter()
        .take(ROWS)
        .map(|(what, spent)| {
            let bar = small(&[("given", spent.model), ("filtered", spent.raw - spent.model)], raw, 90);
            vec![
                short(what, 40),
                count(spent.calls),
                tokens(spent.raw),
                tokens(spent.model),
                share(spent.raw - spent.model, spent.raw),
                bar,
            ]
        })
        .collect();
    out.push_str(&table(
        &["what", "calls", "printed", "given", "saved", ""],
        &rows,
        commands.len().saturating_sub(ROWS),
    ));
    panel("Where the tokens went", "Estimated at four bytes a token.", &out)
}

fn verdicts(verdicts: Verdicts, most: u64) -> String {
    small(&[("allow", verdicts.allow), ("ask", verdicts.ask), ("deny", verdicts.deny)], most, 90)
}

fn verdict_cells(what: &str, counted: Verdicts, most: u64) -> Vec<String> {
    let number = |class: &str, number: u64| match number {
        0 => "<i class=\"zero\">0</i>".to_owned(),
        number => format!("<i class=\"{class}\">{}</i>", count(number)),
    };
    vec![
        short(what, 70),
        number("allow", counted.allow),
        number("ask", counted.ask),
        number("deny", counted.deny),
        verdicts(counted, most),
    ]
}

/// From rules to verdicts, and the few rules that would have answered most questions.
pub(super) fn questions(figures: &Figures) -> String {
    let mut rules: Vec<_> = figures.rules.iter().collect();
    rules.sort_by_key(|(_, counted)| Reverse(counted.total()));
    let most = rules.first().map_or(1, |(_, counted)| counted.total().max(1));
    let rows: Vec<Vec<String>> =
        rules.iter().take(ROWS).map(|(rule, counted)| verdict_cells(rule, **counted, most)).collect();
    let heads = ["decided by", "allow", "ask", "deny", ""];
    let mut out = table(&heads, &rows, rules.len().saturating_sub(ROWS));
    let mut asked: Vec<_> = figures.questions.iter().collect();
    asked.sort_by_key(|(_, times)| Reverse(**times));
    if !asked.is_empty() {
        out.push_str(
            "<h3>Most asked</h3><p class=\"note\">A rule for each of these would have answered so many questions; beside \
             it, how calls with the same parts were decided otherwise.</p>",
        );
        let rows: Vec<Vec<String>> = asked
            .iter()
            .take(6)
            .map(|(named, times)| {
                let same = named.iter().filter_map(|pattern| figures.patterns.get(pattern));
                let (allow, deny) = same.fold((0, 0), |(allow, deny), one| (allow + one.allow, deny + one.deny));
                let named: Vec<String> =
                    named.iter().map(|pattern| format!("<code>{}</code>", short(pattern, 60))).collect();
                vec![named.join(" "), count(**times), share(**times, figures.verdicts.ask), count(allow), count(deny)]
            })
            .collect();
        let heads = ["a rule for", "questions", "of all", "allowed", "denied"];
        out.push_str(&table(&heads, &rows, asked.len().saturating_sub(6)));
    }
    if !figures.gates.is_empty() {
        out.push_str("<h3>Gates</h3>");
        let rows: Vec<Vec<String>> = figures
            .gates
            .iter()
            .take(ROWS)
            .map(|(name, gate)| {
                let number = |verdict: &str| gate.verdicts.get(verdict).copied().unwrap_or_default();
                let counted = Verdicts { allow: number("allow"), ask: number("ask"), deny: number("deny") };
                let mut cells = verdict_cells(name, counted, figures.calls.max(1));
                cells.push(format!("{} µs", count(gate.us / gate.calls.max(1))));
                cells
            })
            .collect();
        out.push_str(&table(
            &["gate", "allow", "ask", "deny", "", "each"],
            &rows,
            figures.gates.len().saturating_sub(ROWS),
        ));
    }
    panel("What was asked, and why", "Each verdict by the rule that gave it.", &out)
}

/// Programs that were run.
pub(super) fn programs(figures: &Figures) -> String {
    let mut programs: Vec<_> = figures.programs.iter().collect();
    programs.sort_by_key(|(_, program)| Reverse((program.ms, program.runs)));
    let longest = programs.first().map_or(1, |(_, program)| program.ms.max(1));
    let rows: Vec<Vec<String>> = programs
        .iter()
        .take(ROWS)
        .map(|(name, program)| {
            vec![
                format!("<code>{}</code>", short(name, 40)),
                count(program.runs),
                count(program.failed),
                count(program.refused),
                time(program.ms),
                small(&[("run", program.ms)], longest, 70),
                text(&program.sandbox),
            ]
        })
        .collect();
    let heads = ["program", "runs", "failed", "not run", "time", "", "confined"];
    let body = table(&heads, &rows, programs.len().saturating_sub(ROWS));
    panel("Processes", "Commands by program; the parts of one line share its time.", &body)
}

/// Files that were changed.
pub(super) fn files(figures: &Figures) -> String {
    let mut files: Vec<_> = figures.files.iter().collect();
    files.sort_by_key(|(_, changed)| Reverse(changed.times));
    let rows: Vec<Vec<String>> = files
        .iter()
        .take(2 * ROWS)
        .map(|(path, changed)| {
            vec![
                format!("<code>{}</code>", short(path, 70)),
                count(changed.times),
                format!(
                    "<i class=\"plus\">+{}</i> <i class=\"minus\">−{}</i>",
                    count(changed.added),
                    count(changed.removed)
                ),
                format!("<a href=\"#c{0}\">{0}</a>", changed.last),
            ]
        })
        .collect();
    let body = table(&["file", "times", "lines", "last call"], &rows, files.len().saturating_sub(2 * ROWS));
    panel("Files changed", "By file tools; what a command changed is known to <code>haft undo --list</code>.", &body)
}

/// The table of hosts.
pub(super) fn hosts(figures: &Figures) -> String {
    let mut hosts: Vec<_> = figures.hosts.0.iter().collect();
    hosts.sort_by_key(|(_, reached)| Reverse((reached.sent + reached.received, reached.connections)));
    let rows: Vec<Vec<String>> = hosts
        .iter()
        .take(2 * ROWS)
        .map(|(name, reached)| {
            let programs: Vec<&str> = reached.programs.iter().map(String::as_str).collect();
            vec![
                format!("<code>{}</code>", short(name, 60)),
                count(reached.connections),
                count(reached.refused),
                count(reached.sent),
                count(reached.received),
                short(&programs.join(", "), 40),
                short(&reached.rule, 60),
            ]
        })
        .collect();
    let heads = ["host", "connections", "refused", "bytes sent", "received", "by", "last decided by"];
    let body = table(&heads, &rows, hosts.len().saturating_sub(2 * ROWS));
    panel("Hosts", "Connections of commands through the gate (<code>tools.shell.network</code>).", &body)
}
