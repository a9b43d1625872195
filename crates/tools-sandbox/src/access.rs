//! Read rules: canonical paths inside the roots that must not be read. The roots are in `roots.rs`.

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    os::fd::AsFd as _,
    path::{Component, Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use rustix::fs::{Mode, OFlags};

use crate::{PathError, globs::Globs, open::handle_path};

/// Files that commonly hold secrets: closed unless the configuration says otherwise.
///
/// Globs on canonical absolute paths; a directory closes everything beneath it; `~` is the home
/// directory; a leading `!` makes an exception.
pub const SECRET_PRESET: &[&str] = &[
    "**/.env",
    "**/.env.*",
    "!**/.env.example",
    "!**/.env.sample",
    "!**/.env.template",
    "!**/.env.dist",
    "**/secrets/**",
    // Source code that handles secrets is not secret: a project with such a module must stay
    // buildable.
    "!**/secrets/**/*.{rs,go,java,kt,swift,c,h,cc,cpp,hpp,cs,ts,tsx}",
    "**/.git/config",
    "**/.git-credentials",
    "**/.netrc",
    "**/.npmrc",
    "**/.pypirc",
    "**/.pgpass",
    "**/.htpasswd",
    "**/.vault-token",
    "**/id_{rsa,dsa,ecdsa,ed25519}",
    "**/*.{pem,key,p12,pfx,jks,keystore,kdbx}",
    "~/.ssh",
    "~/.aws",
    "~/.azure",
    "~/.gnupg",
    "~/.kube",
    "~/.docker/config.json",
    "~/.config/gcloud",
    "~/.config/gh/hosts.yml",
    "~/.config/op",
    "~/.cargo/credentials",
    "~/.cargo/credentials.toml",
    "~/.gem/credentials",
    "~/.terraform.d/credentials.tfrc.json",
    "~/.local/share/keyrings",
    "~/.password-store",
    "~/.bash_history",
    "~/.zsh_history",
    // Agents, browsers, messengers, wallets, clouds, databases and package managers each keep their
    // credentials in one place. A pattern for many costs as much as one.
    "~/.{claude,codex,gemini}/{.credentials.json,auth.json,oauth_creds.json,google_accounts.json}",
    "~/.{claude.json,openai,anthropic,huggingface,copilot,aider.conf.yml,continue/config.json,cursor/mcp.json}",
    "~/.local/share/{opencode/auth.json,kwalletd,remmina,TelegramDesktop,com.vercel.cli,fish/fish_history,DBeaverData,evolution}",
    "~/.config/{github-copilot,git/credentials,sops,age,rclone,hub,glab-cli,doctl,hcloud,scw,linode-cli,heroku,netlify,stripe}",
    "~/.config/{configstore,wandb,openai,anthropic,ngrok,argocd,helm,openstack,wrangler,.wrangler,neonctl,pscale,containers/auth.json}",
    "~/.config/{google-chrome*,chromium,BraveSoftware,microsoft-edge*,vivaldi*,opera*,Slack,discord,Signal,Element,teams*}",
    "~/.config/{Bitwarden*,1Password,keepassxc,Exodus,solana,filezilla,remmina,evolution,weechat,composer/auth.json}",
    "~/.{mozilla,thunderbird,pki,gnome2/keyrings,kde/share/apps/kwallet,purple,irssi,weechat,Xauthority,ICEauthority,vnc}",
    "~/snap/{firefox,chromium}",
    "~/Library/{Keychains,Cookies}",
    "~/.{bitcoin,ethereum,electrum,monero,litecoin,dogecoin,zcash,solana,near-credentials}",
    "~/.{oci,bluemix,aliyun,ibmcloud,databrickscfg,snowsql,snowflake,dbt/profiles.yml,kaggle,s3cfg,boto,passwd-s3fs}",
    "~/.{terraformrc,pulumi/credentials.json,fly/config.yml,netlify,vercel,railway,wrangler,supabase,edgerc,ovh.conf,ngrok2,cloudflared}",
    "~/.{minikube,helm,rancher,argocd,jenkins,travis,circleci,vault_pass*,ansible/vault*}",
    "~/.{my.cnf,mylogin.cnf,mysql_history,psql_history,sqlite_history,rediscli_history,python_history,node_repl_history,sh_history,mongorc.js,dbshell}",
    "~/.{gradle/gradle.properties,m2/settings.xml,m2/settings-security.xml,nuget/NuGet/NuGet.Config,nuget/NuGet.Config,composer/auth.json,bundle/config}",
    "~/.{pip/pip.conf,config/pip/pip.conf,yarnrc.yml,condarc,sbt/.credentials,ivy2/.credentials,lein/credentials.clj,hex/hex.config,gitlab-token}",
    "~/.{msmtprc,mbsyncrc,offlineimaprc,fetchmailrc,esmtprc,mutt,cvspass,subversion/auth,wgetrc,curlrc,lftp,smbcredentials,davfs2}",
    "~/.cache/huggingface/{token,stored_tokens}",
    // A command run as root could read these. The `-` files are their previous versions.
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/sudoers",
    "/etc/security/opasswd",
    "/etc/ssh/ssh_host_*_key",
    "/etc/ssl/private",
    "/etc/pki/tls/private",
    "/etc/letsencrypt",
    "/etc/wireguard",
    "/etc/krb5.keytab",
    "/etc/NetworkManager/system-connections",
    "/proc/*/environ",
    "/proc/*/mem",
];

/// Rules for reading paths: deny before allow.
///
/// ```
/// use std::path::Path;
/// use tools_sandbox::ReadRules;
///
/// let rules = ReadRules::compile(None, &[], Path::new("/w"), Some(Path::new("/home/me")))?;
/// assert!(rules.denies(Path::new("/w/app/.env")));
/// assert!(rules.denies(Path::new("/home/me/.ssh/id_ed25519")));
/// assert!(!rules.denies(Path::new("/w/app/.env.example")));
/// # Ok::<(), tools_sandbox::PathError>(())
/// ```
#[derive(Debug, Clone)]
pub struct ReadRules {
    deny: Arc<Globs>,
    except: Arc<Globs>,
    allow: Option<Arc<Globs>>,
    closed: Arc<[PathBuf]>,
    others: Option<Others>,
}

/// Additional closed paths, determined by other code for each path separately.
#[derive(Clone)]
struct Others(Arc<dyn Fn(&Path) -> bool + Send + Sync>);

impl fmt::Debug for Others {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Others")
    }
}

