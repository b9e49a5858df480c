package peer;

import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures;
import io.modelcontextprotocol.server.McpSyncServer;
import io.modelcontextprotocol.server.McpSyncServerExchange;
import io.modelcontextprotocol.server.transport.HttpServletSseServerTransportProvider;
import io.modelcontextprotocol.server.transport.HttpServletStreamableServerTransportProvider;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema;
import jakarta.servlet.http.HttpServlet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

final class PeerServer {

  private interface Run extends BiFunction<McpSyncServerExchange, McpSchema.CallToolRequest, McpSchema.CallToolResult> {}

  private final AtomicInteger grown = new AtomicInteger();
  private McpSyncServer server;

  void serve(String way) throws Exception {
    switch (way) {
      case "stdio" -> server = built(McpServer.sync(new StdioServerTransportProvider(Main.json)));
      case "sse" -> {
        var transport =
            HttpServletSseServerTransportProvider.builder().sseEndpoint("/sse").messageEndpoint("/messages").build();
        server = built(McpServer.sync(transport));
        listen(transport, "/sse");
      }
      default -> {
        var transport = HttpServletStreamableServerTransportProvider.builder().mcpEndpoint("/mcp").build();
        server = built(McpServer.sync(transport));
        listen(transport, "/mcp");
      }
    }
  }

  private static void listen(HttpServlet servlet, String path) throws Exception {
    var jetty = new Server();
    var connector = new ServerConnector(jetty);
    connector.setHost("127.0.0.1");
    jetty.addConnector(connector);
    var context = new ServletContextHandler();
    var holder = new ServletHolder(servlet);
    holder.setAsyncSupported(true);
    context.addServlet(holder, "/*");
    jetty.setHandler(context);
    jetty.start();
    System.out.println("http://127.0.0.1:" + connector.getLocalPort() + path);
    jetty.join();
  }

  private McpSyncServer built(McpServer.SyncSpecification<?> specification) {
    var capabilities =
        McpSchema.ServerCapabilities.builder().tools(true).prompts(false).resources(true, false).logging().completions();
    specification.serverInfo("java", "1.0.0").capabilities(capabilities.build()).tools(tools());
    var memo = McpSchema.Resource.builder().uri("memo://one").name("one").mimeType("text/plain").build();
    specification.resources(
        new McpServerFeatures.SyncResourceSpecification(memo, (exchange, request) -> read(request, "remember the milk")));
    var user = McpSchema.ResourceTemplate.builder("user://{id}", "user").build();
    specification.resourceTemplates(
        new McpServerFeatures.SyncResourceTemplateSpecification(
            user, (exchange, request) -> read(request, "user " + request.uri().substring("user://".length()))));
    var prompt =
        new McpSchema.Prompt("welcome", "Welcomes.", List.of(new McpSchema.PromptArgument("who", "Whom.", true)));
    specification.prompts(
        new McpServerFeatures.SyncPromptSpecification(
            prompt,
            (exchange, request) -> {
              var words = new McpSchema.TextContent("Please welcome " + request.arguments().get("who") + ".");
              return new McpSchema.GetPromptResult("A welcome.", List.of(new McpSchema.PromptMessage(McpSchema.Role.USER, words)));
            }));
    specification.completions(
        new McpServerFeatures.SyncCompletionSpecification(
            new McpSchema.PromptReference("welcome"),
            (exchange, request) -> {
              var names = Stream.of("Ada", "Adele", "Bob").filter(name -> name.startsWith(request.argument().value()));
              return new McpSchema.CompleteResult(new McpSchema.CompleteResult.CompleteCompletion(names.toList()));
            }));
    return specification.build();
  }

  private static McpSchema.ReadResourceResult read(McpSchema.ReadResourceRequest request, String words) {
    return new McpSchema.ReadResourceResult(List.of(new McpSchema.TextResourceContents(request.uri(), "text/plain", words)));
  }

