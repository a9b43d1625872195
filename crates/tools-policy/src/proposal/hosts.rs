//! Finds the hosts of a project's packages in its lock files and in the settings of package
//! managers. No host is built in. Reads files, connects to nothing.

use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use tools_sandbox::{home, read_plain};

/// Maximum length in bytes of a file that is read.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// Maximum number of proposed hosts. A person does not read a longer list.
const MAX_HOSTS: usize = 50;

/// A host that a file of the project or of the machine names as a source of packages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceHost {
    /// The pattern for a rule: `HOST` for the web ports, otherwise `HOST:PORT`.
    pub pattern: String,
    /// The file that names it.
    pub from: PathBuf,
}

/// Used in place of a key: addresses anywhere in the file.
const ANY: &str = "*";

/// Files of a project, and the keys whose values name sources of packages.
const OF_PROJECT: &[(&str, &[&str])] = &[
    ("Cargo.lock", &["source"]),
    (".cargo/config.toml", &["index", "registry"]),
    ("package-lock.json", &["resolved"]),
    ("npm-shrinkwrap.json", &["resolved"]),
    ("yarn.lock", &["resolved"]),
    (".yarnrc.yml", &["npmRegistryServer"]),
    ("pnpm-lock.yaml", &["tarball", "resolution"]),
    ("bun.lock", &[ANY]),
    ("deno.lock", &[ANY]),
    (".npmrc", &["registry"]),
    ("uv.lock", &["registry", "source", "url"]),
    ("poetry.lock", &["url"]),
    ("pdm.lock", &["url"]),
    ("pyproject.toml", &["url"]),
    ("Pipfile", &["url"]),
    ("Pipfile.lock", &["url"]),
    ("requirements.txt", &["--index-url", "-i", "--extra-index-url"]),
    ("Gemfile.lock", &["remote"]),
    ("composer.lock", &["url"]),
    ("gradle/wrapper/gradle-wrapper.properties", &["distributionUrl"]),
    (".git/config", &["url"]),
    (".gitmodules", &["url"]),
];

/// Files below the home directory.
const OF_HOME: &[(&str, &[&str])] = &[
    (".cargo/config.toml", &["index", "registry"]),
    (".npmrc", &["registry"]),
    (".yarnrc.yml", &["npmRegistryServer"]),
    (".config/pip/pip.conf", &["index-url", "extra-index-url"]),
    (".pip/pip.conf", &["index-url", "extra-index-url"]),
    (".config/uv/uv.toml", &["url", "index-url"]),
    (".config/go/env", &["GOPROXY", "GOSUMDB"]),
    (".m2/settings.xml", &["<url>"]),
    (".bundle/config", &["BUNDLE_MIRROR__ALL"]),
];

/// The hosts that `project` fetches from, without duplicates, in the order found. Unreadable files
/// are skipped. Hosts that only the machine names are included if the project has a file of that
/// package manager.
pub fn hosts(project: &Path) -> Vec<SourceHost> {
    found(project, home().as_deref())
}

fn found(project: &Path, home: Option<&Path>) -> Vec<SourceHost> {
    let mut found = Vec::new();
    let mut add = |from: &Path, patterns: Vec<String>| {
        for pattern in patterns {
            let is_new = found.iter().all(|known: &SourceHost| known.pattern != pattern);
            if is_new && found.len() < MAX_HOSTS {
                found.push(SourceHost { pattern, from: from.to_owned() });
            }
        }
    };
    for (name, keys) in OF_PROJECT {
        let text = read(&project.join(name)).unwrap_or_default();
        add(Path::new(name), named(&text, keys));
    }
    let Some(home) = home else { return found };
    for (name, keys) in OF_HOME {
        let text = read(&home.join(name)).unwrap_or_default();
        add(&Path::new("~").join(name), named(&text, keys));
    }
    let is_there = |name: &str| project.join(name).symlink_metadata().is_ok();
    if is_there("Cargo.toml") {
        for (from, patterns) in indexes(&home.join(".cargo/registry/index")) {
            add(&Path::new("~/.cargo/registry/index").join(from), patterns);
        }
    }
    if is_there("go.mod") || is_there("go.work") {
        for file in go_settings() {
            let text = read(&file).unwrap_or_default();
            add(&file, named(&text, &["GOPROXY", "GOSUMDB"]));
        }
    }
    found
}