/// State of the rules at a directory of a walk, so that each path is checked once and not again for
/// each ancestor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scope {
    denied: bool,
    allowed: bool,
    /// Closed by other code, which may leave paths below open.
    closed_here: bool,
}

impl Scope {
    /// Whether reading is closed here.
    pub fn is_closed(self) -> bool {
        self.denied || !self.allowed || self.closed_here
    }

    /// Whether everything below is closed too, so that a walk can skip the directory.
    pub fn is_sealed(self) -> bool {
        self.denied
    }
}

impl ReadRules {
    /// Compiles the two lists.
    ///
    /// `deny`: `None` means [`SECRET_PRESET`], an empty list closes nothing, and a list of
    /// exceptions only applies them to the preset. A non-empty `allow` closes everything it does
    /// not name. Globs are matched on canonical absolute paths: `~` is `home`, a pattern written
    /// through a symbolic link also matches the link's target, a relative `deny` pattern applies in
    /// every directory and a relative `allow` pattern below `base`.
    ///
    /// # Errors
    /// [`PathError::Glob`] for the first invalid glob: skipping a rule would leave a hole.
    pub fn compile(
        deny: Option<&[String]>,
        allow: &[String],
        base: &Path,
        home: Option<&Path>,
    ) -> Result<Self, PathError> {
        let is_typed = deny.is_some();
        let (deny, is_preset): (Vec<&str>, bool) = match deny {
            Some(list) if list.is_empty() || list.iter().any(|glob| !glob.starts_with('!')) => {
                (list.iter().map(String::as_str).collect(), false)
            }
            exceptions => {
                let exceptions = exceptions.into_iter().flatten().map(String::as_str);
                (SECRET_PRESET.iter().copied().chain(exceptions).collect(), true)
            }
        };
        let (except, deny): (Vec<&str>, Vec<&str>) = deny.into_iter().partition(|glob| glob.starts_with('!'));
        let everywhere = Path::new("**");
        let deny = glob_set(deny.into_iter(), everywhere, home);
        let except = glob_set(except.into_iter().map(|glob| &glob[1..]), everywhere, home);
        Ok(Self {
            // A test compiles the preset, which is a constant.
            deny: if is_preset { deny } else { checked(deny)? },
            except: if is_typed { checked(except)? } else { except },
            allow: match allow {
                [] => None,
                list => Some(checked(glob_set(list.iter().map(String::as_str), base, home))?),
            },
            closed: Arc::default(),
            others: None,
        })
    }

