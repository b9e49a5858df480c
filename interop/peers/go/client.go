package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type Assignment struct {
	Target struct {
		Transport string
		Command   []string
		Url       string
	}
	Steps []Step
}

type Step struct {
	Id, Do, What, Name, Uri, Prompt, Argument, Value, Level string
	Arguments                                               map[string]any
	Progress, Cancel                                        bool
	Until                                                   []string
	Calls                                                   []Step
}

type Heard struct {
	mutex sync.Mutex
	words []string
}

func (h *Heard) add(word string) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.words = append(h.words, word)
}

func (h *Heard) has(word string) bool {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	for _, one := range h.words {
		if one == word {
			return true
		}
	}
	return false
}

func (h *Heard) until(word string) {
	for range 200 {
		if h.has(word) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func (h *Heard) take() []string {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	words := append([]string{}, h.words...)
	h.words = nil
	return words
}

var heard = &Heard{}
var acknowledged atomic.Int32

func options() *mcp.ClientOptions {
	return &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			heard.add("asked elicitation")
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ann"}}, nil
		},
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			heard.add("asked sampling")
			content := &mcp.TextContent{Text: "well met"}
			return &mcp.CreateMessageResult{Role: "assistant", Model: "m", Content: content}, nil
		},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { heard.add("tools") },
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
			heard.add("updated " + r.Params.URI)
		},
		LoggingMessageHandler: func(_ context.Context, r *mcp.LoggingMessageRequest) {
			heard.add(fmt.Sprintf("log %s %v", r.Params.Level, r.Params.Data))
		},
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			word := fmt.Sprintf("progress %g", r.Params.Progress)
			if r.Params.Total != 0 {
				word += fmt.Sprintf("/%g", r.Params.Total)
			}
			heard.add(word)
		},
	}
}

func run(assignment Assignment) {
	client := mcp.NewClient(&mcp.Implementation{Name: "go", Version: "1.0.0"}, options())
	client.AddRoots(&mcp.Root{URI: "file:///home/ann", Name: "home"})
	// The SDK answers by itself, and does not wait for the acknowledgment of what it subscribes to.
	client.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
			if method == "roots/list" {
				heard.add("asked roots")
			}
			if method == "notifications/subscriptions/acknowledged" {
				acknowledged.Add(1)
			}
			return next(ctx, method, request)
		}
	})
	var session *mcp.ClientSession
	connected := tell("connect", func(ctx context.Context) (any, error) {
		opened, err := client.Connect(ctx, transport(assignment), nil)
		if err != nil {
			return nil, err
		}
		session = opened
		return map[string]any{"revision": session.InitializeResult().ProtocolVersion}, nil
	})
	if !connected {
		return
	}
	for _, step := range assignment.Steps {
		tell(step.Id, func(ctx context.Context) (any, error) { return do(ctx, session, step) })
	}
}

func transport(assignment Assignment) mcp.Transport {
	target := assignment.Target
	switch target.Transport {
	case "stdio":
		return &mcp.CommandTransport{Command: exec.Command(target.Command[0], target.Command[1:]...)}
	case "sse":
		return &mcp.SSEClientTransport{Endpoint: target.Url}
	default:
		return &mcp.StreamableClientTransport{Endpoint: target.Url}
	}
}

func tell(step string, doing func(context.Context) (any, error)) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	if step != "connect" && step != "watch" {
		defer cancel()
	}
	line := map[string]any{"step": step}
	result, err := doing(ctx)
	var wire *jsonrpc.Error
	switch {
	case errors.As(err, &wire):
		line["error"] = map[string]any{"code": wire.Code, "message": wire.Message}
	case err != nil:
		line["failed"] = err.Error()
	default:
		line["result"] = result
	}
	line["heard"] = heard.take()
	text, _ := json.Marshal(line)
	fmt.Println(string(text))
	return err == nil
}

