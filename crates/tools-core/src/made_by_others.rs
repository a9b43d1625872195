//! Folders that are skipped when a workspace is searched for projects and own files.

const FOLDERS: [&str; 7] = ["node_modules", "vendor", "third_party", "target", "dist", "build", "venv"];

/// Whether folders of this name hold third-party code or build output, by a custom of some
/// language.
pub fn is_made_by_others(folder_name: &str) -> bool {
    FOLDERS.contains(&folder_name)
}
