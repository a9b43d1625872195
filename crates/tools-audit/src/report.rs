//! One self-contained page about a log: a film strip of the calls, the use of tokens, questions and
//! their reasons, processes and files. It loads nothing, runs one script of its own, and shows the
//! output of tools as plain text.

mod call;
mod calls;
mod figures;
mod hosts;
mod html;
mod panels;
mod strip;

use std::collections::{HashSet, VecDeque};
use std::fmt::Write as _;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha2::{Digest as _, Sha256};

use self::call::Call;
use self::figures::Figures;
use self::html::{count, plain, text};
use crate::verify::{open, read_line, verify};
use crate::{AuditError, Report};

const STYLE: &str = include_str!("report/style.css");
const SCRIPT: &str = include_str!("report/script.js");

/// Content of a page about a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Number of calls shown individually: the last ones. Figures count all.
    pub calls: usize,
    /// Only the calls of this session.
    pub session: Option<String>,
    /// Only the calls whose working directory is this folder or below it, and the connections of
    /// their sessions. Absolute and canonical.
    pub folder: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self { calls: 2000, session: None, folder: None }
    }
}

/// The page of a log.
///
/// # Errors
/// When the log cannot be opened or read. A tampered log is shown, with a warning.
pub fn page(path: &Path, options: &Options) -> Result<String, AuditError> {
    let checked = verify(path)?;
    let (figures, calls) = gather(path, options)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut out = String::with_capacity(64 * 1024 + calls.len() * 4096);
    // Only scripts listed by hash run, even if text of a tool should escape its place.
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action \
         'none'\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" \
         content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<title>Haft: {}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>",
        digest(STYLE),
        digest(SCRIPT),
        plain(&name),
    );
    out.push_str(&header(&name, &checked, &figures));
    out.push_str(&panels::tiles(&figures));
    out.push_str(&film(&figures, &calls));
    out.push_str("<div class=\"panels\">");
    for panel in [panels::spent, panels::questions, panels::programs, panels::files, panels::hosts] {
        out.push_str(&panel(&figures));
    }
    let _ = write!(out, "</div>{}</main>\n<script>{SCRIPT}</script>\n</body>\n</html>\n", footer(&checked));
    Ok(out)
}

fn digest(part: &str) -> String {
    STANDARD.encode(Sha256::digest(part.as_bytes()))
}

fn gather(path: &Path, options: &Options) -> Result<(Figures, VecDeque<Call>), AuditError> {
    let failed = |source| AuditError::Read { path: path.to_owned(), source };
    let sessions = match &options.folder {
        Some(folder) => Some(sessions_of(path, folder)?),
        None => None,
    };
    let of_folder = |session: &str| sessions.as_ref().is_none_or(|sessions| sessions.contains(session));
    let mut reader = BufReader::with_capacity(256 * 1024, open(path)?);
    let (mut figures, mut calls, mut line) = (Figures::default(), VecDeque::new(), Vec::new());
    while read_line(&mut reader, &mut line).map_err(failed)? {
        let is_asked_for =
            |session: &str| options.session.as_ref().is_none_or(|asked| asked == session) && of_folder(session);
        if figures.hosts.add(&line, is_asked_for) {
            continue;
        }
        let Some(call) = Call::of(&line) else { continue };
        if options.session.as_ref().is_some_and(|session| *session != call.session) {
            continue;
        }
        if options.folder.as_ref().is_some_and(|folder| !call.is_within(folder)) {
            continue;
        }
        figures.add(&call);
        calls.push_back(call);
        if calls.len() > options.calls {
            calls.pop_front();
        }
    }
    Ok((figures, calls))
}

/// The sessions that made calls in a folder, since connections are recorded by session.
fn sessions_of(path: &Path, folder: &Path) -> Result<HashSet<String>, AuditError> {
    let failed = |source| AuditError::Read { path: path.to_owned(), source };
    let mut reader = BufReader::with_capacity(256 * 1024, open(path)?);
    let (mut sessions, mut line) = (HashSet::new(), Vec::new());
    while read_line(&mut reader, &mut line).map_err(failed)? {
        if let Some(call) = Call::of(&line).filter(|call| call.is_within(folder)) {
            sessions.insert(call.session);
        }
    }
    Ok(sessions)
}

fn header(name: &str, checked: &Report, figures: &Figures) -> String {
    let broken = checked.broken.as_ref().or_else(|| checked.earlier.iter().find_map(|file| file.broken.as_ref()));
    let badge = match broken {
        None => "<span class=\"badge allow\">chain unbroken</span>".to_owned(),
        Some(broken) => {
            format!("<span class=\"badge deny\">BROKEN at line {}: {}</span>", broken.line, text(&broken.why))
        }
    };
    let sessions = match figures.sessions.len() {
        1 => "1 session".to_owned(),
        many => format!("{} sessions", count(many as u64)),
    };
    format!(
        "<header><p class=\"brand\">haft audit report</p><h1>{}</h1><p class=\"when\">{} – {} · {sessions} {badge}</p></header>",
        text(name),
        text(figures.first.get(..19).unwrap_or(&figures.first)).replace('T', " "),
        text(figures.last.get(..19).unwrap_or(&figures.last)).replace('T', " "),
    )
}

fn film(figures: &Figures, calls: &VecDeque<Call>) -> String {
    let left_out = figures.calls - calls.len() as u64;
    let note = match left_out {
        0 => String::new(),
        left_out => format!(" The {} calls before these are counted below but not shown.", count(left_out)),
    };
    let mut legend = String::new();
    for (class, word) in [("allow", "allowed"), ("ask", "asked"), ("deny", "denied")] {
        let _ = write!(legend, "<span><i class=\"dot {class}\"></i>{word}</span>");
    }
    legend.push_str("<span class=\"sep\"></span>");
    for (class, word) in [("wait", "waiting"), ("gates", "gates"), ("approval", "approval"), ("run", "running")] {
        let _ = write!(
            legend,
            "<span><svg class=\"key allow\" width=\"11\" height=\"11\"><rect class=\"{class}\" width=\"11\" height=\"11\" \
             rx=\"2\"/></svg>{word}</span>"
        );
    }
    format!(
        "<section class=\"session-film\"><h2>Film strip</h2><p class=\"note\">A bar per call, as high as it took long \
         (logarithmic). Choose one to see it; <kbd>←</kbd> <kbd>→</kbd> go on.{note}</p><p class=\"legend\">{legend}<span class=\"sep\"></span><span><svg width=\"11\" height=\"11\"><circle \
         class=\"failed\" cx=\"5.5\" cy=\"5.5\" r=\"3\"/></svg>failed</span></p>{}<div class=\"find\"><label>Show calls with \
         <input type=\"search\" id=\"find\" placeholder=\"text, tool, rule, deny …\" autocomplete=\"off\"></label><span \
         id=\"found\" role=\"status\"></span></div>{}</section>",
        strip::strip(calls),
        calls::rows(calls),
    )
}

fn footer(checked: &Report) -> String {
    let head = match (checked.last_seq, &checked.head) {
        (Some(seq), Some(hash)) => format!("head <code>{seq}:{}</code>", text(hash)),
        _ => "the log is empty".to_owned(),
    };
    format!(
        "<footer>{head}<br>Parameters and outputs are redacted and cut as they are in the log. Check it with <code>haft audit \
         verify</code>.</footer>"
    )
}
