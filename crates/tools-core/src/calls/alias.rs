//! The table of alternative tool names: names from elsewhere that models, rules and configurations
//! use.

/// Another name of a tool.
struct Alias {
    /// In lower case.
    other: &'static str,
    here: &'static str,
    /// Whether this is a former name of the tool in Haft: then it means the tool whatever tools
    /// exist.
    former: bool,
}

const fn elsewhere(other: &'static str, here: &'static str) -> Alias {
    Alias { other, here, former: false }
}

const ALIASES: &[Alias] = &[
    Alias { other: "glob", here: "find_path", former: true },
    elsewhere("cat", "read"),
    elsewhere("copy", "copy_path"),
    elsewhere("copy_file", "copy_path"),
    elsewhere("cp", "copy_path"),
    elsewhere("create_dir", "create_directory"),
    elsewhere("create_file", "write"),
    elsewhere("delete", "delete_path"),
    elsewhere("delete_file", "delete_path"),
    elsewhere("edit_file", "edit"),
    elsewhere("exec", "bash"),
    elsewhere("execute", "bash"),
    elsewhere("execute_command", "bash"),
    elsewhere("fetch_url", "fetch"),
    elsewhere("file_search", "find_path"),
    elsewhere("find", "find_path"),
    elsewhere("find_files", "find_path"),
    elsewhere("grep_search", "grep"),
    elsewhere("list", "list_directory"),
    elsewhere("list_dir", "list_directory"),
    elsewhere("list_files", "list_directory"),
    elsewhere("ls", "list_directory"),
    elsewhere("make_directory", "create_directory"),
    elsewhere("mkdir", "create_directory"),
    elsewhere("move", "move_path"),
    elsewhere("move_file", "move_path"),
    elsewhere("mv", "move_path"),
    elsewhere("read_file", "read"),
    elsewhere("remove", "delete_path"),
    elsewhere("rename", "move_path"),
    elsewhere("rg", "grep"),
    elsewhere("ripgrep", "grep"),
    elsewhere("rm", "delete_path"),
    elsewhere("run_command", "bash"),
    elsewhere("run_shell_command", "bash"),
    elsewhere("search", "grep"),
    elsewhere("search_file_content", "grep"),
    elsewhere("shell", "bash"),
    elsewhere("str_replace", "edit"),
    elsewhere("terminal", "bash"),
    elsewhere("view", "read"),
    elsewhere("web_fetch", "fetch"),
    elsewhere("webfetch", "fetch"),
    elsewhere("write_file", "write"),
];

/// The tool that an unknown name means: the tool of this name in lower case, or the aliased one.
/// `is_tool` says which tools exist. `None` if the name means none of them or is itself a tool.
pub fn resolve_alias(name: &str, is_tool: impl Fn(&str) -> bool) -> Option<String> {
    if is_tool(name) {
        return None;
    }
    let lower = name.to_ascii_lowercase();
    if is_tool(&lower) {
        return Some(lower);
    }
    built_in_tool(&lower).filter(|here| is_tool(here)).map(str::to_owned)
}

/// The built-in tool that other programs call by this name, whether or not it is present; `None`
/// for its own name and for unknown names.
pub fn built_in_tool(name: &str) -> Option<&'static str> {
    ALIASES.iter().find(|alias| alias.other.eq_ignore_ascii_case(name)).map(|alias| alias.here)
}

/// The current name of a tool by its former name in Haft; other aliases are not considered.
pub fn todays_name(name: &str) -> &str {
    ALIASES.iter().find(|alias| alias.former && alias.other == name).map_or(name, |alias| alias.here)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_means_a_tool_only_where_no_tool_has_it() {
        let check = |name: &str, tools: &[&str], expected: Option<&str>| {
            let found = resolve_alias(name, |tool| tools.contains(&tool));
            assert_eq!(found.as_deref(), expected, "{name} {tools:?}");
        };
        check("shell", &["bash", "grep"], Some("bash"));
        check("search", &["bash", "grep"], Some("grep"));
        check("search", &["search", "grep"], None);
        check("Bash", &["bash"], Some("bash"));
        check("LS", &["list_directory"], Some("list_directory"));
        check("find", &["bash"], None);
        check("bash", &["bash"], None);
        check("kubectl", &["bash"], None);
        assert_eq!((todays_name("glob"), todays_name("find"), todays_name("read")), ("find_path", "find", "read"));
    }

    #[test]
    fn the_table_has_each_name_once_and_leads_to_no_alias() {
        for pair in ALIASES[1..].windows(2) {
            assert!(pair[0].other < pair[1].other, "{}", pair[1].other);
        }
        for alias in ALIASES {
            assert!(ALIASES.iter().all(|other| other.other != alias.here), "{}", alias.here);
            assert_eq!(alias.other, alias.other.to_ascii_lowercase());
        }
    }
}
