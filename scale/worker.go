package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

var provision = flag.String("provision_endpoint", "", "set by a runner that starts this program as a worker process: "+
	"the `address` at which it learns of its job")

// beWorker makes the flags of Beam's worker from what the runner says at -provision_endpoint. A runner that
// starts processes expects Beam's boot program, which fetches the worker's program; this one is the program.
func beWorker(ctx context.Context) error {
	id := strings.Trim(flag.Lookup("id").Value.String(), "'") // Prism quotes it as for a shell
	info, err := tools.ProvisionInfo(grpcx.WriteWorkerID(ctx, id), *provision)
	if err != nil {
		return fmt.Errorf("-provision_endpoint %s: %w", *provision, err)
	}
	options, err := tools.ProtoToJSON(info.GetPipelineOptions())
	if err != nil {
		return err
	}
	for _, f := range [][2]string{
		{"worker", "true"},
		{"id", id},
		{"options", options},
		{"logging_endpoint", info.GetLoggingEndpoint().GetUrl()},
		{"control_endpoint", info.GetControlEndpoint().GetUrl()},
	} {
		// What the runner gave as a flag stands.
		if flag.Lookup(f[0]).Value.String() != "" && strings.HasSuffix(f[0], "_endpoint") {
			continue
		}
		if err := flag.Set(f[0], f[1]); err != nil {
			return err
		}
	}
	if s := info.GetStatusEndpoint().GetUrl(); s != "" {
		os.Setenv("STATUS_ENDPOINT", s)
	}
	return os.Setenv("RUNNER_CAPABILITIES", strings.Join(info.GetRunnerCapabilities(), " "))
}
