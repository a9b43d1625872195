//! Computes a view from the surroundings and a request.

use std::path::{Path, PathBuf};

use crate::below::below_any;

use super::{
    caches::route_to_caches,
    concealed::concealed,
    grants::{By, Grants},
    repository::belonging,
    surroundings::Surroundings,
    toolchains,
    value::{ConcealedFolder, GrantedPath, SubstituteFile, View},
};

/// Maximum depth of the search for credentials in folders granted to toolchains: they lie beside
/// the programs.
const DEPTH: usize = 2;
/// Maximum number of entries examined per folder.
const MAX_BESIDE: usize = 500;

/// Request for a view.
pub struct ViewRequest<'a> {
    /// The folders that processes may write, canonical.
    pub writable: &'a [PathBuf],
    /// Further readable places, each with its reason.
    pub further: &'a [(PathBuf, String)],
    /// Whether the read rules deny a path.
    pub denies: &'a dyn Fn(&Path) -> bool,
    /// Copies that are shown in place of the user's files.
    pub handed_in: Vec<SubstituteFile>,
    /// The cache folder, which exists, and places shown read-only inside it.
    pub caches: Option<(PathBuf, Vec<GrantedPath>)>,
}

impl std::fmt::Debug for ViewRequest<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ViewAsk")
            .field("writable", &self.writable)
            .field("further", &self.further)
            .finish_non_exhaustive()
    }
}

/// System folders with keys of unknown names.
const SEARCHED: [&str; 1] = ["/etc/ssh"];

impl View {
    /// Examines the machine and computes the view. Takes some hundred file system calls.
    pub fn discover(around: &Surroundings, ask: ViewRequest<'_>) -> Self {
        let explicit: Vec<PathBuf> = ask.further.iter().filter_map(|(path, _)| path.canonicalize().ok()).collect();
        let cargo = around.cargo_home();
        let outside = cargo.as_ref().filter(|_| ask.caches.is_some()).and_then(|cargo| cargo.canonicalize().ok());
        let outside = outside.filter(|_| around.named("CARGO_HOME").is_some());
        let outside = outside.map(|path| ConcealedFolder { path, why: "where cargo keeps its files".to_owned() });
        let concealed = concealed(around, outside, ask.writable, &explicit);
        let mut grants = Grants::new(&concealed, &around.homes, ask.writable, ask.denies);
        let (mut searched, mut read_only_git) = (Vec::new(), Vec::new());
        for (path, why) in ask.further {
            grants.add(path, why, By::Configuration);
            let real = path.canonicalize().ok();
            searched.extend(real.filter(|real| grants.granted.iter().any(|granted| granted.path == *real)));
        }
        for belongs in ask.writable.iter().flat_map(|root| belonging(root, ask.writable, around)) {
            // A git path named by a file of the workspace counts only if git itself could have
            // created it.
            let is_gits = belongs.is_tree || belongs.path.join("HEAD").is_file() || belongs.path.ends_with("objects");
            let by = if belongs.is_tree { By::Configuration } else { By::Discovery };
            if !is_gits || !grants.add(&belongs.path, belongs.why, by) {
                continue;
            }
            if belongs.is_tree {
                searched.push(belongs.path);
            } else if belongs.is_written {
                let real = belongs.path.canonicalize().ok().filter(|real| !below_any(real, ask.writable));
                read_only_git.extend(real.filter(|real| !below_any(real, &read_only_git)));
            }
        }
        searched.extend(SEARCHED.iter().map(PathBuf::from).filter(|folder| folder.is_dir()));
        // A home that is visible as a whole contains files that must not be read.
        let is_open = |home: &&PathBuf| explicit.iter().any(|open| home.starts_with(open)) && !grants.is_seen(home);
        let homes: Vec<PathBuf> = around.homes.iter().filter(is_open).cloned().collect();
        searched.extend(homes);
        let by_hand = grants.granted.len();
        toolchains::grant(&mut grants, around);
        let mut closed = Vec::new();
        for granted in grants.granted.iter().skip(by_hand) {
            credentials_beside(&granted.source, DEPTH, ask.denies, &mut closed);
        }
        let handed_in = ask.handed_in.into_iter().filter_map(|copy| {
            let path = grants.place(&copy.path)?;
            Some(SubstituteFile { path, ..copy })
        });
        let handed_in = handed_in.collect();
        let mut view = Self { handed_in, closed, searched, read_only_git, ..Self::default() };
        if let Some((caches, shown)) = ask.caches {
            let led = route_to_caches(&mut grants, around, cargo.as_deref(), &caches);
            let is_concealed = concealed.iter().any(|concealed| caches.starts_with(&concealed.path));
            view.links.extend(led.links);
            view.variables = led.variables;
            view.variables_without_links = led.variables_without_links;
            // Without concealment, they could only be shown to all programs.
            grants.granted.extend(shown.into_iter().filter(|_| is_concealed));
            view.caches = Some(caches);
        }
        view.granted = grants.granted;
        view.granted.sort_by(|a, b| a.path.cmp(&b.path));
        view.links.extend(grants.links);
        view.concealed = concealed;
        view
    }
}

/// Lists paths that the rules deny in a folder and slightly below: a toolchain keeps its
/// credentials beside its programs. Certificates are named like keys, but are needed.
fn credentials_beside(folder: &Path, depth: usize, denies: &dyn Fn(&Path) -> bool, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten().take(MAX_BESIDE) {
        let path = entry.path();
        let is_certificate = path.extension().is_some_and(|end| end == "pem" || end == "crt");
        if !is_certificate && denies(&path) {
            found.push(path);
        } else if depth > 1 && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            credentials_beside(&path, depth - 1, denies, found);
        }
    }
}
