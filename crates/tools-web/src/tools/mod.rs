//! The two tools, over one way to a page.

mod executors;
mod fetch;
mod frame;
mod page_cache;
mod site;
mod web_scrape;
mod window;

pub use site::Web;
