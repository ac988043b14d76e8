import type { ApprovalErrors } from '../../calls/approval/index.ts'
import type { Messages } from './words.ts'

const requestAgain = 'ask the agent to request it again'

export const approvalMessages: Messages<ApprovalErrors> = {
  'approval-required': ({ method, path, service }) => ({
    message: `${service} requires approval; ${method} ${path} was not sent`,
    hint: 'run the command in your own terminal; agents request approval through callyard mcp --allow',
  }),
  'not-as-approved': ({ method, path }) => ({
    message: `${method} ${path} does not match the approved request; it was not sent`,
    hint: 'request approval again',
  }),
  'number-not-allowed': ({ number, allowed }) => ({
    message: `calls ${number === null ? 'without a number' : `to ${number}`} are not allowed; nobody was called`,
    hint: `allowed: ${allowed.join(', ') || 'none'}; to change this, run callyard profile protect`,
  }),
  'calls-per-day-reached': ({ callsPerDay }) => ({
    message: `the limit of ${callsPerDay} calls per day is reached; nobody was called`,
    hint: 'try again tomorrow, or run callyard profile protect with another --calls-per-day',
  }),
  'outside-hours': ({ hours, timeZone }) => ({
    message: `calls are only allowed from ${hours}${timeZone === null ? '' : ` (${timeZone})`}; nobody was called`,
    hint: 'try again during these hours, or run callyard profile protect with other --hours',
  }),
  'request-not-found': ({ approval, pending }) => ({
    message: `request ${approval} not found`,
    hint:
      pending.length === 0
        ? 'no requests are pending; requests are kept for a day'
        : `pending: ${pending.join(', ')}`,
  }),
  'request-expired': ({ approval, at }) => ({
    message: `request ${approval} expired at ${at}`,
    hint: requestAgain,
  }),
  'request-decided': ({ approval, status }) => ({
    message: `request ${approval} has already been used (${status})`,
    hint: 'for details, run callyard approve --list',
  }),
  'request-changed': ({ approval }) => ({
    message: `files or settings of request ${approval} have changed since it was made; nothing was sent`,
    hint: requestAgain,
  }),
  'request-for-other-service': ({ approval, service, current }) => ({
    message: `request ${approval} is for ${service}, but your settings use ${current ?? 'no service'}`,
    hint: 'choose that service with --profile or CALLYARD_BASE_URL',
  }),
  'needs-terminal': ({ what }) => ({
    message: `${actions[what]} requires a terminal`,
    hint: 'run it in your own terminal, without pipes, --json or --no-input',
  }),
}

const actions = {
  approve: 'approving a request',
  reject: 'rejecting a request',
  'change-rules': 'changing the protection of a profile',
  encrypt: 'setting a passphrase',
} as const
