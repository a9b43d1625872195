//! Shared parts of package manager descriptions: addresses among the packages, and scripts that may
//! be programs.

use crate::reader::Value;
use crate::registry::apply::obeyed_in;
use crate::registry::prelude::*;
use crate::registry::{find, is_bare_host};

/// Publishes a package to a registry, or changes one there.
pub(in crate::registry) const PUBLISHES: Does = Is(Consequence::Publishes);

/// Removes from a registry what others may use.
pub(in crate::registry) const WITHDRAWS: Does =
    Says(Consequence::DeletesForOthers, "takes away a package that others may use");

/// Signs in or out, or changes an account.
pub(in crate::registry) const IDENTITY: Does = Is(Consequence::ChangesIdentity);

/// Shows credentials.
pub(in crate::registry) const SHOWS: Does = Is(Consequence::ShowsCredentials);

/// Installs for the user, outside the workspace.
pub(in crate::registry) const FOR_USER: Does =
    Says(Consequence::ChangesSystem, "changes programs outside of the workspace");

/// The addresses of packages that are given by address.
pub(super) fn addresses(parsed: &Parsed<'_>) -> Vec<Effect> {
    let registry =
        || parsed.values("--registry --index-url --extra-index-url --index --default-index --find-links --source");
    let named = parsed.operands().chain(registry());
    let web = named.filter(|value| value.text.contains("://") && !value.text.starts_with("file:"));
    let alone = parsed.values("--index-url --extra-index-url --default-index --proxy");
    let alone = alone.filter(|value| !value.text.contains("://") && !value.text.starts_with(['.', '/', '~']));
    let web = web.chain(registry().filter(|value| is_bare_host(&value.text))).chain(alone);
    let logins = parsed.operands().filter(|_| installs(parsed)).filter_map(login);
    web.cloned().chain(logins).map(Effect::Host).collect()
}

/// A package that is fetched by SSH login: `git@host.org:x`, optionally after a name and an `@`.
fn login(word: &Value) -> Option<Value> {
    let (before, path) = word.text.split_once(':').filter(|_| !word.text.contains("://"))?;
    let (user, host) = before.rsplit_once('@')?;
    let is_name = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'));
    let user = user.rsplit('@').next().unwrap_or_default();
    // `name@npm:other` is an alias for a package.
    let is_host = host.contains('.') || user == "git" && !matches!(host, "" | "npm" | "workspace" | "file" | "link");
    let is_login = is_host && is_name(host) && is_name(user);
    is_login.then(|| Value { text: format!("{user}@{host}:{path}"), ..word.clone() })
}

/// Whether the command installs packages that its operands name.
fn installs(parsed: &Parsed<'_>) -> bool {
    let unlisted = parsed.unlisted.as_ref().map(|(word, _)| word.text.as_str());
    ["install", "i", "add", "install-test", "link", "up", "upgrade", "update"]
        .contains(&unlisted.unwrap_or(parsed.subcommand()))
}

/// Packages that are given as a forge repository, `owner/name` or `github:owner/name`, and fetched
/// from there.
pub(super) fn repositories(parsed: &Parsed<'_>) -> Vec<Effect> {
    let named = parsed.operands().filter(|_| installs(parsed));
    named.filter_map(repository).map(|host| Effect::Host(Value::exact(host))).collect()
}

/// The address of the repository that a word denotes; `None` if it denotes none.
fn repository(word: &Value) -> Option<String> {
    let forges = [
        ("github:", "github.com"),
        ("gitlab:", "gitlab.com"),
        ("bitbucket:", "bitbucket.org"),
        ("gist:", "gist.github.com"),
    ];
    // The name given to the package comes first: `name@owner/repository`.
    let text = match word.text.rsplit_once('@') {
        Some((name, rest)) if !name.is_empty() && rest.contains('/') => rest,
        _ => word.text.as_str(),
    };
    let prefixed = forges.iter().find_map(|(prefix, host)| Some((text.strip_prefix(prefix)?, *host)));
    let is_short = || {
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '#' | '/');
        let parts = text.split('#').next().unwrap_or_default().split('/').count();
        parts == 2 && text.starts_with(|c: char| c.is_ascii_alphanumeric()) && text.chars().all(is_name)
    };
    let (name, host) = prefixed.or_else(|| is_short().then_some((text, "github.com")))?;
    Some(format!("https://{host}/{}", name.split('#').next().unwrap_or_default()))
}

