//! Reads bodies of answers with limits.

use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::Stream;
use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Incoming};

use super::{fault::HttpFault, wire::Lease};

/// Maximum number of bytes of an event stream.
const MAX_STREAM_BYTES: u64 = 256 << 20;

/// Reads a body of at most `most` bytes.
pub(crate) async fn whole(mut body: Incoming, mut lease: Lease, most: usize) -> Result<Vec<u8>, HttpFault> {
    let mut read = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame =
            frame.map_err(|_| HttpFault::Broken("the connection broke in the middle of the answer".to_owned()))?;
        let Some(piece) = frame.data_ref() else { continue };
        if read.len() + piece.len() > most {
            return Err(too_long(most));
        }
        read.extend_from_slice(piece);
    }
    lease.give_back();
    Ok(read)
}

pub(super) fn too_long(most: usize) -> HttpFault {
    let (size, unit) = if most < 1 << 20 { (most >> 10, "KiB") } else { (most >> 20, "MiB") };
    HttpFault::Protocol(format!("it sent a message of more than {size} {unit}"))
}

/// Chunks of an event stream. An event that is too long ends it.
pub(super) struct Pieces {
    body: Incoming,
    lease: Lease,
    /// Maximum size of an event in bytes.
    most: usize,
    /// Whether the stream answers one request, and ends.
    is_answer: bool,
    /// Number of bytes since the last blank line.
    event: usize,
    all: u64,
    is_line_empty: bool,
    is_over: bool,
}

impl Pieces {
    pub(super) fn new(body: Incoming, lease: Lease, most: usize, is_answer: bool) -> Self {
        Self { body, lease, most, is_answer, event: 0, all: 0, is_line_empty: true, is_over: false }
    }

    fn measure(&mut self, piece: &[u8]) -> Result<(), HttpFault> {
        for byte in piece {
            match byte {
                b'\n' if self.is_line_empty => self.event = 0,
                b'\n' => self.is_line_empty = true,
                b'\r' => {}
                _ => self.is_line_empty = false,
            }
            self.event += 1;
            if self.event > self.most {
                return Err(too_long(self.most));
            }
        }
        self.all += piece.len() as u64;
        if self.is_answer && self.all > MAX_STREAM_BYTES {
            return Err(HttpFault::Protocol(format!("its answer has more than {} MiB", MAX_STREAM_BYTES >> 20)));
        }
        Ok(())
    }
}

impl Stream for Pieces {
    type Item = Result<Bytes, HttpFault>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if self.is_over {
                return Poll::Ready(None);
            }
            let frame = ready!(pin!(&mut self.body).poll_frame(cx));
            match frame {
                None => {
                    self.is_over = true;
                    self.lease.give_back();
                }
                Some(Err(_)) => {
                    self.is_over = true;
                    let problem = "the connection broke in the middle of the answer".to_owned();
                    return Poll::Ready(Some(Err(HttpFault::Broken(problem))));
                }
                Some(Ok(frame)) => {
                    let Ok(piece) = frame.into_data() else { continue };
                    if let Err(fault) = self.measure(&piece) {
                        self.is_over = true;
                        return Poll::Ready(Some(Err(fault)));
                    }
                    return Poll::Ready(Some(Ok(piece)));
                }
            }
        }
    }
}
