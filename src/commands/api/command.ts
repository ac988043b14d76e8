import { Command } from 'commander'
import type { Runner } from '../runner.ts'

export function apiCommand(run: Runner): Command {
  return new Command('api')
    .argument('<METHOD>', 'GET, POST, PUT, PATCH, DELETE, HEAD or OPTIONS')
    .argument('<path>', 'path below the base URL, for example /assistants/v1/assistants')
    .description('send one request with the key of the profile, for endpoints that have no command')
    .option('--data <json>', 'body: JSON, @file, or @- for stdin')
    .option('-i, --include', 'show the status and headers of the answer too')
    .addHelpText(
      'after',
      '\nExamples:\n  $ callwright api GET /assistants/v1/assistants/6650f0c2\n  $ callwright api PATCH /assistants/v1/tools/6650f0c2 --data \'{"async":true}\'\n  $ callwright api POST /assistants/v1/tools --data @tool.json --json',
    )
    .action((method, path, options, command) =>
      run(command, async context =>
        (await import('./send.ts')).sendRequest({ ...options, method, path }, context),
      ),
    )
}
