//! Definitions of real crates against what `syn` finds in them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::json;
use syn::visit::Visit;
use tools_code::IndexConfig;

use crate::folder::{Folder, call};

type Places = BTreeMap<String, BTreeSet<(String, u64)>>;

struct Definitions<'a> {
    file: &'a str,
    places: &'a mut Places,
}

impl Definitions<'_> {
    fn add(&mut self, name: &syn::Ident) {
        let line = name.span().start().line as u64;
        let name = name.to_string();
        let name = name.trim_start_matches("r#").to_owned();
        self.places.entry(name).or_default().insert((self.file.to_owned(), line));
    }
}

macro_rules! visit_named {
    ($($method:ident $node:ident $($field:ident).+;)*) => {
        impl<'ast> Visit<'ast> for Definitions<'_> {
            $(fn $method(&mut self, node: &'ast syn::$node) {
                self.add(&node.$($field).+);
                syn::visit::$method(self, node);
            })*

            fn visit_item_macro(&mut self, node: &'ast syn::ItemMacro) {
                if let Some(name) = &node.ident {
                    self.add(name);
                }
            }
        }
    };
}

visit_named! {
    visit_item_fn ItemFn sig.ident;
    visit_impl_item_fn ImplItemFn sig.ident;
    visit_trait_item_fn TraitItemFn sig.ident;
    visit_item_struct ItemStruct ident;
    visit_item_enum ItemEnum ident;
    visit_variant Variant ident;
    visit_item_union ItemUnion ident;
    visit_item_trait ItemTrait ident;
    visit_item_type ItemType ident;
    visit_trait_item_type TraitItemType ident;
    visit_impl_item_type ImplItemType ident;
    visit_item_mod ItemMod ident;
    visit_item_const ItemConst ident;
    visit_impl_item_const ImplItemConst ident;
    visit_trait_item_const TraitItemConst ident;
    visit_item_static ItemStatic ident;
    visit_foreign_item_fn ForeignItemFn sig.ident;
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        match entry.file_type().unwrap() {
            kind if kind.is_dir() => rust_files(&entry.path(), found),
            kind if kind.is_file() && entry.path().extension().is_some_and(|end| end == "rs") => {
                found.push(entry.path());
            }
            _ => {}
        }
    }
}

/// The sources of a dependency of this crate, which are there wherever it is built.
fn sources(package: &str) -> Option<PathBuf> {
    let home =
        std::env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| Some(std::env::home_dir()?.join(".cargo")))?;
    let registries = std::fs::read_dir(home.join("registry/src")).ok()?;
    let packages =
        registries.filter_map(Result::ok).filter_map(|registry| std::fs::read_dir(registry.path()).ok()).flatten();
    let own = packages.filter_map(Result::ok).map(|entry| entry.path()).filter(|path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.strip_prefix(package)
            .and_then(|rest| rest.strip_prefix('-'))
            .is_some_and(|rest| rest.starts_with(|one: char| one.is_ascii_digit()))
    });
    own.max()
}

/// Parts of two crates: recall of the first hit, and how many hits are definitions.
#[tokio::test(flavor = "multi_thread")]
async fn definitions_of_real_crates_are_those_that_syn_finds() {
    for package in ["globset", "regex-automata"] {
        let Some(sources) = sources(package) else {
            eprintln!("skipped: the sources of {package} are not on this machine");
            continue;
        };
        let folder = Folder::new(&sources);
        let (mut files, mut places) = (Vec::new(), Places::new());
        rust_files(&folder.root.join("src"), &mut files);
        for path in &files {
            let file = path.strip_prefix(&folder.root).unwrap().to_str().unwrap();
            let parsed = syn::parse_file(&std::fs::read_to_string(path).unwrap()).unwrap();
            Definitions { file, places: &mut places }.visit_file(&parsed);
        }
        let stack = folder.stack(&IndexConfig { max_file_bytes: 8 * 1024 * 1024, ..IndexConfig::default() });
        let (mut first, mut right, mut shown) = (0_usize, 0_usize, 0_usize);
        let mut missed = Vec::new();
        for (name, expected) in &places {
            let params = json!({"kind": "definition", "query": name, "path": "src", "limit": 50});
            let Ok(output) = call(&stack, &folder.root, params).await else {
                missed.push(name);
                continue;
            };
            let hits = output.raw_response.unwrap()["hits"].as_array().unwrap().clone();
            let found: Vec<(String, u64)> = hits
                .iter()
                .map(|hit| (hit["path"].as_str().unwrap().to_owned(), hit["line"].as_u64().unwrap()))
                .collect();
            match found.first() {
                Some(place) if expected.contains(place) => first += 1,
                _ => missed.push(name),
            }
            shown += found.len();
            right += found.iter().filter(|place| expected.contains(place)).count();
        }
        #[expect(clippy::cast_precision_loss, reason = "counts of names")]
        let (recall, precision) = (first as f64 / places.len() as f64, right as f64 / shown as f64);
        println!(
            "{package}: {} names, recall@1 {recall:.4}, precision {precision:.4}, missed {missed:?}",
            places.len()
        );
        assert!(places.len() > 100, "{package}: {}", places.len());
        assert!(recall >= 0.98, "{package}: recall@1 {recall}, missed {missed:?}");
        assert!(precision >= 0.98, "{package}: precision {precision}");
    }
}
