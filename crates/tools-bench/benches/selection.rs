//! How well and how fast tools are found for a query, and how calls are held to their definitions:
//! on the functions and questions of a public collection, which is fetched as a Python package.
//! Without `pip` or a network the part that needs it is skipped and says so.
#![expect(clippy::disallowed_methods, reason = "starts pip and python to fetch and unpack what is measured on")]

use std::collections::{BTreeSet, HashMap};
use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tools_bench::{Times, timed};
use tools_catalog::{ParameterCheck, ToolRegistry};
use tools_core::{SessionId, ToolDef, ToolErrorCategory, ToolKind, ToolName, ToolTraits, estimate_tokens};
use tools_embed::FolderModel;
use tools_graph::{
    Bm25, EmbeddingScorer, FusedScorer, Grams, ListSettings, Query, Scorer, SessionLists, ToolFilterConfig,
    ToolSchemaFilter,
};

const PACKAGE: &str = "bfcl-eval==2026.3.23";
/// A package that brings a small static model.
const MODEL: &str = "wordllama==0.4.0.post1";
/// Functions in other languages than Python, whose parameters are written in another way.
const LEFT_OUT: &[&str] = &["simple_java", "simple_javascript"];
/// The parts whose questions are asked: each names several functions and needs one or more of them.
const QUESTION_PARTS: &[&str] = &["multiple", "live_multiple"];
const CUTS: [usize; 4] = [1, 5, 10, 20];

type BenchError = Box<dyn Error>;

fn main() -> Result<(), BenchError> {
    let made_up: Vec<_> = (0..100_000).map(made_up).collect();
    report_speed("made-up tools", &made_up[..2_500], "list the pull requests of a repository");
    report_speed("made-up tools", &made_up, "list the pull requests of a repository");
    report_start(&made_up[..5_000]);
    let folder = tempfile::tempdir()?;
    match fetch(&folder, PACKAGE) {
        Ok(()) => {
            let data = folder.path().join("bfcl_eval/data");
            let model = model(&folder).map_err(|error| println!("SKIPPED: the static model: {error}")).ok();
            report_collection(&data, model).and_then(|()| report_checks(&data))
        }
        Err(error) => {
            println!("SKIPPED: recall on the public collection: {error}");
            Ok(())
        }
    }
}

/// A tool of a catalogue: names and texts repeat as those of real ones do.
fn made_up(number: usize) -> Arc<ToolDef> {
    let verbs = ["get", "list", "create", "delete", "update", "search", "merge", "assign"];
    let nouns = ["issue", "pull_request", "repository", "user", "file", "branch", "comment", "invoice", "ticket"];
    let (verb, noun) = (verbs[number % verbs.len()], nouns[number / verbs.len() % nouns.len()]);
    let text = format!("Will {verb} one {noun} of the service number {number} and tell what came of it.");
    let schema = serde_json::json!({"type": "object", "properties": {
        format!("{noun}_id"): {"type": "string", "description": format!("Which {noun} it is about.")},
        "page": {"type": "integer", "description": "Where to go on, from 1."},
    }});
    definition(&format!("{verb}_{noun}_{number}"), text, schema)
}

fn definition(name: &str, description: String, schema: Value) -> Arc<ToolDef> {
    let fits = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let name: String = name.chars().map(fits).take(64).collect();
    let name = ToolName::parse(&name).expect("only characters that fit are left");
    let schema = serde_json::from_value(schema).unwrap_or_default();
    Arc::new(ToolDef::new(name, description, schema, ToolKind::Other, ToolTraits::CAUTIOUS))
}

fn report_speed(what: &str, tools: &[Arc<ToolDef>], query: &str) {
    let before = resident();
    let begun = Instant::now();
    let scorer = Bm25::new(tools);
    let built = begun.elapsed();
    let bytes = resident().saturating_sub(before) / tools.len().max(1);
    let config = ToolFilterConfig { enabled: true, ..ToolFilterConfig::default() };
    let filter = ToolSchemaFilter::new(&config.compile().expect("the defaults compile"), Arc::new(scorer));
    let mut times = Times::default();
    for _ in 0..21 {
        times.push(timed(|| black_box(filter.filter(tools, &Query::new(query)))).0);
    }
    let selection = times.median();
    println!("{} {what}: index {built:.1?}, about {bytes} bytes a tool; selection {selection:.2?} p50", tools.len());
}