  private static McpSchema.CallToolResult text(String words) {
    return McpSchema.CallToolResult.builder().addTextContent(words).build();
  }

  private static McpServerFeatures.SyncToolSpecification tool(String name, Map<String, String> types, Run run) {
    var properties =
        types.entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey, one -> Map.of("type", one.getValue())));
    Map<String, Object> input = Map.of("type", "object", "properties", properties);
    var definition = McpSchema.Tool.builder().name(name).inputSchema(input);
    if (name.equals("add"))
      definition.outputSchema(Map.of("type", "object", "properties", Map.of("sum", Map.of("type", "number"))));
    return new McpServerFeatures.SyncToolSpecification(definition.build(), run);
  }

  private List<McpServerFeatures.SyncToolSpecification> tools() {
    return List.of(
        tool("add", Map.of("a", "number", "b", "number"), (exchange, request) -> {
          var sum = number(request, "a") + number(request, "b");
          return McpSchema.CallToolResult.builder().addTextContent("{}").structuredContent(Map.of("sum", sum)).build();
        }),
        tool("fail", Map.of(), (exchange, request) ->
            McpSchema.CallToolResult.builder().addTextContent("the kettle is empty").isError(true).build()),
        tool("echo", Map.of("text", "string"), (exchange, request) -> text((String) request.arguments().get("text"))),
        tool("large", Map.of("length", "integer"), (exchange, request) -> text("x".repeat(number(request, "length")))),
        tool("slow", Map.of("text", "string", "ms", "integer"), (exchange, request) -> {
          sleep(number(request, "ms"));
          return text((String) request.arguments().get("text"));
        }),
        tool("count", Map.of(), (exchange, request) -> {
          for (double step = 1; step <= 3; step++) progress(exchange, request, step);
          return text("counted");
        }),
        tool("speak", Map.of(), (exchange, request) -> {
          var message = McpSchema.LoggingMessageNotification.builder().level(McpSchema.LoggingLevel.INFO).data("hello");
          exchange.loggingNotification(message.build());
          return text("spoken");
        }),
        // The SDK does not tell a handler that its call was given up.
        tool("wait", Map.of(), (exchange, request) -> text("never given up")),
        tool("ask", Map.of(), (exchange, request) -> text(ask(exchange))),
        tool("think", Map.of(), (exchange, request) -> text(think(exchange))),
        tool("look", Map.of(), (exchange, request) -> text(exchange.listRoots().roots().get(0).uri())),
        tool("touch", Map.of(), (exchange, request) -> {
          server.notifyResourcesUpdated(new McpSchema.ResourcesUpdatedNotification("memo://one"));
          return text("touched");
        }),
        tool("grow", Map.of(), (exchange, request) -> {
          server.addTool(tool("grown-" + grown.incrementAndGet(), Map.of(), (one, other) -> text("new")));
          return text("grown");
        }));
  }

  private static String ask(McpSyncServerExchange exchange) {
    Map<String, Object> form =
        Map.of("type", "object", "properties", Map.of("name", Map.of("type", "string")), "required", List.of("name"));
    return (String) exchange.createElicitation(new McpSchema.ElicitFormRequest("Your name?", form, null)).content().get("name");
  }

  private static String think(McpSyncServerExchange exchange) {
    var message = new McpSchema.SamplingMessage(McpSchema.Role.USER, new McpSchema.TextContent("Greet me."));
    var request = McpSchema.CreateMessageRequest.builder(List.of(message), 20).build();
    return ((McpSchema.TextContent) exchange.createMessage(request).content()).text();
  }

  private static void progress(McpSyncServerExchange exchange, McpSchema.CallToolRequest request, double done) {
    var token = request.progressToken();
    if (token != null) exchange.progressNotification(new McpSchema.ProgressNotification(token, done, 3.0, null));
  }

  private static int number(McpSchema.CallToolRequest request, String name) {
    return ((Number) request.arguments().get(name)).intValue();
  }

  private static void sleep(int ms) {
    try {
      Thread.sleep(ms);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
