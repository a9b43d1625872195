//! Finds toolchains: by `PATH`, by the usual variables, and by the places of version managers in a
//! home. Grants only programs and their files: a folder that also holds credentials is granted in
//! parts.

use std::path::{Path, PathBuf};

use super::{
    grants::{By, Grants},
    surroundings::Surroundings,
};

/// Maximum number of programs per `PATH` folder whose links are followed.
const MAX_PROGRAMS: usize = 1000;

/// Location of a toolchain: the folder that the variable names, otherwise this place in the home.
struct Toolchain {
    name: &'static str,
    variable: &'static str,
    home: &'static str,
    /// Granted parts of that folder; empty for all of it.
    parts: &'static [&'static str],
}

const fn all(name: &'static str, variable: &'static str, home: &'static str) -> Toolchain {
    Toolchain { name, variable, home, parts: &[] }
}

const fn parts(
    name: &'static str,
    variable: &'static str,
    home: &'static str,
    parts: &'static [&'static str],
) -> Toolchain {
    Toolchain { name, variable, home, parts }
}

const TOOLCHAINS: &[Toolchain] = &[
    parts("cargo", "CARGO_HOME", ".cargo", &["bin", "env"]),
    all("rustup", "RUSTUP_HOME", ".rustup"),
    all("nvm", "NVM_DIR", ".nvm"),
    all("fnm", "FNM_DIR", ".local/share/fnm"),
    all("fnm", "", ".fnm"),
    all("Volta", "VOLTA_HOME", ".volta"),
    all("nodenv", "NODENV_ROOT", ".nodenv"),
    parts("n", "N_PREFIX", "n", &["bin", "lib", "include", "share"]),
    parts("npm's own programs", "NPM_CONFIG_PREFIX", ".npm-global", &["bin", "lib"]),
    parts("pnpm", "PNPM_HOME", ".local/share/pnpm", &["pnpm", "pnpx", "bin", "global", "nodejs", ".tools"]),
    parts("yarn", "", ".yarn", &["bin", "releases", "sdks"]),
    parts("Bun", "BUN_INSTALL", ".bun", &["bin", "install/global"]),
    parts("Deno", "DENO_INSTALL", ".deno", &["bin"]),
    all("pyenv", "PYENV_ROOT", ".pyenv"),
    all("conda", "CONDA_PREFIX", "miniconda3"),
    all("conda", "", "anaconda3"),
    all("conda", "", "miniforge3"),
    all("conda", "", "mambaforge"),
    all("conda", "MAMBA_ROOT_PREFIX", "micromamba"),
    all("a virtual environment", "VIRTUAL_ENV", ""),
    all("programs of uv", "UV_PYTHON_INSTALL_DIR", ".local/share/uv/python"),
    all("programs of uv", "UV_TOOL_DIR", ".local/share/uv/tools"),
    all("pipx", "PIPX_HOME", ".local/share/pipx"),
    all("pipx", "", ".local/pipx"),
    all("Pipenv", "WORKON_HOME", ".local/share/virtualenvs"),
    all("packages of Python and others", "", ".local/lib"),
    all("poetry", "POETRY_HOME", ".local/share/pypoetry/venv"),
    all("mise", "MISE_DATA_DIR", ".local/share/mise"),
    all("rtx", "RTX_DATA_DIR", ".local/share/rtx"),
    all("asdf", "ASDF_DATA_DIR", ".asdf"),
    all("asdf", "ASDF_DIR", ""),
    all("proto", "PROTO_HOME", ".proto"),
    parts("pixi", "PIXI_HOME", ".pixi", &["bin", "envs"]),
    all("Go", "GOROOT", "go/go"),
    parts("Go", "GOPATH", "go", &["bin"]),
    all("Go", "", "sdk"),
    all("goenv", "GOENV_ROOT", ".goenv"),
    all("Java", "JAVA_HOME", ""),
    all("Java", "", ".jdks"),
    all("jenv", "JENV_ROOT", ".jenv"),
    all("SDKMAN", "SDKMAN_DIR", ".sdkman"),
    all("Maven", "MAVEN_HOME", ""),
    all("Maven", "M2_HOME", ""),
    all("Gradle", "GRADLE_HOME", ""),
    all("Android SDK", "ANDROID_HOME", "Android/Sdk"),
    all("Android SDK", "ANDROID_SDK_ROOT", ""),
    all("rbenv", "RBENV_ROOT", ".rbenv"),
    all("RVM", "", ".rvm"),
    parts("gems", "GEM_HOME", ".gem", &["ruby", "bin", "gems", "specifications", "extensions"]),
    all("gems", "", ".local/share/gem"),
    all("phpenv", "PHPENV_ROOT", ".phpenv"),
    all(".NET", "DOTNET_ROOT", ".dotnet"),
    parts("ghcup", "GHCUP_INSTALL_BASE_PREFIX", ".ghcup", &["bin", "ghc", "env"]),
    parts("Cabal", "", ".cabal", &["bin", "store"]),
    parts("Stack", "STACK_ROOT", ".stack", &["programs", "snapshots"]),
    all("opam", "OPAMROOT", ".opam"),
    all("elan", "ELAN_HOME", ".elan"),
    all("juliaup", "", ".juliaup"),
    parts("Julia", "", ".julia", &["juliaup", "bin"]),
    all("Flutter", "FLUTTER_ROOT", "flutter"),
    all("CUDA", "CUDA_HOME", ""),
    all("Homebrew", "HOMEBREW_PREFIX", ".linuxbrew"),
    all("Nix", "", ".nix-profile"),
    all("Nix", "", ".local/state/nix/profiles"),
    all("browsers of Playwright", "PLAYWRIGHT_BROWSERS_PATH", ""),
];

