//! What is sent to the server and what is read of its answers: pure functions.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tools_core::hex;

use crate::vectors::{Chunk, ChunkIndexError, ChunkSpace, FileChunks, NearPassage};

/// Counted up when passages are made in another way: what lies in a collection fits none of them.
const FORMAT: &str = "1";

/// The collection of a model: its vectors have a length of their own.
pub(super) fn collection(prefix: &str, model: &str) -> String {
    let digest = hex(&Sha256::digest(format!("{FORMAT}\n{model}")));
    format!("{prefix}_{}", &digest[..16])
}

/// The identifier of a point: the same passage of the same file is the same point.
fn id(workspace: &str, file: &str, number: u32) -> String {
    let digest = hex(&Sha256::digest(format!("{workspace}\0{file}\0{number}")));
    let part = |from: usize, to: usize| &digest[from..to];
    format!("{}-{}-{}-{}-{}", part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32))
}

/// A digest, as it is stored: numbers of JSON are not exact beyond 53 bits.
fn shown(digest: u64) -> String {
    format!("{digest:016x}")
}

fn in_workspace(space: &ChunkSpace) -> Value {
    json!({"key": "workspace", "match": {"value": space.workspace}})
}

/// The points of files, in requests of at most `most` each. The first point of a file, by which it
/// is known to be stored, comes last.
pub(super) fn upserts(space: &ChunkSpace, files: &[FileChunks], most: usize) -> Vec<Value> {
    let point = |file: &FileChunks, chunk: &Chunk, is_head: bool| {
        json!({
            "id": id(&space.workspace, &file.file, chunk.number),
            "vector": chunk.vector,
            "payload": {
                "workspace": space.workspace,
                "file": file.file,
                "digest": shown(file.digest),
                "head": is_head,
                "number": chunk.number,
                "first": chunk.first,
                "last": chunk.last,
            },
        })
    };
    let points: Vec<Value> = files
        .iter()
        .flat_map(|file| file.chunks.iter().enumerate().rev().map(move |(at, chunk)| point(file, chunk, at == 0)))
        .collect();
    points.chunks(most).map(|points| json!({"points": points})).collect()
}

/// Everything of files but what has the digests that they have now.
pub(super) fn outdated(space: &ChunkSpace, files: &[FileChunks]) -> Value {
    let names: Vec<&str> = files.iter().map(|file| file.file.as_str()).collect();
    let digests: Vec<String> = files.iter().map(|file| shown(file.digest)).collect();
    json!({"filter": {
        "must": [in_workspace(space), {"key": "file", "match": {"any": names}}],
        "must_not": [{"key": "digest", "match": {"any": digests}}],
    }})
}

/// Everything of files.
pub(super) fn of_files(space: &ChunkSpace, files: &[String]) -> Value {
    json!({"filter": {"must": [in_workspace(space), {"key": "file", "match": {"any": files}}]}})
}

/// A page of the files of a space.
pub(super) fn page(space: &ChunkSpace, limit: usize, offset: Option<&Value>) -> Value {
    let mut page = json!({
        "filter": {"must": [in_workspace(space), {"key": "head", "match": {"value": true}}]},
        "limit": limit,
        "with_payload": ["file", "digest"],
        "with_vector": false,
    });
    if let Some(offset) = offset {
        page["offset"] = offset.clone();
    }
    page
}

/// The question for what is near a vector.
pub(super) fn question(space: &ChunkSpace, vector: &[f32], limit: usize) -> Value {
    json!({
        "query": vector,
        "filter": {"must": [in_workspace(space)]},
        "limit": limit,
        "with_payload": true,
        "with_vector": false,
    })
}

fn points(result: &Value) -> Result<&Vec<Value>, ChunkIndexError> {
    result["points"].as_array().ok_or(ChunkIndexError::Malformed)
}

/// The files of a page, and where the next one begins.
pub(super) fn read_page(result: &Value, files: &mut BTreeMap<String, u64>) -> Result<Option<Value>, ChunkIndexError> {
    for point in points(result)? {
        let payload = &point["payload"];
        let digest = payload["digest"].as_str().and_then(|text| u64::from_str_radix(text, 16).ok());
        // Points without our payload were stored by another program.
        if let (Some(file), Some(digest)) = (payload["file"].as_str(), digest) {
            files.insert(file.to_owned(), digest);
        }
    }
    Ok(Some(result["next_page_offset"].clone()).filter(|offset| !offset.is_null()))
}

/// The points that an answer names; those that are none of ours are left out.
pub(super) fn read_near(result: &Value) -> Result<Vec<NearPassage>, ChunkIndexError> {
    let number = |payload: &Value, key: &str| payload[key].as_u64().and_then(|number| u32::try_from(number).ok());
    let near = |point: &Value| {
        let payload = &point["payload"];
        #[expect(clippy::cast_possible_truncation, reason = "a cosine")]
        let score = point["score"].as_f64()? as f32;
        Some(NearPassage {
            file: payload["file"].as_str()?.to_owned(),
            digest: u64::from_str_radix(payload["digest"].as_str()?, 16).ok()?,
            number: number(payload, "number")?,
            first: number(payload, "first")?,
            last: number(payload, "last")?,
            score,
        })
    };
    Ok(points(result)?.iter().filter_map(near).collect())
}

/// The length of the vectors of a collection.
pub(super) fn read_size(result: &Value) -> Result<usize, ChunkIndexError> {
    let size = result.pointer("/config/params/vectors/size").and_then(Value::as_u64);
    size.and_then(|size| usize::try_from(size).ok()).ok_or(ChunkIndexError::Malformed)
}
