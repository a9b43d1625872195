//! `haft mcp add|list|test|remove|import`: manages the MCP servers of the configuration.

use std::{fs, path::PathBuf, sync::Arc};

use haft::core::VisibleText;
use haft::mcp_client::pins::Found;
use haft::mcp_client::{
    EntryError, McpServerConfig, McpServers, PinMode, Server, add_server, foreign_servers, remove_server,
};
use serde_json::json;

use crate::args::{AddServer, CommonArgs};
use crate::commands::change::{Change, read};
use crate::commands::login::{forget, is_logged_in, next_step};
use crate::commands::open::{config_to_write, open};
use crate::exit::Exit;
use crate::output;

/// The named server, or all.
pub(super) fn chosen(servers: &McpServers, id: Option<&str>) -> Result<Vec<Arc<Server>>, String> {
    match id {
        Some(id) => Ok(vec![servers.get(id).ok_or_else(|| format!("there is no server `{id}`"))?.clone()]),
        None => Ok(servers.all().to_vec()),
    }
}

/// Reports that there are no servers, since the output would be empty.
pub(super) fn say_if_none(common: &CommonArgs, servers: &McpServers) {
    if servers.all().is_empty() && !common.json && !common.quiet {
        output::note("no MCP servers are configured; add one with `haft mcp add`");
    }
}

/// Adds a server to the configuration.
pub(crate) async fn add(common: &CommonArgs, asked: &AddServer) -> Result<Exit, String> {
    let server = if let Some(url) = &asked.url {
        let mut server = json!({
            "id": asked.id, "url": url, "private": asked.private, "header_env": pairs(&asked.header_env)?,
            "token_env": asked.token_env.as_deref().unwrap_or_default(),
        });
        let oauth = [
            ("client_id", &asked.client_id),
            ("client_secret_env", &asked.client_secret_env),
            ("issuer", &asked.issuer),
        ];
        for (key, text) in oauth {
            if let Some(text) = text {
                server["oauth"][key] = text.as_str().into();
            }
        }
        server
    } else {
        let (program, args) = asked.command.split_first().ok_or("name a command after `--`")?;
        json!({
            "id": asked.id, "command": program, "args": args, "env": pairs(&asked.env)?, "env_pass": asked.env_pass,
            "read_paths": asked.read_path, "workspace": asked.workspace.to_string(),
            "network": asked.network.to_string(),
        })
    };
    let server: McpServerConfig = serde_json::from_value(server).map_err(|error| error.to_string())?;
    change(common, |text| add_server(text, &server).map(Some))?;
    told(common, &format!("added `{}`; {}", asked.id, next_step(&server).await));
    Ok(Exit::Ok)
}

fn pairs(typed: &[String]) -> Result<serde_json::Map<String, serde_json::Value>, String> {
    let pair = |text: &String| {
        let (name, value) = text.split_once('=').ok_or_else(|| format!("`{text}`: expected NAME=VALUE"))?;
        Ok((name.to_owned(), value.into()))
    };
    typed.iter().map(pair).collect()
}

/// Removes a server from the configuration, with its pins and its login.
pub(crate) async fn remove(common: &CommonArgs, id: &str) -> Result<Exit, String> {
    let toolbox = open(common)?;
    let server = toolbox.config().mcp.servers.iter().find(|server| server.id == id).cloned();
    let removed = change(common, |text| remove_server(text, id))?;
    if let Some(server) = server.filter(|_| removed) {
        forget(&server).await;
    }
    let forgot = toolbox.parts().servers.forget(id).map_err(|error| error.to_string())?;
    if !removed && !forgot {
        return Err(format!("there is no server `{id}`"));
    }
    told(common, &format!("removed `{id}`"));
    Ok(Exit::Ok)
}

/// Lists the servers and their accepted tools.
pub(crate) fn list(common: &CommonArgs) -> Result<Exit, String> {
    let toolbox = open(common)?;
    say_if_none(common, &toolbox.parts().servers);
    let unknown: Vec<String> = toolbox.parts().servers.unknown().iter().map(|server| server.id().to_owned()).collect();
    let offered = toolbox.stack().definitions();
    let rows = toolbox.config().mcp.servers.iter().map(|server| {
        let tools = offered
            .iter()
            .filter(|tool| matches!(&tool.origin, haft::core::ToolOrigin::Mcp { server: id, .. } if *id == server.id));
        let state = match (server.enabled, unknown.contains(&server.id), server.pin) {
            (false, ..) => "off".to_owned(),
            (_, true, _) => "not asked yet".to_owned(),
            (_, _, PinMode::Off) => "not pinned".to_owned(),
            _ => format!("{} tools", tools.count()),
        };
        (server, state)
    });
    for (server, state) in rows {
        // The part after a question mark may contain a key.
        let url = server.url.split('?').next().unwrap_or_default();
        if common.json {
            let mut row = json!({"id": server.id, "state": state});
            if server.is_remote() {
                row["url"] = url.into();
                row["logged_in"] = is_logged_in(server).into();
            } else {
                (row["command"], row["args"]) = (server.command.as_str().into(), json!(server.args));
            }
            output::json(&row);
        } else {
            let named = [server.command.as_str(), url].into_iter().filter(|text| !text.is_empty());
            let state = if is_logged_in(server) { format!("{state}, logged in") } else { state };
            let launch = named.chain(server.args.iter().map(String::as_str)).collect::<Vec<_>>().join(" ");
            output::line(&format!("{:<20} {state:<14} {}", server.id, VisibleText::of(&launch).shortened(100)));
        }
    }
    Ok(Exit::Ok)
}

