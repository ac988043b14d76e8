import { CallyardError } from '../../../lib/error.ts'
import type { Context } from '../../shell/context.ts'

const actions = {
  approve: 'approving a request',
  reject: 'rejecting a request',
  'change-rules': 'changing the protection of a profile',
  encrypt: 'setting a passphrase',
} as const

/** @throws CallyardError `usage` unless a person can read and type */
export function assertTerminal(action: keyof typeof actions, { host, prompts }: Context): void {
  if (host.hasTerminal && prompts.available) return
  throw new CallyardError('usage', `${actions[action]} requires a terminal`, {
    code: 'needs-terminal',
    hint: 'run it in your own terminal, without pipes, --json or --no-input',
    details: { what: action },
  })
}
