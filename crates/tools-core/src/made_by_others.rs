//! Folders that are passed over when a workspace is looked through for projects and own files.

const FOLDERS: [&str; 7] = ["node_modules", "vendor", "third_party", "target", "dist", "build", "venv"];

/// Whether folders of this name hold what others made or a build left, by a custom of some
/// language.
pub fn is_made_by_others(folder_name: &str) -> bool {
    FOLDERS.contains(&folder_name)
}