/// Starts or connects to servers and reports what they list.
pub(crate) async fn test(common: &CommonArgs, id: Option<&str>) -> Result<Exit, String> {
    let toolbox = open(common)?;
    let launcher = toolbox.server_launcher().ok_or("tools are disabled: `tools.enabled` is false")?;
    let servers = &toolbox.parts().servers;
    say_if_none(common, servers);
    let mut exit = Exit::Ok;
    for server in chosen(servers, id)? {
        match servers.report(&server, &launcher, &toolbox.context()).await {
            Ok(report) => {
                let held = report.listing.findings.iter().filter(|finding| finding.is_held());
                let held: Vec<String> =
                    held.map(|finding| format!("{}: {finding}", VisibleText::of(&finding.tool))).collect();
                let count = report.listing.findings.iter().filter(|finding| finding.found != Found::Gone).count();
                let about = report.about.map_or_else(String::new, |(name, version, revision)| {
                    format!(" ({name} {version}, revision {revision})")
                });
                if common.json {
                    output::json(&json!({
                        "id": server.id(), "ok": true, "tools": count, "held": held, "asked_for": report.asked,
                        "lines_that_are_no_messages": report.noise,
                    }));
                    continue;
                }
                output::line(&format!("{}{about}: {count} tools, {} held", server.id(), held.len()));
                for held in &held {
                    output::line(&format!("  held: {}", output::printable(held)));
                }
                if !held.is_empty() {
                    output::line("  `haft pins review` shows what changed");
                }
                if report.noise > 0 {
                    output::line(&format!("  {} lines on its standard output are not MCP messages", report.noise));
                }
                report
                    .asked
                    .iter()
                    .for_each(|asked| output::line(&format!("  it asked for {asked}, which is not offered")));
            }
            Err(error) => {
                exit = Exit::ToolFailed;
                if common.json {
                    output::json(
                        &json!({"id": server.id(), "ok": false, "code": error.code(), "error": error.to_string()}),
                    );
                } else {
                    output::line(&format!("{}: {error}", server.id()));
                }
            }
        }
    }
    servers.stop().await;
    Ok(exit)
}

/// Imports servers from the configurations of other hosts.
pub(crate) fn import(common: &CommonArgs, files: &[PathBuf], dry_run: bool) -> Result<Exit, String> {
    let found: Vec<PathBuf> = if files.is_empty() {
        known_files().into_iter().filter(|file| file.is_file()).collect()
    } else {
        files.to_vec()
    };
    if found.is_empty() {
        return Err("no configuration file of a known host was found; name one".to_owned());
    }
    let mut lines = Vec::new();
    change(common, |text| {
        let mut text = text.to_owned();
        for file in &found {
            let read = fs::read_to_string(file).map_err(|error| EntryError::Syntax(error.to_string()));
            let foreign = match read.and_then(|text| foreign_servers(&text)) {
                Ok(foreign) => foreign,
                Err(error) => {
                    lines.push(format!("`{}`: {error}", file.display()));
                    continue;
                }
            };
            for server in &foreign.servers {
                match add_server(&text, server) {
                    Ok(added) => {
                        text = added;
                        lines.push(format!("`{}` from `{}`", server.id, file.display()));
                    }
                    Err(error) => lines.push(format!("skipped `{}` from `{}`: {error}", server.id, file.display())),
                }
            }
            lines.extend(foreign.skipped.iter().map(|(name, why)| {
                format!("skipped `{}` from `{}`: {why}", VisibleText::of(name).shortened(80), file.display())
            }));
        }
        Ok((!dry_run).then_some(text))
    })?;
    if common.json {
        output::json(&json!({"ok": true, "dry_run": dry_run, "servers": lines}));
        return Ok(Exit::Ok);
    }
    for line in &lines {
        told(common, line);
    }
    if !dry_run {
        told(
            common,
            "each that is started can read the workspace and has no network; change that in `[[mcp.servers]]`",
        );
    }
    Ok(Exit::Ok)
}

/// Configuration files of known hosts.
fn known_files() -> Vec<PathBuf> {
    let Some(home) = std::env::var_os("HOME").map(PathBuf::from) else { return vec![] };
    [
        ".claude.json",
        ".config/Claude/claude_desktop_config.json",
        "Library/Application Support/Claude/claude_desktop_config.json",
        ".codex/config.toml",
        ".cursor/mcp.json",
        ".gemini/settings.json",
        ".config/Code/User/mcp.json",
        ".config/opencode/opencode.json",
        ".config/zed/settings.json",
    ]
    .iter()
    .map(|name| home.join(name))
    .collect()
}

/// Changes the configuration's text in one step; returns whether it changed.
fn change(
    common: &CommonArgs,
    change: impl FnOnce(&str) -> Result<Option<String>, EntryError>,
) -> Result<bool, String> {
    let file = config_to_write(common)?;
    let before = read(&file)?;
    let text = before.clone().unwrap_or_default();
    let after = change(&text).map_err(|error| format!("`{}`: {error}", file.display()))?;
    let Some(after) = after.filter(|after| *after != text) else { return Ok(false) };
    Change { file, before, after }.store()?;
    Ok(true)
}

fn told(common: &CommonArgs, text: &str) {
    output::done(common, &json!({"ok": true, "message": text}), text);
}
