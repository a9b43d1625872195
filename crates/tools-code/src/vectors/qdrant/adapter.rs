//! The vector store on a Qdrant server: one collection per model, with points filtered by workspace
//! and file.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::time::Duration;

use hyper::{Method, header::HeaderValue};
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tools_core::Locked as _;
use tools_tls::Endpoint;

use super::messages::{collection, of_files, outdated, page, question, read_near, read_page, read_size, upserts};
use super::server::{Server, ServerAnswer};
use crate::config::QdrantConfig;
use crate::vectors::{ChunkIndex, ChunkIndexError, ChunkSpace, FileChunks, NearPassage};

/// Maximum number of points in one request.
const POINTS: usize = 500;
/// Maximum number of names in one request or page.
const NAMES: usize = 1_000;
/// Maximum number of pages, in case a server always names a next page.
const PAGES: usize = 1_000;

/// Vectors at a Qdrant server (1.10 or later, for `points/query`).
#[derive(Debug)]
pub struct QdrantChunks {
    server: Server,
    prefix: String,
    /// Collections that exist and have the right vector length.
    known: Mutex<BTreeSet<String>>,
}

impl QdrantChunks {
    /// A store for a configuration. Sends nothing before its first use.
    ///
    /// # Errors
    /// The URL or the key is not usable. The text does not contain the key.
    pub fn new(config: &QdrantConfig, key: Option<&str>) -> Result<Self, String> {
        let endpoint = Endpoint::parse(&config.url, config.allow_http)?;
        let key = key.map(str::trim).filter(|key| !key.is_empty()).map(|key| {
            let mut value = HeaderValue::try_from(key).map_err(|_| "the key cannot stand in a header".to_owned())?;
            value.set_sensitive(true);
            Ok::<_, String>(value)
        });
        let server = Server::new(endpoint, key.transpose()?, Duration::from_secs(config.timeout_secs));
        Ok(Self { server, prefix: config.collection.clone(), known: Mutex::default() })
    }

    fn at(&self, space: &ChunkSpace) -> String {
        format!("/collections/{}", collection(&self.prefix, &space.model))
    }

    /// Creates the collection for vectors of this length if it does not exist.
    async fn ensure(&self, at: &str, size: usize) -> Result<(), ChunkIndexError> {
        if self.known.locked().contains(at) {
            return Ok(());
        }
        let found = match self.server.ask(Method::GET, at, None).await? {
            ServerAnswer::Result(result) => read_size(&result)?,
            ServerAnswer::Conflict => return Err(ChunkIndexError::Malformed),
            ServerAnswer::Missing => {
                let vectors = json!({"vectors": {"size": size, "distance": "Cosine"}});
                // A conflict means that another process created it first.
                match self.server.ask(Method::PUT, at, Some(&vectors)).await? {
                    ServerAnswer::Missing => return Err(ChunkIndexError::Malformed),
                    ServerAnswer::Result(_) | ServerAnswer::Conflict => {}
                }
                for (field, schema) in [("workspace", "keyword"), ("file", "keyword"), ("head", "bool")] {
                    let index = json!({"field_name": field, "field_schema": schema});
                    self.done(Method::PUT, &format!("{at}/index?wait=true"), &index).await?;
                }
                size
            }
        };
        if found != size {
            return Err(ChunkIndexError::Dimension { expected: size, found });
        }
        self.known.locked().insert(at.to_owned());
        Ok(())
    }

    /// Sends a request and waits for its completion.
    async fn done(&self, method: Method, path: &str, body: &Value) -> Result<(), ChunkIndexError> {
        match self.server.ask(method, path, Some(body)).await? {
            ServerAnswer::Result(_) => Ok(()),
            ServerAnswer::Conflict => Err(ChunkIndexError::Status(409)),
            ServerAnswer::Missing => {
                self.known.locked().clear();
                Err(ChunkIndexError::Gone)
            }
        }
    }