/// What a start with many tools from elsewhere costs: their definitions taken in, and the first
/// list.
fn report_start(tools: &[Arc<ToolDef>]) {
    let mut times = Times::default();
    for _ in 0..11 {
        let list = || {
            let (registry, _) = ToolRegistry::new(tools);
            let lists = SessionLists::new(ListSettings { search_above: 40, ..ListSettings::default() });
            black_box(lists.shown(&SessionId::generate(), registry.definitions()));
        };
        times.push(timed(list).0);
    }
    println!("{} tools taken in and the first list: {:.1?} p50", tools.len(), times.median());
}

/// The bytes of this process that are in memory.
fn resident() -> usize {
    let text = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).unwrap_or_default() * 4096
}

/// Fetches a Python package and unpacks it into the folder.
fn fetch(folder: &TempDir, package: &str) -> Result<(), BenchError> {
    let run = |arguments: &[&str]| -> Result<(), BenchError> {
        let output = Command::new("python3").args(arguments).current_dir(folder.path()).output()?;
        if output.status.success() {
            return Ok(());
        }
        Err(format!("`python3 {}`: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr).trim()).into())
    };
    run(&["-m", "pip", "download", "--quiet", "--no-deps", "--dest", ".", package])?;
    run(&["-c", "import glob, zipfile; [zipfile.ZipFile(wheel).extractall('.') for wheel in glob.glob('*.whl')]"])
}

/// A static model, in the form of a folder.
fn model(folder: &TempDir) -> Result<FolderModel, BenchError> {
    fetch(folder, MODEL)?;
    let made = folder.path().join("model");
    fs::create_dir(&made)?;
    let package = folder.path().join("wordllama");
    fs::copy(package.join("weights/l2_supercat_256.safetensors"), made.join("model.safetensors"))?;
    fs::copy(package.join("tokenizers/l2_supercat_tokenizer_config.json"), made.join("tokenizer.json"))?;
    Ok(FolderModel::at(made)?)
}

struct Collection {
    tools: Vec<Arc<ToolDef>>,
    /// The function's own name, by the name of the tool.
    functions: HashMap<ToolName, String>,
    /// Each question with the functions that answer it.
    questions: Vec<(String, BTreeSet<String>)>,
}

fn report_collection(data: &Path, model: Option<FolderModel>) -> Result<(), BenchError> {
    let Collection { tools, functions, questions } = read(data)?;
    println!("{} functions, {} questions", tools.len(), questions.len());
    let words: Arc<dyn Scorer> = Arc::new(Bm25::new(&tools));
    let fused: Arc<dyn Scorer> = Arc::new(FusedScorer::new(vec![Arc::clone(&words), Arc::new(Grams::new(&tools))]));
    let mut ways = vec![("words", Arc::clone(&words)), ("words and pieces, fused", fused)];
    if let Some(model) = model {
        let begun = Instant::now();
        let meaning: Arc<dyn Scorer> = Arc::new(EmbeddingScorer::new(&tools, Arc::new(model)));
        println!("vectors of a static model for {} functions: {:.1?}", tools.len(), begun.elapsed());
        let pieces: Arc<dyn Scorer> = Arc::new(Grams::new(&tools));
        let all = FusedScorer::new(vec![Arc::clone(&words), pieces, Arc::clone(&meaning)]);
        ways.extend([("meaning", meaning), ("words, pieces and meaning, fused", Arc::new(all) as Arc<dyn Scorer>)]);
    }
    for (name, scorer) in &ways {
        let mut found = [0_u32; CUTS.len()];
        for (text, wanted) in &questions {
            let scores = scorer.score(text).ok_or("words judge every question")?;
            let mut scores: Vec<_> = scores.iter().filter(|(_, score)| *score > 0.0).collect();
            scores.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
            let place = scores.iter().position(|(tool, _)| wanted.contains(&functions[*tool]));
            for (count, cut) in found.iter_mut().zip(CUTS) {
                *count += u32::from(place.is_some_and(|place| place < cut));
            }
        }
        let total = f64::from(u32::try_from(questions.len())?);
        let shares: Vec<_> = found.iter().map(|&count| format!("{:.3}", f64::from(count) / total)).collect();
        println!("{name}: recall at 1, 5, 10, 20: {}", shares.join(" "));
    }
    report_speed("functions of the collection", &tools, &questions[0].0);
    report_tokens(&tools, &words, &questions)
}

/// What the definitions of a request cost, with all tools and with the best ten.
fn report_tokens(
    tools: &[Arc<ToolDef>],
    scorer: &Arc<dyn Scorer>,
    questions: &[(String, BTreeSet<String>)],
) -> Result<(), BenchError> {
    let cost =
        |tool: &ToolDef| estimate_tokens(&format!("{} {} {}", tool.name, tool.description, tool.input.as_value()));
    let costs: HashMap<&ToolName, usize> = tools.iter().map(|tool| (&tool.name, cost(tool))).collect();
    let config = ToolFilterConfig { enabled: true, ..ToolFilterConfig::default() }.compile()?;
    let filter = ToolSchemaFilter::new(&config, Arc::clone(scorer));
    let asked = questions.iter().step_by(25);
    let chosen: usize = asked
        .clone()
        .map(|(text, _)| filter.filter(tools, &Query::new(text)).included.keys().map(|tool| costs[tool]).sum::<usize>())
        .sum();
    let mean = chosen / asked.count().max(1);
    println!(
        "definitions: {} tokens with all tools, {mean} with what a question selects",
        costs.values().sum::<usize>()
    );
    Ok(())
}

fn read(data: &Path) -> Result<Collection, BenchError> {
    let mut files: Vec<_> = fs::read_dir(data)?.filter_map(Result::ok).map(|entry| entry.path()).collect();
    files.sort();
    let part = |path: &Path| Some(path.file_stem()?.to_str()?.strip_prefix("BFCL_v4_")?.to_owned());
    let mut seen = BTreeSet::new();
    let mut collection = Collection { tools: vec![], functions: HashMap::new(), questions: vec![] };
    for path in &files {
        let Some(part) = part(path).filter(|part| !LEFT_OUT.contains(&part.as_str())) else { continue };
        for row in rows(path).unwrap_or_default() {
            for function in row["function"].as_array().into_iter().flatten() {
                let text = |key: &str| function[key].as_str().unwrap_or_default().to_owned();
                let (name, description) = (text("name"), text("description"));
                if !name.is_empty() && seen.insert((name.clone(), description.clone())) {
                    // Functions of one name and different descriptions are different tools.
                    let unique = format!("{}_{}", name.chars().take(56).collect::<String>(), seen.len());
                    let tool = definition(&unique, description, function["parameters"].clone());
                    collection.functions.insert(tool.name.clone(), name);
                    collection.tools.push(tool);
                }
            }
        }
        if QUESTION_PARTS.contains(&part.as_str()) {
            let answers = rows(&data.join("possible_answer").join(path.file_name().unwrap_or_default()))?;
            let answers: HashMap<String, BTreeSet<String>> = answers.iter().map(answer).collect();
            for row in rows(path)? {
                let id = row["id"].as_str().unwrap_or_default();
                let wanted = answers.get(id).cloned().unwrap_or_default();
                collection.questions.push((question(&row), wanted));
            }
        }
    }
    Ok(collection)
}

fn rows(path: &Path) -> Result<Vec<Value>, BenchError> {
    Ok(fs::read_to_string(path)?.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

fn answer(row: &Value) -> (String, BTreeSet<String>) {
    let truths = row["ground_truth"].as_array().into_iter().flatten().filter_map(Value::as_object);
    let names = truths.flat_map(|truth| truth.keys().cloned()).collect();
    (row["id"].as_str().unwrap_or_default().to_owned(), names)
}

/// What the user says in all turns.
fn question(row: &Value) -> String {
    let turns = row["question"].as_array().into_iter().flatten().filter_map(Value::as_array).flatten();
    let said = turns.filter(|message| message["role"] == "user").filter_map(|message| message["content"].as_str());
    said.collect::<Vec<_>>().join(" ")
}

/// How the collection's own calls, and calls that were made wrong, meet the definitions.
fn report_checks(data: &Path) -> Result<(), BenchError> {
    let (mut right, mut accepted) = (0_u32, 0_u32);
    // By what was made wrong: how many, and how many were refused in the right category.
    let mut wrong = [("type", 0_u32, 0_u32), ("missing", 0, 0), ("unknown", 0, 0)];
    let (mut compiling, mut checking, mut checked) = (Duration::ZERO, Duration::ZERO, 0_u32);
    for part in ["simple_python", "multiple", "parallel", "parallel_multiple"] {
        let file = format!("BFCL_v4_{part}.json");
        let answers = rows(&data.join("possible_answer").join(&file))?;
        let truths: HashMap<&str, &Value> =
            answers.iter().filter_map(|row| Some((row["id"].as_str()?, &row["ground_truth"]))).collect();
        for row in rows(&data.join(&file))? {
            let Some(truth) = row["id"].as_str().and_then(|id| truths.get(id)) else { continue };
            for (name, values) in truth.as_array().into_iter().flatten().filter_map(Value::as_object).flatten() {
                let mut functions = row["function"].as_array().into_iter().flatten();
                let Some(function) = functions.find(|function| function["name"] == **name) else { continue };
                let schema = json_schema(&function["parameters"]);
                let begun = Instant::now();
                let check = ParameterCheck::compile(&definition("x", String::new(), schema.clone()))?;
                compiling += begun.elapsed();
                let call = call(values, &schema);
                right += 1;
                let begun = Instant::now();
                let outcome = check.check(&call);
                (checking, checked) = (checking + begun.elapsed(), checked + 1);
                accepted += u32::from(outcome.is_ok());
                for (kind, (call, category)) in wrong.iter_mut().zip(mutations(&call, &schema)) {
                    let Some(call) = call else { continue };
                    kind.1 += 1;
                    kind.2 += u32::from(check.check(&call).is_err_and(|error| error.category() == category));
                }
            }
        }
    }
    println!("calls of the collection accepted: {accepted} of {right}");
    for (kind, made, refused) in wrong {
        println!("made wrong ({kind}) and refused in the right category: {refused} of {made}");
    }
    println!(
        "a check: {:.2?} to compile, {:.2?} for a right call, in the mean",
        compiling / right.max(1),
        checking / checked.max(1)
    );
    Ok(())
}

/// The collection's types in the words of JSON Schema, with nothing allowed that is not named.
fn json_schema(schema: &Value) -> Value {
    let Some(map) = schema.as_object() else { return schema.clone() };
    let mut made = Map::new();
    for (keyword, value) in map {
        match (keyword.as_str(), value) {
            ("type", Value::String(name)) => {
                let name = match name.as_str() {
                    "dict" => "object",
                    "float" => "number",
                    "tuple" => "array",
                    "any" => continue,
                    other => other,
                };
                made.insert("type".to_owned(), name.into());
            }
            ("properties", Value::Object(properties)) => {
                let below = properties.iter().map(|(name, schema)| (name.clone(), json_schema(schema)));
                made.insert("properties".to_owned(), Value::Object(below.collect()));
                made.insert("additionalProperties".to_owned(), false.into());
            }
            ("items", items) => {
                made.insert("items".to_owned(), json_schema(items));
            }
            ("required", _) => {
                made.insert(keyword.clone(), value.clone());
            }
            _ => {}
        }
    }
    Value::Object(made)
}

/// The first answer for each parameter. An empty text means that the parameter may be left out; for
/// a required parameter the next answer is taken.
fn call(values: &Value, schema: &Value) -> Value {
    let Some(values) = values.as_object() else { return Value::Null };
    let is_required = |name: &str| schema["required"].as_array().is_some_and(|names| names.iter().any(|n| n == name));
    let of = |name: &str, listed: &Value| {
        let fits = |value: &&Value| !(is_required(name) && **value == "");
        let value = listed.as_array().map_or(Some(listed), |list| list.iter().find(fits));
        let value = value.cloned().unwrap_or_default();
        let schema = &schema["properties"][name];
        match (value, schema["type"].as_str()) {
            (Value::Object(map), Some("object")) => call(&Value::Object(map), schema),
            (Value::Array(items), Some("array")) if schema["items"]["type"] == "object" => {
                items.iter().map(|item| call(item, &schema["items"])).collect()
            }
            (value, _) => value,
        }
    };
    let given = values.iter().map(|(name, listed)| (name.clone(), of(name, listed)));
    Value::Object(given.filter(|(_, value)| value != "").collect())
}

/// The call with a value of another type, without one that is required, and with one that is not
/// known.
fn mutations(call: &Value, schema: &Value) -> [(Option<Value>, ToolErrorCategory); 3] {
    let typed = schema["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .find(|(name, schema)| schema.get("type").is_some() && call.get(name.as_str()).is_some());
    let other = typed.map(|(name, schema)| {
        let mut call = call.clone();
        call[name] = if schema["type"] == "string" { json!([7]) } else { json!("seven") };
        call
    });
    let required = schema["required"].as_array().and_then(|names| names.first()?.as_str());
    let missing = required.map(|name| {
        let mut call = call.clone();
        if let Some(map) = call.as_object_mut() {
            map.remove(name);
        }
        call
    });
    let mut unknown = call.clone();
    unknown["no_such_parameter"] = 1.into();
    [
        (other, ToolErrorCategory::TypeMismatch),
        (missing, ToolErrorCategory::InvalidParameters),
        (Some(unknown), ToolErrorCategory::InvalidParameters),
    ]
}
