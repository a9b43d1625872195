//! Builds requests for the server and reads its answers. Pure functions.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tools_core::hex;

use crate::vectors::{Chunk, ChunkIndexError, ChunkSpace, FileChunks, NearPassage};

/// Version of the passages. A change makes existing collections unused.
const FORMAT: &str = "1";

/// The collection of a model: each model has its own vector length.
pub(super) fn collection(prefix: &str, model: &str) -> String {
    let digest = hex(&Sha256::digest(format!("{FORMAT}\n{model}")));
    format!("{prefix}_{}", &digest[..16])
}

/// The identifier of a point: the same for the same passage of the same file.
fn id(workspace: &str, file: &str, number: u32) -> String {
    let digest = hex(&Sha256::digest(format!("{workspace}\0{file}\0{number}")));
    let part = |from: usize, to: usize| &digest[from..to];
    format!("{}-{}-{}-{}-{}", part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32))
}

/// A digest as text: JSON numbers are not exact beyond 53 bits.
fn shown(digest: u64) -> String {
    format!("{digest:016x}")
}

fn in_workspace(space: &ChunkSpace) -> Value {
    json!({"key": "workspace", "match": {"value": space.workspace}})
}

/// The points of files, at most `most` per request. The head point of a file, which marks it as
/// stored, comes last.
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

/// Selects the points of files whose digest is not the current one.
pub(super) fn outdated(space: &ChunkSpace, files: &[FileChunks]) -> Value {
    let names: Vec<&str> = files.iter().map(|file| file.file.as_str()).collect();
    let digests: Vec<String> = files.iter().map(|file| shown(file.digest)).collect();
    json!({"filter": {
        "must": [in_workspace(space), {"key": "file", "match": {"any": names}}],
        "must_not": [{"key": "digest", "match": {"any": digests}}],
    }})
}

/// Selects all points of files.
pub(super) fn of_files(space: &ChunkSpace, files: &[String]) -> Value {
    json!({"filter": {"must": [in_workspace(space), {"key": "file", "match": {"any": files}}]}})
}

/// Requests a page of the files of a space.
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

/// Requests the points closest to a vector.
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

/// Reads the files of a page, and the start of the next one.
pub(super) fn read_page(result: &Value, files: &mut BTreeMap<String, u64>) -> Result<Option<Value>, ChunkIndexError> {
    for point in points(result)? {
        let payload = &point["payload"];
        let digest = payload["digest"].as_str().and_then(|text| u64::from_str_radix(text, 16).ok());
        // Points without this payload are from another program.
        if let (Some(file), Some(digest)) = (payload["file"].as_str(), digest) {
            files.insert(file.to_owned(), digest);
        }
    }
    Ok(Some(result["next_page_offset"].clone()).filter(|offset| !offset.is_null()))
}

/// The points in an answer, without those of other programs.
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
