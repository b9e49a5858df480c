package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	Id, Do, Name string
	Arguments    map[string]any
	Ttl          *int64
}

var (
	mutex sync.Mutex
	heard = []string{}
	told  = make(chan string, 100)
)

func hear(word string) {
	mutex.Lock()
	defer mutex.Unlock()
	heard = append(heard, word)
}

type Answers struct{}

func (Answers) Elicit(context.Context, mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	hear("asked elicitation")
	response := mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"name": "Ann"}}
	return &mcp.ElicitationResult{ElicitationResponse: response}, nil
}

type Exercise struct {
	session *client.Client
	way     transport.Interface
	begun   int
}

func run(assignment Assignment) {
	exercise := &Exercise{}
	connected := tell("connect", func(ctx context.Context) (any, error) { return exercise.connect(ctx, assignment) })
	if !connected {
		return
	}
	for _, step := range assignment.Steps {
		tell(step.Id, func(ctx context.Context) (any, error) { return exercise.act(ctx, step) })
	}
}

func (e *Exercise) connect(ctx context.Context, assignment Assignment) (any, error) {
	var err error
	target := assignment.Target
	if target.Transport == "stdio" {
		e.way = transport.NewStdio(target.Command[0], nil, target.Command[1:]...)
	} else if e.way, err = transport.NewStreamableHTTP(target.Url, transport.WithContinuousListening()); err != nil {
		return nil, err
	}
	e.session = client.NewClient(e.way, client.WithElicitationHandler(Answers{}))
	e.session.OnNotification(func(notification mcp.JSONRPCNotification) {
		if notification.Method == mcp.MethodNotificationTasksStatus {
			fields := notification.Params.AdditionalFields
			hear(fmt.Sprintf("told %v", fields["status"]))
			told <- fmt.Sprintf("%v %v", fields["taskId"], fields["status"])
		}
	})
	if err := e.session.Start(context.Background()); err != nil {
		return nil, err
	}
	request := mcp.InitializeRequest{}
	request.Params.ClientInfo = mcp.Implementation{Name: "mcp-go", Version: "1.0.0"}
	// It has no tasks of newer revisions.
	request.Params.ProtocolVersion = mcp.ProtocolVersion20251125
	if _, err := e.session.Initialize(ctx, request); err != nil {
		return nil, err
	}
	return map[string]any{"revision": e.session.ProtocolVersion()}, nil
}

func (e *Exercise) act(ctx context.Context, step Step) (any, error) {
	switch step.Do {
	case "call":
		request := mcp.CallToolRequest{}
		request.Params.Name = step.Name
		request.Params.Arguments = step.Arguments
		return e.session.CallTool(ctx, request)
	case "tasks":
		found, err := e.session.ListTasks(ctx, mcp.ListTasksRequest{})
		if err != nil {
			return nil, err
		}
		return map[string]any{"count": len(found.Tasks)}, nil
	case "unknown":
		return e.session.GetTask(ctx, mcp.GetTaskRequest{Params: mcp.GetTaskParams{TaskId: "never-was"}})
	}
	id, err := e.started(ctx, step)
	if err != nil {
		return nil, err
	}
	switch step.Do {
	case "cancel":
		return e.session.CancelTask(ctx, mcp.CancelTaskRequest{Params: mcp.CancelTaskParams{TaskId: id}})
	case "cancel-ended":
		if _, err := e.result(ctx, id); err != nil {
			return nil, err
		}
		return e.session.CancelTask(ctx, mcp.CancelTaskRequest{Params: mcp.CancelTaskParams{TaskId: id}})
	case "told":
		for {
			select {
			case word := <-told:
				if word == id+" completed" {
					return map[string]any{"status": "completed"}, nil
				}
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	default:
		return e.followed(ctx, id)
	}
}

// started calls a tool as a task. CallTool reads the result that stands for a task as one without content, hence the transport.
func (e *Exercise) started(ctx context.Context, step Step) (string, error) {
	e.begun++
	params := mcp.CallToolParams{Name: step.Name, Arguments: step.Arguments, Task: &mcp.TaskParams{TTL: step.Ttl}}
	answer, err := e.way.SendRequest(ctx, transport.JSONRPCRequest{
		JSONRPC: mcp.JSONRPC_VERSION,
		ID:      mcp.NewRequestId(fmt.Sprintf("task-%d", e.begun)),
		Method:  string(mcp.MethodToolsCall),
		Params:  params,
	})
	if err != nil {
		return "", err
	}
	if answer.Error != nil {
		return "", errors.New(answer.Error.Message)
	}
	var made mcp.CreateTaskResult
	if err := json.Unmarshal(answer.Result, &made); err != nil {
		return "", err
	}
	hear("created")
	if made.Task.TTL != nil {
		hear(fmt.Sprintf("ttl %d", *made.Task.TTL))
	}
	return made.Task.TaskId, nil
}

func (e *Exercise) followed(ctx context.Context, id string) (any, error) {
	for {
		task, err := e.session.GetTask(ctx, mcp.GetTaskRequest{Params: mcp.GetTaskParams{TaskId: id}})
		if err != nil {
			return nil, err
		}
		hear("status " + string(task.Status))
		// What a task asks comes while its result is waited for.
		if task.Status != mcp.TaskStatusWorking {
			return e.result(ctx, id)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func (e *Exercise) result(ctx context.Context, id string) (any, error) {
	return e.session.TaskResult(ctx, mcp.TaskResultRequest{Params: mcp.TaskResultParams{TaskId: id}})
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
}

func tell(step string, doing func(context.Context) (any, error)) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
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
	mutex.Lock()
	line["heard"] = heard
	heard = []string{}
	mutex.Unlock()
	text, _ := json.Marshal(line)
	fmt.Println(string(text))
	return err == nil
}
