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

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type nothing struct{}

type addition struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

type sum struct {
	Sum float64 `json:"sum"`
}

type echoed struct {
	Text string `json:"text"`
	Ms   int    `json:"ms,omitempty"`
}

type size struct {
	Length int `json:"length"`
}

func text(words string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: words}}}
}

func tool[In any](server *mcp.Server, name string, run func(context.Context, *mcp.CallToolRequest, In) (*mcp.CallToolResult, error)) {
	mcp.AddTool(server, &mcp.Tool{Name: name}, func(ctx context.Context, request *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
		result, err := run(ctx, request, in)
		return result, nil, err
	})
}

func newServer() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "go", Version: "1.0.0"}, &mcp.ServerOptions{
		CompletionHandler: func(_ context.Context, request *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			values := []string{}
			for _, name := range []string{"Ada", "Adele", "Bob"} {
				if strings.HasPrefix(name, request.Params.Argument.Value) {
					values = append(values, name)
				}
			}
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: values}}, nil
		},
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	})
	addPlainTools(server)
	addLongTools(server)
	addAskingTools(server)
	addChangingTools(server)
	addOthers(server)
	return server
}

func addPlainTools(server *mcp.Server) {
	mcp.AddTool(server, &mcp.Tool{Name: "add"}, func(_ context.Context, _ *mcp.CallToolRequest, in addition) (*mcp.CallToolResult, sum, error) {
		return nil, sum{in.A + in.B}, nil
	})
	tool(server, "fail", func(context.Context, *mcp.CallToolRequest, nothing) (*mcp.CallToolResult, error) {
		return nil, errors.New("the kettle is empty")
	})
	tool(server, "echo", func(_ context.Context, _ *mcp.CallToolRequest, in echoed) (*mcp.CallToolResult, error) {
		return text(in.Text), nil
	})
	tool(server, "large", func(_ context.Context, _ *mcp.CallToolRequest, in size) (*mcp.CallToolResult, error) {
		return text(strings.Repeat("x", in.Length)), nil
	})
	tool(server, "slow", func(_ context.Context, _ *mcp.CallToolRequest, in echoed) (*mcp.CallToolResult, error) {
		time.Sleep(time.Duration(in.Ms) * time.Millisecond)
		return text(in.Text), nil
	})
}

func progress(ctx context.Context, request *mcp.CallToolRequest, done, total float64) {
	token := request.Params.GetProgressToken()
	if token != nil {
		_ = request.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: done, Total: total})
	}
}

func addLongTools(server *mcp.Server) {
	var givenUp atomic.Int32
	tool(server, "count", func(ctx context.Context, request *mcp.CallToolRequest, _ nothing) (*mcp.CallToolResult, error) {
		for _, step := range []float64{1, 2, 3} {
			progress(ctx, request, step, 3)
		}
		return text("counted"), nil
	})
	tool(server, "speak", func(ctx context.Context, request *mcp.CallToolRequest, _ nothing) (*mcp.CallToolResult, error) {
		return text("spoken"), request.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: "hello"})
	})
	tool(server, "wait", func(ctx context.Context, request *mcp.CallToolRequest, _ nothing) (*mcp.CallToolResult, error) {
		progress(ctx, request, 1, 0)
		select {
		case <-ctx.Done():
			givenUp.Add(1)
			return nil, ctx.Err()
		case <-time.After(time.Minute):
			return text("never given up"), nil
		}
	})
	tool(server, "given-up", func(context.Context, *mcp.CallToolRequest, nothing) (*mcp.CallToolResult, error) {
		for range 50 {
			if givenUp.Load() > 0 {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
		return text(fmt.Sprint(givenUp.Swap(0))), nil
	})
}

// asking returns a tool that asks for one thing and says what it heard.
func asking(server *mcp.Server, name string, question mcp.InputRequest, said func(mcp.InputResponse) string) {
	server.AddTool(&mcp.Tool{Name: name, InputSchema: &jsonschema.Schema{Type: "object"}}, func(_ context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer, ok := request.Params.InputResponses[name]
		if !ok {
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{name: question}}, nil
		}
		return text(said(answer)), nil
	})
}

func addAskingTools(server *mcp.Server) {
	form := json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`)
	asking(server, "ask", &mcp.ElicitParams{Message: "Your name?", RequestedSchema: form}, func(answer mcp.InputResponse) string {
		return fmt.Sprint(answer.(*mcp.ElicitResult).Content["name"])
	})
	message := &mcp.SamplingMessage{Role: "user", Content: &mcp.TextContent{Text: "Greet me."}}
	question := &mcp.CreateMessageParams{Messages: []*mcp.SamplingMessage{message}, MaxTokens: 20}
	asking(server, "think", question, func(answer mcp.InputResponse) string {
		switch said := answer.(type) {
		case *mcp.CreateMessageResult:
			return said.Content.(*mcp.TextContent).Text
		case *mcp.CreateMessageWithToolsResult:
			return said.Content[0].(*mcp.TextContent).Text
		default:
			return fmt.Sprintf("%T", answer)
		}
	})
	asking(server, "look", &mcp.ListRootsParams{}, func(answer mcp.InputResponse) string {
		uris := []string{}
		for _, root := range answer.(*mcp.ListRootsResult).Roots {
			uris = append(uris, root.URI)
		}
		return strings.Join(uris, ",")
	})
}

func addChangingTools(server *mcp.Server) {
	var grown atomic.Int32
	tool(server, "touch", func(ctx context.Context, _ *mcp.CallToolRequest, _ nothing) (*mcp.CallToolResult, error) {
		return text("touched"), server.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: "memo://one"})
	})
	tool(server, "grow", func(context.Context, *mcp.CallToolRequest, nothing) (*mcp.CallToolResult, error) {
		name := fmt.Sprintf("grown-%d", grown.Add(1))
		tool(server, name, func(context.Context, *mcp.CallToolRequest, nothing) (*mcp.CallToolResult, error) {
			return text("new"), nil
		})
		return text("grown"), nil
	})
}

func addOthers(server *mcp.Server) {
	read := func(words func(uri string) string) mcp.ResourceHandler {
		return func(_ context.Context, request *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			uri := request.Params.URI
			contents := &mcp.ResourceContents{URI: uri, MIMEType: "text/plain", Text: words(uri)}
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{contents}}, nil
		}
	}
	memo := read(func(string) string { return "remember the milk" })
	user := read(func(uri string) string { return "user " + strings.TrimPrefix(uri, "user://") })
	server.AddResource(&mcp.Resource{URI: "memo://one", Name: "one", MIMEType: "text/plain"}, memo)
	server.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "user://{id}", Name: "user"}, user)
	prompt := &mcp.Prompt{Name: "welcome", Arguments: []*mcp.PromptArgument{{Name: "who", Required: true}}}
	server.AddPrompt(prompt, func(_ context.Context, request *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		words := &mcp.TextContent{Text: "Please welcome " + request.Params.Arguments["who"] + "."}
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: words}}}, nil
	})
}

func serve(way string) {
	server := newServer()
	if way == "stdio" {
		_ = server.Run(context.Background(), &mcp.StdioTransport{})
		return
	}
	of := func(*http.Request) *mcp.Server { return server }
	var handler http.Handler = mcp.NewStreamableHTTPHandler(of, &mcp.StreamableHTTPOptions{
		// Without it the handler refuses 2026-07-28.
		Stateless: way == "stateless",
	})
	if way == "sse" {
		handler = mcp.NewSSEHandler(of, nil)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Printf("http://%s/mcp\n", listener.Addr())
	_ = http.Serve(listener, handler)
}