/// Variables that list folders of libraries or modules.
const LISTS: [&str; 8] = [
    "PYTHONPATH",
    "NODE_PATH",
    "LD_LIBRARY_PATH",
    "LIBRARY_PATH",
    "CPATH",
    "PKG_CONFIG_PATH",
    "CMAKE_PREFIX_PATH",
    "GEM_PATH",
];
/// Variables that name files or folders that programs only read.
const FILES: [&str; 13] = [
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "CURL_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    "GIT_SSL_CAINFO",
    "GIT_SSL_CAPATH",
    "PIP_CERT",
    "PIP_CONSTRAINT",
    "CARGO_HTTP_CAINFO",
    "NIX_SSL_CERT_FILE",
    "AWS_CA_BUNDLE",
    "CMAKE_TOOLCHAIN_FILE",
];

/// Grants the files of toolchains.
pub(super) fn grant(grants: &mut Grants<'_>, around: &Surroundings) {
    for toolchain in TOOLCHAINS {
        let named = around.named(toolchain.variable).filter(|_| !toolchain.variable.is_empty());
        let usual = around.home().filter(|_| !toolchain.home.is_empty()).map(|home| home.join(toolchain.home));
        let is_named = named.is_some();
        for folder in named.into_iter().chain(usual) {
            let why = if is_named {
                format!("{}, named by `{}` or at its usual place", toolchain.name, toolchain.variable)
            } else {
                toolchain.name.to_owned()
            };
            if toolchain.parts.is_empty() {
                grants.add(&folder, &why, By::Discovery);
            }
            for part in toolchain.parts {
                grants.add(&folder.join(part), &why, By::Discovery);
            }
        }
    }
    for (list, folder) in LISTS.iter().flat_map(|list| around.list(list).into_iter().map(move |folder| (list, folder)))
    {
        grants.add(&folder, &format!("named by `{list}`"), By::Discovery);
    }
    for name in FILES {
        if let Some(path) = around.named(name) {
            grants.add(&path, &format!("named by `{name}`"), By::Discovery);
        }
    }
    for folder in around.list("PATH") {
        grant_folder_of_programs(grants, &folder, "`PATH`");
    }
    if let Some(home) = around.home() {
        grant_folder_of_programs(grants, &home.join(".local/bin"), "programs of the user");
    }
}

/// Grants a folder of programs with the installation around it, if there is one, and the targets of
/// its links.
fn grant_folder_of_programs(grants: &mut Grants<'_>, folder: &Path, why: &str) {
    let Some(real) = grants.real(folder) else { return };
    let around = installation(&real)
        .filter(|root| grants.add(root, &format!("the installation that {why} leads to"), By::Discovery));
    if around.is_some() {
        // The folder itself may be reached through links.
        grants.add(folder, why, By::Discovery);
        return;
    }
    if !grants.add(folder, why, By::Discovery) {
        return;
    }
    let entries = std::fs::read_dir(&real).into_iter().flatten().flatten().take(MAX_PROGRAMS);
    let links: Vec<PathBuf> = entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()))
        .map(|entry| entry.path())
        .collect();
    for link in links {
        let Some(found) = grants.follow(&link) else { continue };
        if grants.is_seen(&found.real) || grants.is_open(&found) {
            continue;
        }
        let target = found.real;
        let why = format!("a program that {why} leads to");
        let is_granted = program_of(&target).is_some_and(|root| grants.add(&root, &why, By::Discovery));
        if !is_granted {
            grants.add(&target, &why, By::Discovery);
        }
        grants.add(&link, &why, By::Discovery);
    }
}

/// The installation whose programs lie in `folder`: the parent of a `bin` with libraries beside it.
/// A repository is work and not an installation.
fn installation(folder: &Path) -> Option<PathBuf> {
    let root = folder.parent()?;
    let is_bin = folder.file_name().is_some_and(|name| name == "bin");
    let has_libraries = ["lib", "lib64", "libexec", "share", "conda-meta"].iter().any(|name| root.join(name).is_dir());
    (is_bin && has_libraries && !root.join(".git").exists()).then(|| root.to_owned())
}

/// The files needed by a program outside the folders of programs.
fn program_of(file: &Path) -> Option<PathBuf> {
    let modules = file.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == "node_modules"));
    if let Some(modules) = modules {
        return Some(modules.to_owned());
    }
    let folder = file.parent()?;
    installation(folder).or_else(|| (!folder.join(".git").exists()).then(|| folder.to_owned()))
}