    /// The rules of an empty configuration, for the given home directory.
    pub fn preset(home: Option<&Path>) -> Self {
        Self::compile(None, &[], Path::new("/"), home).expect("the preset is a constant that a test compiles")
    }

    /// No rules at all.
    pub fn unrestricted() -> Self {
        Self { deny: Arc::default(), except: Arc::default(), allow: None, closed: Arc::default(), others: None }
    }

    /// Also closes `places`: canonical files, and folders with all their contents.
    pub fn closing(self, places: &[PathBuf]) -> Self {
        Self { closed: self.closed.iter().chain(places).cloned().collect(), ..self }
    }

    /// Also closes every canonical path for which `denies` returns true.
    pub fn closing_where(self, denies: Arc<dyn Fn(&Path) -> bool + Send + Sync>) -> Self {
        Self { others: Some(Others(denies)), ..self }
    }

    /// Whether nothing is closed.
    pub fn is_unrestricted(&self) -> bool {
        self.deny.is_empty() && self.allow.is_none() && self.closed.is_empty() && self.others.is_none()
    }

    /// Whether reading the canonical absolute `path` is refused.
    pub fn denies(&self, path: &Path) -> bool {
        self.scope(path).is_closed()
    }

    /// Whether all entries of the canonical absolute `folder` are closed whatever their names,
    /// apart from names opened by exceptions.
    pub fn closes_below(&self, folder: &Path) -> bool {
        // A name that only a wildcard matches.
        const ANY: &str = "\u{1}";
        self.scope(&folder.join(ANY)).is_sealed()
    }

    /// The state of the rules at the canonical absolute `path`.
    pub fn scope(&self, path: &Path) -> Scope {
        let mut scope = Scope { denied: false, allowed: self.allow.is_none(), closed_here: false };
        if self.is_unrestricted() {
            return scope;
        }
        let mut ancestors: Vec<&Path> = path.ancestors().collect();
        ancestors.reverse();
        for ancestor in ancestors {
            scope = self.below(scope, ancestor);
        }
        scope
    }

    /// The state of the rules at `path`, given their state at its parent.
    pub fn below(&self, parent: Scope, path: &Path) -> Scope {
        Scope {
            denied: parent.denied
                || self.closed.iter().any(|place| place == path)
                || (self.deny.is_match(path) && !self.except.is_match(path)),
            allowed: parent.allowed || self.allow.as_ref().is_some_and(|allow| allow.is_match(path)),
            closed_here: self.others.as_ref().is_some_and(|others| (others.0)(path)),
        }
    }
}

/// Maximum number of cached glob lists: a process compiles the same few rules for each of its
/// parts.
const KEPT_SETS: usize = 8;

/// The most recently used ones.
static KEPT: Mutex<VecDeque<Arc<Globs>>> = Mutex::new(VecDeque::new());

fn glob_set<'a>(globs: impl Iterator<Item = &'a str>, base: &Path, home: Option<&Path>) -> Arc<Globs> {
    // Most patterns begin with the same few folders.
    let mut found = HashMap::new();
    let patterns: Vec<_> = globs.map(|glob| (glob.to_owned(), spellings(glob, base, home, &mut found))).collect();
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(globs) = kept.iter().find(|globs| globs.patterns == patterns) {
        return Arc::clone(globs);
    }
    let globs = Arc::new(Globs::new(patterns));
    kept.truncate(KEPT_SETS - 1);
    kept.push_front(Arc::clone(&globs));
    globs
}

/// Returns the globs if all of them are valid.
fn checked(globs: Arc<Globs>) -> Result<Arc<Globs>, PathError> {
    globs.check()?;
    Ok(globs)
}