func do(ctx context.Context, session *mcp.ClientSession, step Step) (any, error) {
	switch step.Do {
	case "ping":
		return struct{}{}, session.Ping(ctx, nil)
	case "list":
		return list(ctx, session, step.What)
	case "call":
		return call(ctx, session, step)
	case "read":
		return session.ReadResource(ctx, &mcp.ReadResourceParams{URI: step.Uri})
	case "prompt":
		arguments := map[string]string{}
		for name, value := range step.Arguments {
			arguments[name] = value.(string)
		}
		return session.GetPrompt(ctx, &mcp.GetPromptParams{Name: step.Name, Arguments: arguments})
	case "complete":
		result, err := session.Complete(ctx, &mcp.CompleteParams{
			Ref:      &mcp.CompleteReference{Type: "ref/prompt", Name: step.Prompt},
			Argument: mcp.CompleteParamsArgument{Name: step.Argument, Value: step.Value},
		})
		if err != nil {
			return nil, err
		}
		return result.Completion.Values, nil
	case "watch":
		return struct{}{}, watch(ctx, session, step.Uri)
	case "together":
		return together(ctx, session, step.Calls)
	default:
		return struct{}{}, session.Close()
	}
}

func watch(ctx context.Context, session *mcp.ClientSession, uri string) error {
	before := acknowledged.Load()
	err := session.Subscribe(ctx, &mcp.SubscribeParams{URI: uri})
	if err != nil || session.InitializeResult().ProtocolVersion < "2026" {
		return err
	}
	for range 200 {
		if acknowledged.Load() > before {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return errors.New("the subscription was not acknowledged")
}

func list(ctx context.Context, session *mcp.ClientSession, what string) (any, error) {
	found := []string{}
	var failure error
	switch what {
	case "tools":
		for one, err := range session.Tools(ctx, nil) {
			if failure = err; err == nil {
				found = append(found, one.Name)
			}
		}
	case "prompts":
		for one, err := range session.Prompts(ctx, nil) {
			if failure = err; err == nil {
				found = append(found, one.Name)
			}
		}
	case "resources":
		for one, err := range session.Resources(ctx, nil) {
			if failure = err; err == nil {
				found = append(found, one.URI)
			}
		}
	default:
		for one, err := range session.ResourceTemplates(ctx, nil) {
			if failure = err; err == nil {
				found = append(found, one.URITemplate)
			}
		}
	}
	return found, failure
}

func call(ctx context.Context, session *mcp.ClientSession, step Step) (any, error) {
	params := &mcp.CallToolParams{Name: step.Name, Meta: mcp.Meta{}, Arguments: map[string]any{}}
	if step.Arguments != nil {
		params.Arguments = step.Arguments
	}
	if step.Level != "" {
		if session.InitializeResult().ProtocolVersion < "2026" {
			if err := session.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: mcp.LoggingLevel(step.Level)}); err != nil {
				return nil, err
			}
		}
		params.Meta["io.modelcontextprotocol/logLevel"] = step.Level
	}
	if step.Progress {
		params.SetProgressToken("progress of " + step.Id)
	}
	calling, cancel := context.WithCancel(ctx)
	defer cancel()
	if step.Cancel {
		go func() {
			heard.until("progress 1")
			cancel()
		}()
	}
	result, err := session.CallTool(calling, params)
	if step.Cancel && errors.Is(err, context.Canceled) {
		return nil, errors.New("cancelled")
	}
	if err == nil {
		for _, word := range step.Until {
			heard.until(word)
		}
	}
	return result, err
}

func together(ctx context.Context, session *mcp.ClientSession, calls []Step) (any, error) {
	results := make([]any, len(calls))
	failures := make([]string, len(calls))
	var waiting sync.WaitGroup
	for at, one := range calls {
		waiting.Go(func() {
			result, err := call(ctx, session, one)
			results[at] = result
			if err != nil {
				failures[at] = err.Error()
			}
		})
	}
	waiting.Wait()
	if failure := strings.Join(failures, ""); failure != "" {
		return nil, errors.New(failure)
	}
	return results, nil
}
