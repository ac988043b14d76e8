import { Command } from 'commander'
import type { Runner } from '../runner.ts'
import { addReplayCommand } from './replay-command.ts'
import { addShowCommand } from './show-command.ts'
import { addTailCommand } from './tail-command.ts'
import { addTriggerCommand } from './trigger-command.ts'

export function webhookCommand(run: Runner): Command {
  const webhook = new Command('webhook').description(
    'receive what the service sends during calls; keep it, send it, show it',
  )
  addTailCommand(webhook, run)
  addReplayCommand(webhook, run)
  addTriggerCommand(webhook, run)
  addShowCommand(webhook, run)
  return webhook
}
