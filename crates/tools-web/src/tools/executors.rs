//! The tools as executors.

use tools_core::{DynExecutor, Typed};

use super::fetch::Fetch;
use super::site::Web;
use super::web_scrape::WebScrape;

impl Web {
    /// `fetch` and `web_scrape` as executors.
    pub fn into_executors(self) -> Vec<DynExecutor> {
        vec![DynExecutor::new(Typed::new(Fetch(self.clone()))), DynExecutor::new(Typed::new(WebScrape(self)))]
    }
}