    async fn all_files(&self, space: &ChunkSpace) -> Result<BTreeMap<String, u64>, ChunkIndexError> {
        let (path, mut files, mut offset) = (format!("{}/points/scroll", self.at(space)), BTreeMap::new(), None);
        for _ in 0..PAGES {
            let asked = page(space, NAMES, offset.as_ref());
            let result = match self.server.ask(Method::POST, &path, Some(&asked)).await? {
                ServerAnswer::Result(result) => result,
                ServerAnswer::Missing => return Ok(files),
                ServerAnswer::Conflict => return Err(ChunkIndexError::Status(409)),
            };
            offset = read_page(&result, &mut files)?;
            if offset.is_none() {
                return Ok(files);
            }
        }
        Err(ChunkIndexError::Malformed)
    }

    async fn put_all(&self, space: &ChunkSpace, files: &[FileChunks]) -> Result<(), ChunkIndexError> {
        let Some(size) = files.iter().flat_map(|file| &file.chunks).map(|chunk| chunk.vector.len()).next() else {
            let names: Vec<String> = files.iter().map(|file| file.file.clone()).collect();
            return self.remove_all(space, &names).await;
        };
        let at = self.at(space);
        self.ensure(&at, size).await?;
        for points in upserts(space, files, POINTS) {
            self.done(Method::PUT, &format!("{at}/points?wait=true"), &points).await?;
        }
        for files in files.chunks(NAMES) {
            self.done(Method::POST, &format!("{at}/points/delete?wait=true"), &outdated(space, files)).await?;
        }
        Ok(())
    }

    async fn remove_all(&self, space: &ChunkSpace, files: &[String]) -> Result<(), ChunkIndexError> {
        let path = format!("{}/points/delete?wait=true", self.at(space));
        for files in files.chunks(NAMES) {
            match self.server.ask(Method::POST, &path, Some(&of_files(space, files))).await? {
                // Without a collection there is nothing to remove.
                ServerAnswer::Result(_) | ServerAnswer::Missing => {}
                ServerAnswer::Conflict => return Err(ChunkIndexError::Status(409)),
            }
        }
        Ok(())
    }

    async fn nearest(&self, space: &ChunkSpace, asked: &Value) -> Result<Vec<NearPassage>, ChunkIndexError> {
        match self.server.ask(Method::POST, &format!("{}/points/query", self.at(space)), Some(asked)).await? {
            ServerAnswer::Result(result) => read_near(&result),
            // A collection that was never created contains nothing; one that existed before is
            // gone.
            ServerAnswer::Missing if self.known.locked().is_empty() => Ok(vec![]),
            ServerAnswer::Missing => {
                self.known.locked().clear();
                Err(ChunkIndexError::Gone)
            }
            ServerAnswer::Conflict => Err(ChunkIndexError::Status(409)),
        }
    }
}

/// Blocks on the runtime of the call: the caller is on a thread that may block.
fn wait<T>(work: impl Future<Output = Result<T, ChunkIndexError>>) -> Result<T, ChunkIndexError> {
    match Handle::try_current() {
        Ok(runtime) => runtime.block_on(work),
        Err(_) => Err(ChunkIndexError::Unreachable("no runtime".to_owned())),
    }
}

impl ChunkIndex for QdrantChunks {
    fn files(&self, space: &ChunkSpace) -> Result<BTreeMap<String, u64>, ChunkIndexError> {
        wait(self.all_files(space))
    }

    fn put(&self, space: &ChunkSpace, files: &[FileChunks]) -> Result<(), ChunkIndexError> {
        if files.is_empty() { Ok(()) } else { wait(self.put_all(space, files)) }
    }

    fn remove(&self, space: &ChunkSpace, files: &[String]) -> Result<(), ChunkIndexError> {
        wait(self.remove_all(space, files))
    }

    fn near(&self, space: &ChunkSpace, vector: &[f32], limit: usize) -> Result<Vec<NearPassage>, ChunkIndexError> {
        wait(self.nearest(space, &question(space, vector, limit)))
    }
}
