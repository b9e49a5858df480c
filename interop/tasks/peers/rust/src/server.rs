use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use rmcp::{
    ErrorData, ServerHandler, ServiceExt,
    model::*,
    service::{RequestContext, RoleServer},
    task_manager::{TaskContext, TaskExit, TaskManager, TaskOptions},
    transport::{
        stdio,
        streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService},
    },
};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::of;

/// What all connections share.
#[derive(Clone, Default)]
struct Exercise {
    tasks: TaskManager,
    given_up: Arc<AtomicU32>,
}

type Context = RequestContext<RoleServer>;

fn text(words: impl Into<String>) -> CallToolResult {
    of(json!({ "content": [{ "type": "text", "text": words.into() }] }))
}

impl Exercise {
    async fn work(&self, name: &str, arguments: &Value, task: TaskContext) -> Result<CallToolResult, TaskExit> {
        match name {
            "quick" => Ok(text("quick")),
            "slow" => {
                sleep(Duration::from_millis(arguments["ms"].as_u64().unwrap())).await;
                Ok(text("brewed"))
            }
            "must" => Ok(text("done")),
            "fail" => Ok(CallToolResult::error(vec![ContentBlock::text("the kettle is empty")])),
            "break" => Err(TaskExit::Error(ErrorData::invalid_params("no such leaf", None))),
            "ask" => {
                let question = of(json!({ "method": "elicitation/create", "params": {
                    "mode": "form",
                    "message": "Your name?",
                    "requestedSchema": {
                        "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"],
                    },
                } }));
                let answer = task.request_input("name", question).await?;
                Ok(text(answer["content"]["name"].as_str().unwrap_or_default()))
            }
            _ => {
                task.cancelled().await;
                self.given_up.fetch_add(1, Ordering::SeqCst);
                Err(TaskExit::Cancelled)
            }
        }
    }

    async fn how_often_given_up(&self) -> CallToolResult {
        for _ in 0..50 {
            if self.given_up.load(Ordering::SeqCst) > 0 {
                break;
            }
            sleep(Duration::from_millis(100)).await;
        }
        text(self.given_up.load(Ordering::SeqCst).to_string())
    }
}

impl ServerHandler for Exercise {
    fn get_info(&self) -> ServerConfig {
        of(json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "tools": {}, "extensions": { "io.modelcontextprotocol/tasks": {} } },
            "serverInfo": { "name": "rust", "version": "1.0.0" },
        }))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        let names = ["quick", "slow", "must", "fail", "break", "ask", "endless", "given-up"];
        let tools: Vec<Value> = names
            .into_iter()
            .map(|name| {
                let properties = if name == "slow" { json!({ "ms": { "type": "integer" } }) } else { json!({}) };
                json!({ "name": name, "inputSchema": { "type": "object", "properties": properties } })
            })
            .collect();
        Ok(of(json!({ "tools": tools })))
    }

    async fn call_tool(&self, params: CallToolRequestParams, _context: Context) -> Result<CallToolResponse, ErrorData> {
        if params.name == "given-up" {
            return Ok(CallToolResponse::Complete(self.how_often_given_up().await));
        }
        let options = TaskOptions::new().with_poll_interval_ms(100);
        let (this, arguments) = (self.clone(), json!(params.arguments));
        let task = self.tasks.spawn(options, |context| {
            Box::pin(async move { this.work(&params.name, &arguments, context).await })
        });
        Ok(CallToolResponse::Task(CreateTaskResult::new(task)))
    }

    async fn get_task(&self, params: GetTaskParams, _context: Context) -> Result<GetTaskResult, ErrorData> {
        Ok(GetTaskResult::new(self.tasks.get_task(&params.task_id)?))
    }

    async fn update_task(&self, params: UpdateTaskParams, _context: Context) -> Result<(), ErrorData> {
        self.tasks.update_task(&params.task_id, params.input_responses)
    }

    async fn cancel_task(&self, params: CancelTaskParams, _context: Context) -> Result<(), ErrorData> {
        self.tasks.cancel_task(&params.task_id)
    }
}

pub async fn serve(way: &str) {
    let exercise = Exercise::default();
    if way == "stdio" {
        let running = exercise.serve(stdio()).await.expect("a client");
        let _ = running.waiting().await;
        return;
    }
    let config = StreamableHttpServerConfig::default();
    let sessions: Arc<rmcp::transport::streamable_http_server::session::local::LocalSessionManager> = Default::default();
    let service = StreamableHttpService::new(move || Ok(exercise.clone()), sessions, config);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    println!("http://{}/mcp", listener.local_addr().expect("an address"));
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await.expect("a server");
}
