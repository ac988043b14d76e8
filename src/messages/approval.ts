import type { ApprovalErrors } from '../approval/index.ts'
import type { Messages } from './words.ts'

export const approvalMessages: Messages<ApprovalErrors> = {
  'approval-required': ({ method, path, service }) => ({
    message: `${service} requires approval by a person; ${method} ${path} was not sent`,
    hint: 'run the command in your own terminal; a program requests approval through callwright mcp --allow',
  }),
  'not-as-approved': ({ method, path }) => ({
    message: `${method} ${path} differs from what was approved; it was not sent`,
    hint: 'request approval again',
  }),
  'number-not-allowed': ({ number, allowed }) => ({
    message: `${number ?? 'a call without a number'} is not an allowed number; nobody was called`,
    hint: `allowed: ${allowed.join(', ') || 'none'}; to change it: callwright profile protect`,
  }),
  'calls-per-day-reached': ({ callsPerDay }) => ({
    message: `the limit of ${callsPerDay} calls a day is reached; nobody was called`,
    hint: 'try again tomorrow, or change it: callwright profile protect',
  }),
  'outside-hours': ({ hours, timeZone }) => ({
    message: `calls are allowed only at ${hours}${timeZone === null ? '' : ` (${timeZone})`}; nobody was called`,
    hint: 'try again then, or change it: callwright profile protect',
  }),
  'request-not-found': ({ approval, pending }) => ({
    message: `no request ${approval}`,
    hint:
      pending.length === 0
        ? 'nothing waits for approval; requests are kept for a day'
        : `waiting for approval: ${pending.join(', ')}`,
  }),
  'request-expired': ({ approval, at }) => ({
    message: `request ${approval} expired at ${at}`,
    hint: 'it has to be requested again',
  }),
  'request-decided': ({ approval, status }) => ({
    message: `request ${approval} cannot be used again: it is ${status}`,
    hint: 'to see what was decided: callwright approve --list',
  }),
  'request-changed': ({ approval }) => ({
    message: `what request ${approval} would do has changed since it was made; nothing was sent`,
    hint: 'it has to be requested again',
  }),
  'request-for-other-service': ({ approval, service, current }) => ({
    message: `request ${approval} is for ${service}, and your settings lead to ${current ?? 'no service'}`,
    hint: 'choose that service with --profile or CALLWRIGHT_BASE_URL, and approve again',
  }),
  'needs-terminal': ({ what }) => ({
    message: `${whats[what]} takes a person at a terminal`,
    hint: 'run it in your own terminal, without pipes, --json or --no-input',
  }),
}

const whats = {
  approve: 'approving a request',
  reject: 'rejecting a request',
  'change-rules': 'lowering the rules of a profile',
  encrypt: 'setting a passphrase',
} as const
