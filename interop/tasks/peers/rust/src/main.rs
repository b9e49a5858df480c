//! The official SDK of Rust with tasks: `peer client` does what the plan on its standard input says, `peer serve WAY` serves.

#![allow(deprecated)]

mod client;
mod server;

/// Makes a value of the SDK from its JSON, which is what it looks like on the wire.
fn of<T: serde::de::DeserializeOwned>(json: serde_json::Value) -> T {
    serde_json::from_value(json).expect("the SDK knows its own words")
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let words: Vec<String> = std::env::args().collect();
    if words[1] == "serve" {
        return server::serve(&words[2]).await;
    }
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).expect("a plan");
    client::run(serde_json::from_str(&line).expect("a plan")).await;
    // A connection that did not close in order is not waited for.
    std::process::exit(0);
}
