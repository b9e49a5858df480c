package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
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

func run(assignment Assignment) {
	var session *client.Client
	connected := tell("connect", func(context.Context) (any, error) {
		way, err := transportTo(assignment)
		if err != nil {
			return nil, err
		}
		answers := Answers{}
		session = client.NewClient(way, client.WithElicitationHandler(answers), client.WithSamplingHandler(answers), client.WithRootsHandler(answers))
		session.OnNotification(heard.hear)
		if err := session.Start(context.Background()); err != nil {
			return nil, err
		}
		request := mcp.InitializeRequest{}
		request.Params.ClientInfo = mcp.Implementation{Name: "mcp-go", Version: "1.0.0"}
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if _, err := session.Initialize(ctx, request); err != nil {
			return nil, err
		}
		return map[string]any{"revision": session.ProtocolVersion()}, nil
	})
	if !connected {
		return
	}
	for _, step := range assignment.Steps {
		tell(step.Id, func(ctx context.Context) (any, error) { return act(ctx, session, step) })
	}
}

func transportTo(assignment Assignment) (transport.Interface, error) {
	target := assignment.Target
	switch target.Transport {
	case "stdio":
		return transport.NewStdio(target.Command[0], nil, target.Command[1:]...), nil
	case "sse":
		return transport.NewSSE(target.Url)
	case "listening":
		return transport.NewStreamableHTTP(target.Url, transport.WithContinuousListening())
	default:
		return transport.NewStreamableHTTP(target.Url)
	}
}

// codes are those of the errors that the library keeps instead of what came on the wire.
var codes = []struct {
	err  error
	code int
}{
	{mcp.ErrInvalidParams, mcp.INVALID_PARAMS},
	{mcp.ErrMethodNotFound, mcp.METHOD_NOT_FOUND},
	{mcp.ErrInvalidRequest, mcp.INVALID_REQUEST},
	{mcp.ErrInternalError, mcp.INTERNAL_ERROR},
	{mcp.ErrResourceNotFound, mcp.RESOURCE_NOT_FOUND},
}

func tell(step string, doing func(context.Context) (any, error)) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	line := map[string]any{"step": step}
	result, err := doing(ctx)
	if err == nil {
		line["result"] = result
	} else {
		line["failed"] = err.Error()
		for _, one := range codes {
			if errors.Is(err, one.err) {
				delete(line, "failed")
				line["error"] = map[string]any{"code": one.code, "message": err.Error()}
			}
		}
	}
	line["heard"] = heard.take()
	text, _ := json.Marshal(line)
	fmt.Println(string(text))
	return err == nil
}

func act(ctx context.Context, session *client.Client, step Step) (any, error) {
	switch step.Do {
	case "ping":
		return struct{}{}, session.Ping(ctx)
	case "list":
		return list(ctx, session, step.What)
	case "call":
		return call(ctx, session, step)
	case "read":
		request := mcp.ReadResourceRequest{}
		request.Params.URI = step.Uri
		return session.ReadResource(ctx, request)
	case "prompt":
		request := mcp.GetPromptRequest{}
		request.Params.Name = step.Name
		request.Params.Arguments = map[string]string{}
		for name, value := range step.Arguments {
			request.Params.Arguments[name] = value.(string)
		}
		return session.GetPrompt(ctx, request)
	case "complete":
		request := mcp.CompleteRequest{}
		request.Params.Ref = mcp.PromptReference{Type: "ref/prompt", Name: step.Prompt}
		request.Params.Argument = mcp.CompleteArgument{Name: step.Argument, Value: step.Value}
		result, err := session.Complete(ctx, request)
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

func watch(ctx context.Context, session *client.Client, uri string) error {
	if session.ProtocolVersion() < "2026" {
		request := mcp.SubscribeRequest{}
		request.Params.URI = uri
		return session.Subscribe(ctx, request)
	}
	filter := mcp.SubscriptionFilter{ToolsListChanged: true, ResourceSubscriptions: []string{uri}}
	failed := make(chan error, 1)
	_, err := session.ListenAsync(context.Background(), filter, func(err error) { failed <- err })
	if err != nil {
		return err
	}
	heard.until("acknowledged")
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}

func list(ctx context.Context, session *client.Client, what string) (any, error) {
	found := []string{}
	switch what {
	case "tools":
		result, err := session.ListTools(ctx, mcp.ListToolsRequest{})
		if err != nil {
			return nil, err
		}
		for _, one := range result.Tools {
			found = append(found, one.Name)
		}
	case "prompts":
		result, err := session.ListPrompts(ctx, mcp.ListPromptsRequest{})
		if err != nil {
			return nil, err
		}
		for _, one := range result.Prompts {
			found = append(found, one.Name)
		}
	case "resources":
		result, err := session.ListResources(ctx, mcp.ListResourcesRequest{})
		if err != nil {
			return nil, err
		}
		for _, one := range result.Resources {
			found = append(found, one.URI)
		}
	default:
		result, err := session.ListResourceTemplates(ctx, mcp.ListResourceTemplatesRequest{})
		if err != nil {
			return nil, err
		}
		for _, one := range result.ResourceTemplates {
			found = append(found, one.URITemplate.Raw())
		}
	}
	return found, nil
}

func call(ctx context.Context, session *client.Client, step Step) (any, error) {
	request := mcp.CallToolRequest{}
	request.Params.Name = step.Name
	if step.Arguments != nil {
		request.Params.Arguments = step.Arguments
	}
	if step.Level != "" {
		level := mcp.SetLevelRequest{}
		level.Params.Level = mcp.LoggingLevel(step.Level)
		if err := session.SetLevel(ctx, level); err != nil {
			return nil, err
		}
	}
	if step.Progress {
		request.Params.Meta = &mcp.Meta{ProgressToken: "progress of " + step.Id}
	}
	calling, cancel := context.WithCancel(ctx)
	defer cancel()
	if step.Cancel {
		go func() {
			heard.until("progress 1")
			cancel()
		}()
	}
	result, err := session.CallTool(calling, request)
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

func together(ctx context.Context, session *client.Client, calls []Step) (any, error) {
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