/// The absolute patterns that one configured glob stands for.
fn spellings(glob: &str, base: &Path, home: Option<&Path>, found: &mut Found) -> Vec<String> {
    let glob = glob.strip_prefix("./").unwrap_or(glob);
    let glob = if glob.len() > 1 { glob.strip_suffix('/').unwrap_or(glob) } else { glob };
    let absolute = match (glob.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            format!("{}{rest}", globset::escape(&home.to_string_lossy()))
        }
        // Without a home directory, apply it everywhere: closing too much is the safe side.
        (Some(rest), None) if rest.starts_with('/') => format!("**{rest}"),
        _ if glob.starts_with('/') || glob.starts_with("**") => glob.to_string(),
        _ if base == Path::new("**") => format!("**/{glob}"),
        _ => format!("{}/{glob}", globset::escape(&base.to_string_lossy())),
    };
    let canonical = canonical_prefix(&absolute, found);
    let mut patterns = vec![absolute];
    patterns.extend(canonical);
    patterns
}

/// Canonical paths of places; `None` for places that do not exist.
type Found = HashMap<PathBuf, Option<PathBuf>>;

/// The pattern with its literal beginning replaced by the canonical path, if links make them
/// differ.
fn canonical_prefix(pattern: &str, known: &mut Found) -> Option<String> {
    let mut literal = PathBuf::from("/");
    let mut components = Path::new(pattern).components().peekable();
    if components.next() != Some(Component::RootDir) {
        return None;
    }
    while let Some(Component::Normal(name)) = components.peek() {
        let text = name.to_str()?;
        if text.contains(['*', '?', '[', '{', '\\']) {
            break;
        }
        literal.push(name);
        components.next();
    }
    let rest: PathBuf = components.collect();
    let (existing, found) = existing(&literal, known)?;
    if found == existing {
        return None;
    }
    let tail = literal.strip_prefix(existing).ok()?.join(rest);
    Some(format!("{}/{}", globset::escape(found.to_str()?), tail.to_str()?).trim_end_matches('/').to_string())
}