/// The text of a regular file. A repository may contain a FIFO, which would block.
fn read(path: &Path) -> Option<String> {
    let bytes = read_plain(path, OFlags::empty(), MAX_FILE_BYTES, |_| Ok(())).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The registries that cargo has read: a folder for each, named by its host, with the download
/// address.
fn indexes(folder: &Path) -> Vec<(PathBuf, Vec<String>)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut read: Vec<_> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let (host, _) = name.rsplit_once('-')?;
            let downloads = read(&entry.path().join("config.json")).unwrap_or_default();
            let downloads = downloads.split(['{', ',']).flat_map(|member| named(member, &["dl"]));
            let patterns = pattern("https", host).into_iter().chain(downloads).collect();
            Some((PathBuf::from(name), patterns))
        })
        .collect();
    read.sort();
    read
}

/// The files with the default settings of `go`.
fn go_settings() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let go = std::env::split_paths(&path).find_map(|folder| folder.join("go").canonicalize().ok());
    go.and_then(|go| Some(go.parent()?.parent()?.join("go.env"))).into_iter().collect()
}

/// The hosts in lines whose key is one of `keys`, as rule patterns.
fn named(text: &str, keys: &[&str]) -> Vec<String> {
    if keys.contains(&ANY) {
        return text.lines().flat_map(with_scheme).collect();
    }
    text.lines().filter_map(|line| value(line, keys)).flat_map(addresses).collect()
}

/// The value of one of the keys. Keys may be quoted, belong to a scope (`@scope:registry`) or be in
/// an inline table.
fn value<'a>(line: &'a str, keys: &[&str]) -> Option<&'a str> {
    let line = line.trim_start_matches([' ', '\t', '"', '\'', '{', '-']);
    let line = if line.starts_with('@') { line.split_once(':')?.1 } else { line };
    keys.iter().find_map(|key| {
        let key = key.trim_start_matches('-');
        let rest = line.strip_prefix(key)?;
        (key.ends_with('>') || rest.starts_with([' ', '\t', '=', ':', '"', '\''])).then_some(rest)
    })
}

fn addresses(value: &str) -> Vec<String> {
    let value = value.replace("\\:", ":").replace("\\/", "/");
    let mut found = with_scheme(&value);
    if found.is_empty() {
        found.extend(without_scheme(&value));
    }
    found
}

/// The addresses with a scheme. The index of cargo's default registry is skipped: cargo does not
/// fetch from its address.
fn with_scheme(value: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = value;
    while let Some(at) = rest.find("://") {
        let scheme = rest[..at].rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        let is_stand_in = rest[..at].ends_with("registry+https") && rest.contains("/crates.io-index");
        let behind = &rest[at + 3..];
        let end = behind.find(|c: char| c.is_whitespace() || "/\"'<>,;|?#)}]\\".contains(c)).unwrap_or(behind.len());
        let authority = behind[..end].rsplit('@').next().unwrap_or_default();
        if !is_stand_in {
            found.extend(pattern(scheme, authority));
        }
        rest = &behind[end..];
    }
    found
}

/// A host without a scheme: `user@host:path`, as git writes an ssh address, or a bare host.
fn without_scheme(value: &str) -> Option<String> {
    let value = value.trim_matches([' ', '\t', '=', '"', '\'']);
    match value.split_once('@') {
        Some((user, rest)) if user.chars().all(char::is_alphanumeric) => pattern("ssh", rest.split_once(':')?.0),
        Some(_) => None,
        None => value.contains('.').then(|| pattern("https", value))?,
    }
}