/// Subcommands that run scripts of `package.json`, by their first names.
const RUNNERS: &[&str] = &["run", "test", "start", "stop", "restart", "install", "install-test", "ci"];

/// Settings of package managers, and settings that are code for programs started by package
/// scripts.
const OBEYED: &str = ".npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs pnpm-workspace.yaml bunfig.toml binding.gyp **/package.json \
                      *.config.js *.config.cjs *.config.mjs *.config.ts *.config.cts *.config.mts";

/// The package file whose scripts are run.
pub(super) fn package_scripts(parsed: &Parsed<'_>) -> Vec<Effect> {
    let unlisted = parsed.unlisted.as_ref().map(|(word, _)| word.text.as_str());
    let is_script = |word: &str| !parsed.program.plain.split_ascii_whitespace().any(|one| one == word);
    // `yarn` alone installs.
    let subcommand = parsed.words.first().map_or("install", |_| parsed.subcommand());
    let runs = RUNNERS.contains(&unlisted.unwrap_or(subcommand)) || unlisted.is_some_and(is_script);
    let own = runs.then(|| [Effect::obeys("package.json", true), Effect::obeys(OBEYED, false)]);
    let named = if runs || installs(parsed) { parsed.mentioned() } else { Vec::new() };
    own.into_iter().flatten().chain(obeyed_in(named, OBEYED)).collect()
}

/// A script of the workspace instead of a subcommand. If there is none with that name, some runners
/// start a program.
pub(super) fn unlisted(parsed: &Parsed<'_>) -> Vec<Effect> {
    let Some((name, _)) = &parsed.unlisted else { return Vec::new() };
    if parsed.program.plain.split_ascii_whitespace().any(|one| one == name.text) {
        return Vec::new();
    }
    let from = parsed.words.last().copied().unwrap_or_default();
    script_or_program(&parsed.command.args[from..])
}

/// The same after a subcommand: `bun run NAME`.
pub(super) fn named(parsed: &Parsed<'_>) -> Vec<Effect> {
    script_or_program(parsed.from(0))
}

fn script_or_program(words: &[Value]) -> Vec<Effect> {
    let Some(name) = words.first() else { return Vec::new() };
    if ["true", "false"].contains(&name.text.as_str()) {
        return vec![Effect::hidden(format!("the value `{}` in front of a subcommand", name.text))];
    }
    let is_program = name.is_exact && (find(&name.text).is_some() || name.text.contains('/'));
    is_program.then(|| Effect::runs(words.to_vec())).into_iter().collect()
}

/// `npm init vite` and similar commands: the package `create-vite` is fetched and run.
pub(super) fn creates(parsed: &Parsed<'_>) -> Vec<Effect> {
    let Some((first, rest)) = parsed.from(0).split_first() else { return Vec::new() };
    let text = match first.text.strip_prefix('@').and_then(|scoped| scoped.split_once('/')) {
        Some((scope, name)) => format!("@{scope}/create-{name}"),
        None => format!("create-{}", first.text),
    };
    let package = Value { text, ..first.clone() };
    vec![Effect::runs(std::iter::once(package).chain(rest.iter().cloned()).collect())]
}

/// The same package manager with the words from an operand on: `yarn workspace NAME test`.
pub(super) fn again(parsed: &Parsed<'_>, from: usize) -> Vec<Effect> {
    let rest = parsed.from(from);
    let program = Value::exact(parsed.command.name());
    let words = std::iter::once(program).chain(rest.iter().cloned()).collect();
    if rest.is_empty() { Vec::new() } else { vec![Effect::runs(words)] }
}
