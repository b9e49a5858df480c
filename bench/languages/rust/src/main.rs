//! The official SDK of Rust: `peer stateless` serves 2026-07-28, `peer sessions` the revisions before it.

use std::{
    io::{BufRead, stdin},
    process::exit,
    sync::{Arc, LazyLock},
};

use axum::{Router, serve::ListenerExt};
use rmcp::{
    ServerHandler,
    handler::server::{router::tool::ToolRouter, wrapper::Parameters},
    schemars, tool, tool_handler, tool_router,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
    },
};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Numbers {
    a: f64,
    b: f64,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Measured {
    text: String,
}

#[derive(Clone)]
struct Bench;

/// Made once: the handler is made for each request.
static ROUTER: LazyLock<ToolRouter<Bench>> = LazyLock::new(Bench::tool_router);

#[tool_router]
impl Bench {
    #[tool(description = "Adds two numbers.")]
    fn add(&self, Parameters(Numbers { a, b }): Parameters<Numbers>) -> String {
        (a + b).to_string()
    }

    #[tool(description = "Gives a large text.")]
    fn large(&self) -> String {
        String::new()
    }

    #[tool(description = "Measures a text.")]
    fn length(&self, Parameters(Measured { text }): Parameters<Measured>) -> String {
        text.len().to_string()
    }
}

#[tool_handler(router = ROUTER, name = "bench", version = "1.0.0")]
impl ServerHandler for Bench {}

/// The CPU time of all threads so far, in microseconds, read as Node reads its own.
fn cpu() -> i64 {
    // SAFETY: every field is a number, for which zero will do, and the call writes into what it is given.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        assert_eq!(libc::getrusage(libc::RUSAGE_SELF, &mut usage), 0);
        usage
    };
    let micros = |time: libc::timeval| time.tv_sec as i64 * 1_000_000 + time.tv_usec as i64;
    micros(usage.ru_utime) + micros(usage.ru_stime)
}

/// Each line asks for the CPU time; without a line to come, whoever started it is gone.
fn answer_questions() {
    for line in stdin().lock().lines() {
        if line.is_err() {
            break;
        }
        println!("{}", cpu());
    }
    exit(0);
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let sessions = std::env::args().nth(1).as_deref() == Some("sessions");
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(sessions)
        .with_json_response(true)
        .with_sse_keep_alive(None)
        .with_sse_retry(None);
    let mut manager = LocalSessionManager::default();
    // An answer of a session is an event stream: at least without an event before it that only says how to resume.
    manager.session_config.sse_retry = None;
    let service = StreamableHttpService::new(|| Ok(Bench), Arc::new(manager), config);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    println!("http://{}/mcp", listener.local_addr().expect("an address"));
    std::thread::spawn(answer_questions);
    // Node and Go send at once by themselves.
    let listener = listener.tap_io(|stream| stream.set_nodelay(true).expect("a connection"));
    axum::serve(listener, Router::new().nest_service("/mcp", service)).await.expect("a server");
}
