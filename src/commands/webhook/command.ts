import type { Command } from 'commander'
import { CliCommand } from '../../cli/cli-command.ts'
import type { Runner } from '../../cli/runner.ts'
import { addReplayCommand } from './replay-command.ts'
import { addShowCommand } from './show-command.ts'
import { addTailCommand } from './tail-command.ts'
import { addTriggerCommand } from './trigger-command.ts'

export function webhookCommand(run: Runner): Command {
  const webhook = new CliCommand('webhook')
    .description('Receive, keep and send again what the service sends')
    .examples(
      'callwright webhook tail',
      'callwright webhook replay calls.ndjson --to http://127.0.0.1:3000/hook',
    )
  addTailCommand(webhook, run)
  addReplayCommand(webhook, run)
  addTriggerCommand(webhook, run)
  addShowCommand(webhook, run)
  return webhook
}