/// The deepest existing part of a place and its canonical path; missing parts keep their spelling.
/// Each folder is looked up once: most places lie in the same few folders.
fn existing<'a>(place: &'a Path, known: &mut Found) -> Option<(&'a Path, PathBuf)> {
    place.ancestors().find_map(|ancestor| {
        if let Some(found) = known.get(ancestor) {
            return found.clone().map(|found| (ancestor, found));
        }
        let handle = rustix::fs::open(ancestor, OFlags::PATH | OFlags::CLOEXEC, Mode::empty());
        let found = handle.ok().and_then(|handle| handle_path(handle.as_fd()));
        known.insert(ancestor.to_owned(), found.clone());
        found.map(|found| (ancestor, found))
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt as _;

    use super::*;

    fn list(globs: &[&str]) -> Vec<String> {
        globs.iter().map(ToString::to_string).collect()
    }

    fn check(deny: Option<&[&str]>, allow: &[&str], path: &str, denied: bool) {
        let deny = deny.map(list);
        let rules =
            ReadRules::compile(deny.as_deref(), &list(allow), Path::new("/w"), Some(Path::new("/home/me"))).unwrap();
        assert_eq!(rules.denies(Path::new(path)), denied, "{deny:?} {allow:?} {path}");
    }

    #[test]
    fn preset_closes_secret_files_and_leaves_examples_open() {
        for path in [
            "/w/.env",
            "/w/a/b/.env.production",
            "/w/secrets/x/y",
            "/etc/shadow-",
            "/etc/ssh/ssh_host_ed25519_key",
            "/etc/ssl/private/a.conf",
            "/w/.git/config",
            "/home/me/.ssh/id_rsa",
            "/home/me/.ssh/config",
            "/home/me/.aws/credentials",
            "/w/deploy/id_ed25519",
            "/w/tls/server.key",
            "/proc/1/environ",
        ] {
            check(None, &[], path, true);
        }
        for path in
            ["/w/.env.example", "/w/.env.sample", "/w/.env.template", "/w/src/env.rs", "/w/.git/HEAD", "/w/secrets.md"]
        {
            check(None, &[], path, false);
        }
    }

    #[test]
    fn the_same_patterns_are_compiled_once() {
        let compile = |home: &str| ReadRules::compile(None, &[], Path::new("/w"), Some(Path::new(home))).unwrap();
        let (first, again, other) = (compile("/home/once"), compile("/home/once"), compile("/home/other"));
        assert!(Arc::ptr_eq(&first.deny, &again.deny) && Arc::ptr_eq(&first.except, &again.except));
        assert!(!Arc::ptr_eq(&first.deny, &other.deny));
        assert!(!other.denies(Path::new("/home/once/.ssh/id")) && other.denies(Path::new("/home/other/.ssh/id")));
    }

    #[test]
    fn deny_comes_before_allow_and_allow_closes_the_rest() {
        check(Some(&["/w/a/*"]), &["/w/a/*"], "/w/a/x", true);
        check(Some(&[]), &["/w/a/*"], "/w/a/x", false);
        check(Some(&[]), &["/w/a/*"], "/w/b/x", true);
        check(Some(&[]), &["a/*"], "/w/a/x", false);
        check(Some(&[]), &["/w/a"], "/w/a/b/c", false);
        check(Some(&[]), &[], "/w/.env", false);
    }

    #[test]
    fn globs_are_matched_component_by_component() {
        check(Some(&["/w/secret/*"]), &[], "/w/secret/k", true);
        check(Some(&["/w/secret/*"]), &[], "/w/secret", false);
        check(Some(&["/w/*.txt"]), &[], "/w/a/b.txt", false);
        check(Some(&["/w/**/*.txt"]), &[], "/w/a/b.txt", true);
        check(Some(&["secret"]), &[], "/w/deep/secret/k", true);
        check(Some(&["~/x"]), &[], "/home/me/x/y", true);
        check(Some(&["/w/{a,b}/"]), &[], "/w/b/c", true);
        check(Some(&["*", "!/w", "!/"]), &[], "/w/x", true);
    }

    #[test]
    fn wildcards_stand_for_characters_and_an_alternative_may_be_empty() {
        for glob in ["geheim-?.txt", "geheim-[äö].txt", "geheim-[!a].txt", "geheim-[ß-ü].txt", "**/geheim-ä{,.bak}.txt"]
        {
            check(Some(&[glob]), &[], "/w/geheim-ä.txt", true);
            check(Some(&[glob]), &[], "/w/geheim-.txt", false);
            check(Some(&[glob]), &[], "/w/geheim-ää.txt", false);
        }
        check(Some(&["secret{,.bak}"]), &[], "/w/secret", true);
        check(Some(&["secret{,.bak}"]), &[], "/w/secret.bak/x", true);
        check(Some(&["secret{,.bak}"]), &[], "/w/secret.", false);
        let bytes = |name: &[u8]| PathBuf::from(std::ffi::OsStr::from_bytes(name));
        let rules = ReadRules::compile(Some(&list(&["a?c", "x*z"])), &[], Path::new("/w"), None).unwrap();
        assert!(rules.denies(&bytes(b"/w/a\xffc")) && rules.denies(&bytes(b"/w/x\xffz")));
        assert!(!rules.denies(&bytes(b"/w/a\xff\xffc")));
    }

    #[test]
    fn a_closed_place_is_opened_by_no_rule() {
        let open = ["!/home/me/state/own/**".to_owned(), "!/home/me/state/own".to_owned()];
        for rules in [
            ReadRules::unrestricted(),
            ReadRules::compile(Some(&open), &["/home/**".to_owned()], Path::new("/w"), None).unwrap(),
        ] {
            let rules = rules.closing(&[PathBuf::from("/home/me/state/own")]);
            for (path, expected) in
                [("state/own", true), ("state/own/a/b", true), ("state/owner", false), ("state", false)]
            {
                assert_eq!(rules.denies(&Path::new("/home/me").join(path)), expected, "{path}");
            }
        }
    }

    #[test]
    fn a_glob_that_is_not_valid_is_an_error() {
        for glob in ["[", "a{b", ""] {
            let error = ReadRules::compile(Some(&list(&[glob])), &[], Path::new("/w"), None).unwrap_err();
            assert!(matches!(&error, PathError::Glob { glob: named, .. } if named == glob), "{error}");
            assert!(ReadRules::compile(None, &list(&[glob]), Path::new("/w"), None).is_err());
        }
    }

    #[test]
    fn a_glob_through_a_symbolic_link_means_what_the_link_leads_to() {
        let dir = tempfile::tempdir().unwrap();
        let real = std::fs::canonicalize(dir.path()).unwrap();
        std::fs::create_dir(real.join("root")).unwrap();
        std::os::unix::fs::symlink("root", real.join("link")).unwrap();
        let glob = format!("{}/link/secret/*", real.display());
        let rules = ReadRules::compile(Some(&[glob]), &[], &real, None).unwrap();
        assert!(rules.denies(&real.join("root/secret/k")));
        assert!(rules.denies(&real.join("link/secret/k")));
        assert!(!rules.denies(&real.join("root/open/k")));
    }
}