/// The rule pattern for an authority; `None` if it is not a host, or the scheme fetches nothing.
fn pattern(scheme: &str, authority: &str) -> Option<String> {
    let usual = match scheme {
        "http" => "80",
        "https" => "443",
        "ssh" => "22",
        "git" => "9418",
        _ => return None,
    };
    let (host, port) = authority.rsplit_once(':').unwrap_or((authority, usual));
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let port: u16 = port.parse().ok().filter(|port| *port != 0)?;
    let is_label = |label: &str| {
        let is_inner = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        (1..=63).contains(&label.len())
            && label.chars().all(is_inner)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    if host.len() > 253 || !host.split('.').all(is_label) {
        return None;
    }
    // A host that is not public needs one port.
    let is_public = host.contains('.') && !host.ends_with(|c: char| c.is_ascii_digit());
    Some(if is_public && matches!(port, 80 | 443) { host } else { format!("{host}:{port}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, text: &str, expected: &[&str]) {
        let keys = OF_PROJECT.iter().chain(OF_HOME).find(|(file, _)| *file == name).expect("a file that is read").1;
        assert_eq!(named(text, keys), expected, "{name}: {text}");
    }

    #[test]
    fn lock_files_and_settings_name_hosts() {
        check("Cargo.lock", "source = \"registry+https://github.com/rust-lang/crates.io-index\"", &[]);
        check("Cargo.lock", "source = \"sparse+https://crates.example.org/index/\"", &["crates.example.org"]);
        check("Cargo.lock", "source = \"git+https://git.example.org/a?rev=1#2\"", &["git.example.org"]);
        check(
            "package-lock.json",
            "  \"resolved\": \"https://npm.example.org/a/-/a-1.tgz\",\n  \"url\": \"https://sponsor.example.com\"",
            &["npm.example.org"],
        );
        check("yarn.lock", "  resolved \"https://yarn.example.org/a.tgz#1\"", &["yarn.example.org"]);
        check("pnpm-lock.yaml", "    resolution: {integrity: sha512-x.y==}", &[]);
        check("pnpm-lock.yaml", "    resolution: {tarball: https://x.example.org/a}", &["x.example.org"]);
        check(
            "bun.lock",
            "  \"a\": [\"a@1.2.3\", \"https://b.example.org/a.tgz\", \"sha512-a.b\"],",
            &["b.example.org"],
        );
        check("bun.lock", "  \"lib.dom\": [\"lib.dom@1\", \"\", {}],", &[]);
        check("deno.lock", "  \"https://d.example.org/mod.ts\": \"01\"", &["d.example.org"]);
        check("deno.lock", "  \"npm:a@1.2\": \"1.2.3\"", &[]);
        check("pnpm-lock.yaml", "      tarball: https://x.example.org/a", &["x.example.org"]);
        check(".npmrc", "@a:registry=http://localhost:4873/\nalways-auth=true", &["localhost:4873"]);
        check("uv.lock", "source = { registry = \"https://py.example.org/simple\" }", &["py.example.org"]);
        check("requirements.txt", "-i https://user:pass@py.example.org:8443/simple\nsix", &["py.example.org:8443"]);
        check("requirements.txt", "--extra-index-url=https://two.example.org/", &["two.example.org"]);
        check("Gemfile.lock", "  remote: https://gems.example.org/", &["gems.example.org"]);
        check(
            "gradle/wrapper/gradle-wrapper.properties",
            "distributionUrl=https\\://gradle.example.org/d.zip",
            &["gradle.example.org"],
        );
        check(".git/config", "\turl = git@git.example.org:a/b.git", &["git.example.org:22"]);
        check(".git/config", "\turl = ssh://git@git.example.org:2222/a", &["git.example.org:2222"]);
        check(".git/config", "\turl = ../beside.git", &[]);
        check(
            ".config/go/env",
            "GOPROXY=https://p.example.org,direct\nGOSUMDB=s.example.org",
            &["p.example.org", "s.example.org"],
        );
        check(".m2/settings.xml", "  <url>https://m.example.org/maven2</url>", &["m.example.org"]);
        check("Pipfile.lock", "\"url\": \"https://{a,b}/\"", &[]);
    }

    #[test]
    fn what_is_no_host_becomes_no_rule() {
        for authority in ["", ".", "-a.example", "a..b", "a b", "*.example.org", "{a,b}.org", "x:0", "x:99999", "[::1]"]
        {
            assert_eq!(pattern("https", authority), None, "{authority}");
        }
        assert_eq!(pattern("file", "example.org"), None);
        assert_eq!(pattern("https", "10.0.0.1"), Some("10.0.0.1:443".to_owned()));
    }

    #[test]
    fn each_host_is_named_once_and_the_machine_counts_where_the_project_uses_it() {
        let (project, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let index = home.path().join(".cargo/registry/index/index.example.org-0123abcd");
        std::fs::create_dir_all(&index).unwrap();
        std::fs::write(
            index.join("config.json"),
            r#"{"dl": "https://files.example.org/c", "api": "https://x.example.org"}"#,
        )
        .unwrap();
        std::fs::write(project.path().join("poetry.lock"), "url = \"https://py.example.org/a\"\n".repeat(3)).unwrap();
        let found =
            || found(project.path(), Some(home.path())).into_iter().map(|host| host.pattern).collect::<Vec<_>>();
        assert_eq!(found(), ["py.example.org"]);
        std::fs::write(project.path().join("Cargo.toml"), "").unwrap();
        assert_eq!(found(), ["py.example.org", "index.example.org", "files.example.org"]);
        std::fs::create_dir(project.path().join("yarn.lock")).unwrap();
        std::fs::write(project.path().join("uv.lock"), b"url = \"https://\xff/\"\n").unwrap();
        assert_eq!(found().len(), 3);
    }
}
