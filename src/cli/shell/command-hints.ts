import { seeSchema } from '../../interface/finding.ts'
import { apiHints } from '../../service/api/index.ts'
import { type Hints, suggest } from './advice.ts'
import { projectHints } from './project-hints.ts'

/** Advice that names commands, by the code of an error or by the hint that it replaces. Advice that names a flag is at the flag. */
export const commandHints: Hints = {
  [seeSchema]: suggest`run \`${['schema']}\` to see every field`,
  ...projectHints,
  'batch-differs': suggest`run it with the same files on each machine, add people with ${['batch', 'add']}, or pass another --name`,
  'stream-missing': suggest`start a relay first (${['webhook', 'relay', '--nats', '…']}), or pass its --stream`,
  'batch-missing': suggest`start it with ${['batch', 'run', '--queue']}, or check the name and the URL`,
  'batch-log-lost': suggest`nobody else is called: compare the calls of the service with ${['batch', 'status']}, then start a batch with another --name for the rest`,
  'no-base-url': suggest`add one: ${['profile', 'add', '<name>']}; or set --base-url or CALLYARD_BASE_URL; to try it locally: ${['sandbox', 'start']}`,
  'no-api-key': suggest`add one: ${['profile', 'add', '<name>']}; or set CALLYARD_API_KEY; to try it locally: ${['sandbox', 'start']}`,
  'no-such-profile': ({ profile, known }: { profile: string; known: readonly string[] }, hint) =>
    known.length > 0 ? hint : suggest`${['profile', 'add', profile]}`,
  'profile-not-kept': ({ profile, near }: { profile: string; near?: string }, hint) =>
    near !== undefined
      ? hint
      : suggest`${['profile', 'add', profile]}; or set CALLYARD_BASE_URL and CALLYARD_API_KEY`,
  'key-locked': suggest`run the command in your own terminal; scripts use CALLYARD_API_KEY, and agents request approval through ${['mcp', '--allow']}`,
  [apiHints.checkApiKey]: suggest`${apiHints.checkApiKey}: ${['profile', 'show']}`,
  [apiHints.checkBaseUrl]: suggest`${apiHints.checkBaseUrl}: ${['profile', 'show']}`,
  [apiHints.checkService]: suggest`${apiHints.checkService}: ${['profile', 'show']}`,
  'approval-required': suggest`run the command in your own terminal; agents request approval through ${['mcp', '--allow']}`,
  'number-not-allowed': ({ allowed }: { allowed: readonly string[] }) =>
    suggest`allowed: ${allowed.join(', ') || 'none'}; to change this, run ${['profile', 'protect']}`,
  'calls-per-day-reached': suggest`try again tomorrow, or run ${['profile', 'protect']} with another --calls-per-day`,
  'outside-hours': suggest`try again during these hours, or run ${['profile', 'protect']} with other --hours`,
  'request-decided': suggest`for details, run ${['approve', '--list']}`,
  'see the list of metrics': suggest`to list all metrics: ${['help', 'metrics']}`,
  'a report has no time windows; replay a recording with the rules to try them': suggest`a report has no time windows; to try the rule on a recording: ${['webhook', 'replay', '<file>', '--guard', '<rules>']}`,
  'not-a-recording': suggest`create one: ${['webhook', 'tail', '--record', '<file>']}`,
}
