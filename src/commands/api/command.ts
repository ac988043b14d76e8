import type { Command } from 'commander'
import { CliCommand } from '../../cli/cli-command.ts'
import type { Runner } from '../../cli/runner.ts'

export function apiCommand(run: Runner): Command {
  return new CliCommand('api')
    .argument('<METHOD>', 'GET, POST, PUT, PATCH, DELETE, HEAD or OPTIONS')
    .argument('<path>', 'Path below the base URL, such as /assistants/v1/assistants')
    .description('Send one request with the key of the profile')
    .option('--data <json>', 'Body: JSON, @file, or @- for stdin')
    .option('-i, --include', 'Print the status and headers of the answer too')
    .examples(
      'callwright api GET /assistants/v1/assistants/6650f0c2',
      `callwright api PATCH /assistants/v1/tools/6650f0c2 --data '{"async":true}'`,
    )
    .action((method, path, options, command) =>
      run(command, async context =>
        (await import('./send.ts')).sendRequest({ ...options, method, path }, context),
      ),
    )
}
