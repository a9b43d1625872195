//! Finds skills in the folders of the user and of the project.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::{Skill, SkillError, skill::is_circle};

/// Maximum number of skills in a folder.
const MAX_SKILLS: usize = 500;

/// Owner of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The user's own.
    User,
    /// From the project: it is used only after somebody agreed to it.
    Project,
}

/// A folder that holds folders of skills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The folder; it may not exist.
    pub folder: PathBuf,
    /// Owner of its skills.
    pub origin: Origin,
}

/// A folder in which a skill is expected.
#[derive(Debug)]
pub struct SkillFolder {
    /// The folder.
    pub folder: PathBuf,
    /// Its owner.
    pub origin: Origin,
    /// The skill, or why there is none.
    pub skill: Result<Skill, SkillError>,
    /// Whether a later one with the same name replaces it.
    pub shadowed: bool,
}

/// The usual places in order: a skill of a later one replaces one with its name. `extra` are the
/// configured folders, which belong to the user.
pub fn places(home: Option<&Path>, workdir: &Path, extra: &[PathBuf]) -> Vec<Place> {
    let user = |folder: PathBuf| Place { folder, origin: Origin::User };
    let project = |name: &str| Place { folder: workdir.join(name), origin: Origin::Project };
    let usual = home.into_iter().flat_map(|home| [home.join(".agents/skills"), home.join(".haft/skills")]);
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let project_folder = real(workdir);
    let named = extra.iter().map(|folder| workdir.join(folder)).map(|folder| {
        // Anything inside the project belongs to it, whoever names it, and by whatever path.
        let is_project = folder.starts_with(workdir) || real(&folder).starts_with(&project_folder);
        let origin = if is_project { Origin::Project } else { Origin::User };
        Place { folder, origin }
    });
    let of_project = [".agents/skills", ".haft/skills", ".claude/skills"].map(project);
    usual.map(user).chain(named).chain(of_project).collect()
}

/// Finds skills. Folders without a `SKILL.md` are skipped.
pub fn discover(places: &[Place]) -> Vec<SkillFolder> {
    let mut all: Vec<SkillFolder> = vec![];
    let mut seen: Vec<PathBuf> = vec![];
    for place in places {
        let Ok(entries) = std::fs::read_dir(&place.folder) else { continue };
        let mut folders: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
        folders.sort();
        for folder in folders.into_iter().take(MAX_SKILLS) {
            let has_file = ["SKILL.md", "skill.md"].iter().any(|name| folder.join(name).symlink_metadata().is_ok());
            let circles = folder.metadata().is_err_and(|error| is_circle(&error));
            if !has_file && !circles {
                continue;
            }
            // A folder found under two names is one skill, with the least trusted owner.
            if let Ok(canonical) = folder.canonicalize() {
                if seen.contains(&canonical) {
                    continue;
                }
                seen.push(canonical);
            }
            let skill = Skill::read(&folder);
            all.push(SkillFolder { folder, origin: place.origin, skill, shadowed: false });
        }
    }
    shadow(&mut all);
    all
}

fn shadow(all: &mut [SkillFolder]) {
    let mut last: BTreeMap<String, usize> = BTreeMap::new();
    for (index, found) in all.iter().enumerate() {
        if let Ok(skill) = &found.skill {
            last.insert(skill.name.clone(), index);
        }
    }
    for (index, found) in all.iter_mut().enumerate() {
        found.shadowed = found.skill.as_ref().is_ok_and(|skill| last.get(&skill.name) != Some(&index));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_in_the_project_is_the_projects_by_whatever_path() {
        let folder = tempfile::tempdir().unwrap();
        let (workdir, link) = (folder.path().join("ws"), folder.path().join("link"));
        std::fs::create_dir_all(workdir.join("sk")).unwrap();
        std::os::unix::fs::symlink(&workdir, &link).unwrap();
        let of = |named: PathBuf| {
            let all = places(None, &workdir, std::slice::from_ref(&named));
            all.into_iter().find(|place| place.folder == workdir.join(&named)).unwrap().origin
        };
        assert_eq!(of(link.join("sk")), Origin::Project);
        assert_eq!(of("sk".into()), Origin::Project);
        assert_eq!(of(folder.path().join("ws/../ws/sk")), Origin::Project);
        assert_eq!(of(folder.path().to_owned()), Origin::User);
    }
}
