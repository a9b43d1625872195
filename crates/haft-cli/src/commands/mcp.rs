//! `haft mcp serve`: serves the tools to an MCP client.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use clap::Parser;
use haft::{Toolbox, audit::noted_head, config::LoadedConfig};

use crate::args::{Cli, CommonArgs, McpVerb, Offer, Verb};
use crate::commands::open::open_to_serve;
use crate::exit::Exit;
use crate::output;

/// Serves over standard input and output until the client disconnects.
pub(crate) async fn serve(common: &CommonArgs, offer: &Offer) -> Result<Exit, String> {
    let (common, offer) = (common.clone(), offer.clone());
    let workdir = common.workdir.clone();
    served(move || Ok((open_to_serve(&common, &offer, None, None)?, common.quiet)), workdir).await
}

/// Serves the toolbox that `make` builds. At the end prints the head of the record, to be noted
/// where no tool can write.
///
/// If `make` fails, the tools of the default configuration are listed, and none runs.
async fn served(
    make: impl FnOnce() -> Result<(Toolbox, bool), String> + Send + 'static,
    workdir: Option<PathBuf>,
) -> Result<Exit, String> {
    let record: Arc<OnceLock<PathBuf>> = Arc::default();
    let recorded = Arc::clone(&record);
    let make = move || {
        let (toolbox, quiet) = make()?;
        let config = toolbox.config();
        let audit = &config.tools.audit;
        if audit.enabled && audit.database.is_empty() && !quiet {
            let _ = recorded.set(config.tools.audit.file(&haft::config::places::state_dir()));
        }
        Ok::<_, String>(toolbox)
    };
    let faulty = Arc::new(AtomicBool::new(false));
    let noted = Arc::clone(&faulty);
    let listed = move |problem: &String| {
        // Report it now: the client may read standard error while the server still runs.
        output::note(&format!("haft: the server could not be set up: {problem}"));
        noted.store(true, Ordering::Release);
        let workdir = workdir.filter(|folder| folder.is_dir()).or_else(|| std::env::current_dir().ok())?;
        Toolbox::builder(LoadedConfig::parse("", &|_| None).ok()?, workdir).build().ok()
    };
    match haft_serve::serve_mcp(make, listed).await {
        Err(_) if faulty.load(Ordering::Acquire) => return Ok(Exit::Usage),
        served => served.map_err(|error| error.to_string())?,
    }
    if let Some(head) = record.get().and_then(|file| noted_head(file)) {
        output::note(&format!("audit head: {head}"));
    }
    Ok(Exit::Ok)
}

/// Whether the arguments are `mcp serve` with options that allow an early greeting. The client is
/// then greeted before the arguments are parsed, since building the options of all verbs takes as
/// long as the greeting.
pub(crate) fn is_plain_serve(arguments: &[OsString]) -> bool {
    let [_, mcp, serve, options @ ..] = arguments else { return false };
    let asks_for_text = |word: &OsString| ["-h", "--help", "-V", "--version", "help"].iter().any(|asked| word == asked);
    let is_http = |word: &OsString| word.as_encoded_bytes().starts_with(b"--http");
    mcp == "mcp" && serve == "serve" && !options.iter().any(|word| asks_for_text(word) || is_http(word))
}

/// Runs [`serve`] with arguments that are still unparsed. A wrong argument ends the connection with
/// its error.
pub(crate) async fn greet_and_serve(arguments: Vec<OsString>) -> Result<Exit, String> {
    let make = move || {
        let cli = Cli::try_parse_from(arguments).map_err(|error| error.to_string())?;
        let offer = match cli.verb {
            Some(Verb::Mcp { verb: McpVerb::Serve { offer, .. } }) => offer,
            _ => Offer::default(),
        };
        Ok((open_to_serve(&cli.common, &offer, None, None)?, cli.common.quiet))
    };
    served(make, None).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_words_are_served_before_they_are_read() {
        let check = |words: &[&str], expected: bool| {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            assert_eq!(is_plain_serve(&words), expected, "{words:?}");
        };
        check(&["haft", "mcp", "serve"], true);
        check(&["haft", "mcp", "serve", "--stdio", "--workdir", "x"], true);
        check(&["haft", "mcp", "serve", "--help"], false);
        check(&["haft", "mcp", "serve", "--http", "127.0.0.1:0"], false);
        check(&["haft", "mcp", "serve", "--http=127.0.0.1:0"], false);
        check(&["haft", "mcp"], false);
        check(&["haft", "--workdir", "x", "mcp", "serve"], false);
        check(&["haft", "call", "mcp"], false);
    }
}
