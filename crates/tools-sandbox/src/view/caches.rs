//! Cache folders of package managers, and the places that commands use instead.

use std::{ffi::OsString, path::Path};

use super::{grants::Grants, surroundings::Surroundings, value::Link};

/// One place where package managers write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CachePlace {
    /// Its path in a home.
    pub home: &'static str,
    /// Its path in the cache folder of a workspace.
    pub own: &'static str,
    /// The variable that sets another place for it; empty if there is none.
    pub variable: &'static str,
    /// Whether it is a file.
    pub is_file: bool,
}

const fn folder(home: &'static str, own: &'static str, variable: &'static str) -> CachePlace {
    CachePlace { home, own, variable, is_file: false }
}

const fn file(home: &'static str, own: &'static str) -> CachePlace {
    CachePlace { home, own, variable: "", is_file: true }
}

/// Without it pnpm puts its store into the workspace, which cannot be hard-linked from the caches.
const PNPM_STORE: &str = "pnpm_config_store_dir";

/// All cache places.
pub const CACHES: &[CachePlace] = &[
    folder(".cache", "xdg", "XDG_CACHE_HOME"),
    folder(".cargo/registry", "cargo/registry", ""),
    folder(".cargo/git", "cargo/git", ""),
    file(".cargo/.package-cache", "cargo/.package-cache"),
    file(".cargo/.package-cache-mutate", "cargo/.package-cache-mutate"),
    file(".cargo/.global-cache", "cargo/.global-cache"),
    folder(".npm", "npm", "npm_config_cache"),
    folder(".node-gyp", "node-gyp", ""),
    folder(".local/share/pnpm/store", "pnpm/store", PNPM_STORE),
    folder(".local/state/pnpm", "pnpm/state", ""),
    folder(".yarn/berry", "yarn/berry", ""),
    folder(".yarn-cache", "yarn/cache", ""),
    folder(".bun/install/cache", "bun", "BUN_INSTALL_CACHE_DIR"),
    folder("go/pkg", "go/pkg", ""),
    folder(".gradle", "gradle", "GRADLE_USER_HOME"),
    folder(".konan", "konan", "KONAN_DATA_DIR"),
    folder(".m2/repository", "m2/repository", ""),
    folder(".m2/wrapper", "m2/wrapper", ""),
    folder(".ivy2", "ivy2", ""),
    folder(".sbt", "sbt", ""),
    folder(".nuget", "nuget", ""),
    folder(".local/share/NuGet", "nuget-share", ""),
    folder(".bundle", "bundle", "BUNDLE_USER_HOME"),
    folder(".composer/cache", "composer", "COMPOSER_CACHE_DIR"),
    folder(".cabal/packages", "cabal", ""),
    folder(".pub-cache", "pub", "PUB_CACHE"),
    folder(".hex", "hex", "HEX_HOME"),
    folder(".mix", "mix", "MIX_HOME"),
    folder(".terraform.d/plugin-cache", "terraform", ""),
    folder(".elixir_ls", "elixir", ""),
    folder(".ccache", "ccache", "CCACHE_DIR"),
];

/// Caches inside the places above that have a variable of their own: variable and path.
const INNER: [(&str, &str); 13] = [
    ("PIP_CACHE_DIR", "xdg/pip"),
    ("UV_CACHE_DIR", "xdg/uv"),
    ("GOCACHE", "xdg/go-build"),
    ("GOMODCACHE", "go/pkg/mod"),
    ("YARN_CACHE_FOLDER", "xdg/yarn"),
    ("npm_config_store_dir", "pnpm/store"),
    ("NUGET_PACKAGES", "nuget/packages"),
    ("COREPACK_HOME", "xdg/node/corepack"),
    ("DENO_DIR", "xdg/deno"),
    ("SCCACHE_DIR", "xdg/sccache"),
    ("PRE_COMMIT_HOME", "xdg/pre-commit"),
    ("RUFF_CACHE_DIR", "xdg/ruff"),
    ("MYPY_CACHE_DIR", "xdg/mypy"),
];
/// Variables of [`INNER`] that are always set where no link leads to the caches, even if the user
/// does not set them.
const USUAL: [&str; 4] = ["PIP_CACHE_DIR", "UV_CACHE_DIR", "GOCACHE", "GOMODCACHE"];

/// Ways in which package managers find the caches of a workspace.
#[derive(Debug, Default)]
pub(super) struct CacheRoutes {
    pub(super) links: Vec<Link>,
    pub(super) variables: Vec<(String, OsString)>,
    pub(super) variables_without_links: Vec<(String, OsString)>,
}

/// Directs package managers to `caches`: by links if the home is concealed, otherwise by variables.
/// A place that the user configured in a writable folder stays.
pub(super) fn route_to_caches(
    grants: &mut Grants<'_>,
    around: &Surroundings,
    cargo: Option<&Path>,
    caches: &Path,
) -> CacheRoutes {
    let mut led = CacheRoutes::default();
    let mut is_cargo_led = true;
    for place in CACHES {
        let own = caches.join(place.own);
        let usual = place.home.strip_prefix(".cargo/").map_or_else(
            || around.home().map(|home| home.join(place.home)),
            |inner| cargo.map(|cargo| cargo.join(inner)),
        );
        let at = usual.as_ref().and_then(|usual| grants.place(usual)).filter(|at| !grants.leads_to_seen(at));
        let is_linked = at.is_some();
        led.links.extend(at.map(|at| Link { at, to: own.clone() }));
        is_cargo_led &= is_linked || !place.home.starts_with(".cargo/");
        if place.variable.is_empty() {
            continue;
        }
        let named = around.named(place.variable);
        if named.as_ref().is_some_and(|named| grants.is_seen(named)) {
            continue;
        }
        led.variables_without_links.push((place.variable.to_owned(), own.clone().into()));
        let is_compared = place.variable == PNPM_STORE;
        if !is_linked || is_compared || named.is_some_and(|named| usual.as_ref() != Some(&named)) {
            led.variables.push((place.variable.to_owned(), own.into()));
        }
    }
    let is_home_led = !led.variables.iter().any(|(name, _)| name == "XDG_CACHE_HOME");
    for (name, own) in INNER {
        let named = around.named(name);
        if named.as_ref().is_some_and(|named| grants.is_seen(named)) {
            continue;
        }
        let variable = (name.to_owned(), caches.join(own).into_os_string());
        if named.is_some() || USUAL.contains(&name) {
            led.variables_without_links.push(variable.clone());
        }
        if named.is_some() || (!is_home_led && USUAL.contains(&name)) {
            led.variables.push(variable);
        }
    }
    if !cargo.is_some_and(|cargo| grants.is_seen(cargo) && around.named("CARGO_HOME").is_some()) {
        let variable = ("CARGO_HOME".to_owned(), caches.join("cargo").into_os_string());
        led.variables_without_links.push(variable.clone());
        if !is_cargo_led {
            led.variables.push(variable);
        }
    }
    led
}
