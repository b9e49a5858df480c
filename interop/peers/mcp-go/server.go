package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

type Run func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error)

func tool(host *server.MCPServer, name, properties string, run Run) {
	schema := fmt.Sprintf(`{"type":"object","properties":%s}`, properties)
	definition := mcp.NewToolWithRawSchema(name, "", json.RawMessage(schema))
	if name == "add" {
		definition.RawOutputSchema = json.RawMessage(`{"type":"object","properties":{"sum":{"type":"number"}}}`)
	}
	host.AddTool(definition, server.ToolHandlerFunc(run))
}

func says(words string) Run {
	return func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(words), nil
	}
}

type names struct{}

func (names) CompletePromptArgument(_ context.Context, _ string, argument mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	values := []string{}
	for _, name := range []string{"Ada", "Adele", "Bob"} {
		if strings.HasPrefix(name, argument.Value) {
			values = append(values, name)
		}
	}
	return &mcp.Completion{Values: values}, nil
}

func newServer() *server.MCPServer {
	host := server.NewMCPServer("mcp-go", "1.0.0",
		server.WithToolCapabilities(true),
		server.WithResourceCapabilities(true, true),
		server.WithPromptCapabilities(true),
		server.WithLogging(),
		server.WithElicitation(),
		server.WithRoots(),
		server.WithCompletions(),
		server.WithPromptCompletionProvider(names{}),
	)
	host.EnableSampling()
	addPlainTools(host)
	addLongTools(host)
	addAskingTools(host)
	addChangingTools(host)
	addOthers(host)
	return host
}

func addPlainTools(host *server.MCPServer) {
	tool(host, "add", `{"a":{"type":"number"},"b":{"type":"number"}}`, func(_ context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		sum := map[string]any{"sum": request.GetFloat("a", 0) + request.GetFloat("b", 0)}
		return mcp.NewToolResultStructuredOnly(sum), nil
	})
	tool(host, "fail", `{}`, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultError("the kettle is empty"), nil
	})
	tool(host, "echo", `{"text":{"type":"string"}}`, func(_ context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(request.GetString("text", "")), nil
	})
	tool(host, "large", `{"length":{"type":"integer"}}`, func(_ context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(strings.Repeat("x", request.GetInt("length", 0))), nil
	})
	tool(host, "slow", `{"text":{"type":"string"},"ms":{"type":"integer"}}`, func(_ context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		time.Sleep(time.Duration(request.GetInt("ms", 0)) * time.Millisecond)
		return mcp.NewToolResultText(request.GetString("text", "")), nil
	})
}

func progress(ctx context.Context, host *server.MCPServer, request mcp.CallToolRequest, fields map[string]any) {
	if request.Params.Meta == nil || request.Params.Meta.ProgressToken == nil {
		return
	}
	fields["progressToken"] = request.Params.Meta.ProgressToken
	_ = host.SendNotificationToClient(ctx, "notifications/progress", fields)
}

func addLongTools(host *server.MCPServer) {
	var givenUp atomic.Int32
	tool(host, "count", `{}`, func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for step := range 3 {
			progress(ctx, host, request, map[string]any{"progress": step + 1, "total": 3})
		}
		return mcp.NewToolResultText("counted"), nil
	})
	tool(host, "speak", `{}`, func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("spoken"), host.SendLogMessageToClient(ctx, mcp.NewLoggingMessageNotification(mcp.LoggingLevelInfo, "", "hello"))
	})
	tool(host, "wait", `{}`, func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		progress(ctx, host, request, map[string]any{"progress": 1})
		select {
		case <-ctx.Done():
			givenUp.Add(1)
			return nil, ctx.Err()
		case <-time.After(time.Minute):
			return mcp.NewToolResultText("never given up"), nil
		}
	})
	tool(host, "given-up", `{}`, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for range 50 {
			if givenUp.Load() > 0 {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
		return mcp.NewToolResultText(fmt.Sprint(givenUp.Swap(0))), nil
	})
}

func addAskingTools(host *server.MCPServer) {
	form := map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}, "required": []string{"name"}}
	tool(host, "ask", `{}`, func(_ context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer := server.ElicitationResponse(request.Params.InputResponses, "ask")
		if answer == nil {
			question := mcp.ElicitationParams{Mode: "form", Message: "Your name?", RequestedSchema: form}
			return server.NewInputRequestBuilder("asked").Elicit("ask", question).ToolResult(), nil
		}
		content, _ := answer.Content.(map[string]any)
		return mcp.NewToolResultText(fmt.Sprint(content["name"])), nil
	})
	tool(host, "think", `{}`, func(_ context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer := server.SamplingResponse(request.Params.InputResponses, "think")
		if answer == nil {
			message := mcp.SamplingMessage{Role: mcp.RoleUser, Content: mcp.NewTextContent("Greet me.")}
			question := mcp.CreateMessageParams{Messages: []mcp.SamplingMessage{message}, MaxTokens: 20}
			return server.NewInputRequestBuilder("asked").Sample("think", question).ToolResult(), nil
		}
		// What the library makes of content differs by the way that it came.
		text, _ := json.Marshal(answer.Content)
		var content struct{ Text string }
		if json.Unmarshal(text, &content) != nil {
			return nil, errors.New("no text was sampled")
		}
		return mcp.NewToolResultText(content.Text), nil
	})
	tool(host, "look", `{}`, func(_ context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer := server.RootsResponse(request.Params.InputResponses, "look")
		if answer == nil {
			return server.NewInputRequestBuilder("asked").Roots("look").ToolResult(), nil
		}
		uris := []string{}
		for _, root := range answer.Roots {
			uris = append(uris, root.URI)
		}
		return mcp.NewToolResultText(strings.Join(uris, ",")), nil
	})
}

func addChangingTools(host *server.MCPServer) {
	var grown atomic.Int32
	tool(host, "touch", `{}`, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		host.SendNotificationToAllClients("notifications/resources/updated", map[string]any{"uri": "memo://one"})
		return mcp.NewToolResultText("touched"), nil
	})
	tool(host, "grow", `{}`, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		tool(host, fmt.Sprintf("grown-%d", grown.Add(1)), `{}`, says("new"))
		return mcp.NewToolResultText("grown"), nil
	})
}

func addOthers(host *server.MCPServer) {
	contents := func(uri, words string) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: uri, MIMEType: "text/plain", Text: words}}, nil
	}
	host.AddResource(mcp.NewResource("memo://one", "one", mcp.WithMIMEType("text/plain")), func(_ context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return contents(request.Params.URI, "remember the milk")
	})
	host.AddResourceTemplate(mcp.NewResourceTemplate("user://{id}", "user"), func(_ context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return contents(request.Params.URI, "user "+strings.TrimPrefix(request.Params.URI, "user://"))
	})
	host.AddPrompt(mcp.NewPrompt("welcome", mcp.WithArgument("who", mcp.RequiredArgument())), func(_ context.Context, request mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		words := mcp.NewTextContent("Please welcome " + request.Params.Arguments["who"] + ".")
		return mcp.NewGetPromptResult("", []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, words)}), nil
	})
}

func serve(way string) {
	host := newServer()
	if way == "stdio" {
		_ = server.ServeStdio(host)
		return
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	base := fmt.Sprintf("http://%s", listener.Addr())
	if way == "sse" {
		fmt.Println(base + "/sse")
		_ = http.Serve(listener, server.NewSSEServer(host))
		return
	}
	fmt.Println(base + "/mcp")
	_ = http.Serve(listener, server.NewStreamableHTTPServer(host))
}
