import {
  type ApprovalRequest,
  openRequests,
  type RequestStatus,
  readCode,
  requestChanged,
  requestStatuses,
  validMs,
} from '../../calls/approval/index.ts'
import { logDecision, readCallLog } from '../../calls/log/index.ts'
import { accessByPath } from '../../calls/place/index.ts'
import { CallyardError } from '../../lib/error.ts'
import { isObject } from '../../lib/json.ts'
import { oneLine } from '../../lib/text/escape.ts'
import { bold, dim, join, type Text, text, whole } from '../../lib/text/text.ts'
import { serviceOf } from '../../service/profile/index.ts'
import { suggest } from '../shell/advice.ts'
import { defineCommand } from '../shell/cli-command.ts'
import type { CapturedRun, Context } from '../shell/context.ts'
import { kindOfExitCode } from '../shell/exit-codes.ts'
import { assertTerminal } from './approve/assert-terminal.ts'
import type { Prepared } from './approve/prepare.ts'
import { agreeOnce } from './consent.ts'

export const approveCommand = defineCommand({
  description: 'Approve or reject a request from a coding agent',
  examples: ['callyard approve 7F3K', 'callyard approve --list', 'callyard approve 7F3K --reject'],
  topics: ['agents'],
  effect: 'calls',
  flags: command =>
    command
      .argument('[code]', 'Code of the request, such as 7F3K')
      .option('--list', 'List requests and decisions of the last 24 hours')
      .option('--reject', 'Reject the request without showing it')
      .option('--full', 'Show long texts and lists in full'),
  async result({ z, objectList, required }) {
    const { approvableActions, decisionSchema } = await import('../../files/formats/approval.ts')
    const requests = objectList({
      code: z.string(),
      status: z.enum(requestStatuses),
      action: z.enum(approvableActions),
      command: required(z.string(), 'Command that would be run'),
      cwd: required(z.string(), 'Folder in which it would be run'),
      service: required(z.string(), 'Base URL of the service'),
      profile: z.nullable(z.string()),
      expiresAt: required(z.string(), 'ISO 8601'),
    })
    return {
      document: z.union([
        z.object({
          requests: required(requests, 'With --list: requests of the last day, oldest first'),
          decisions: required(z.array(decisionSchema()), 'Decisions in the call log, latest first'),
        }),
        z.object({
          code: z.string(),
          decision: z.enum(['approved', 'rejected']),
          exitCode: required(z.nullable(z.int()), 'Exit code of the approved command'),
        }),
      ]),
    }
  },
  /**
   * Shows what a request would do, asks for confirmation, and carries it out in this process. No other process gets a token that it
   * could use or forge.
   */
  async run({ list, reject, full = false }, context, [codeArg]) {
    if (list === true) return showRequests(context)
    const store = openRequests(context)
    if (codeArg === undefined) {
      throw new CallyardError('usage', 'no request code given', {
        ...suggest`pass a code; to list requests, run ${['approve', '--list']}`,
        details: { missing: ['<code>'] },
      })
    }
    assertTerminal(reject === true ? 'reject' : 'approve', context)
    const request = await store.find(readCode(codeArg) ?? codeArg)
    store.assertPending(request)
    if (reject === true) {
      await store.claim(request)
      return rejectRequest(request, context)
    }
    await approveRequest(request, full, context)
  },
  handlesSignal: () => true,
})

async function approveRequest(request: ApprovalRequest, full: boolean, context: Context): Promise<void> {
  const { output, prompts } = context
  const { code } = request
  const store = openRequests(context)
  const { prepareAction } = await import('./approve/prepare.ts')
  const prepare = async () => {
    const { action, cwd } = request
    const profile = context.options.profile ?? request.profile ?? undefined
    const prepared = await prepareAction(action, { cwd, profile }, context)
    if (serviceOf(prepared.service) !== serviceOf(request.service)) {
      const { service } = request
      const current = prepared.service
      const message = `request ${code} is for ${service}, but your settings use ${current ?? 'no service'}`
      throw new CallyardError('conflict', message, {
        code: 'request-for-other-service',
        hint: 'choose that service with --profile or CALLYARD_BASE_URL',
        details: { approval: code, service, current },
      })
    }
    if (prepared.digest !== request.digest) throw requestChanged(code)
    return prepared
  }
  const preview = await prepare()
  await agreeToPrepared(preview, context)
  const { previewText, factsText } = await import('./approve/preview.ts')
  output.note(await previewText(preview, code, { full }, context), { isRequested: true })
  output.note(await factsText(request, preview, { full }, context), { isRequested: true })
  const isApproved = await prompts.confirm({ message: questions[request.action.action], flag: 'approval' })
  if (isApproved && preview.lockedKey !== undefined) await context.unlockKey(preview.lockedKey)
  store.assertPending(request)
  // The files may have changed while the person was reading.
  const prepared = isApproved ? await prepare() : preview
  await store.claim(request)
  if (!isApproved) return rejectRequest(request, context)
  await decide(request, 'approved', prepared.calls, context)
  const { carryOutApproved } = await import('./approve/execute-approved.ts')
  const run = await carryOutApproved(prepared, context, printed => output.note(whole(printed.trimEnd())))
  const { exitCode, result, stderr } = run
  await store.finish(request, { decision: 'approved', exitCode, result, stderr })
  output.result({ code, decision: 'approved', exitCode }, () => outcomeText(run))
  if (exitCode !== 0) throw failureOf(run)
}

const questions = {
  apply: 'Apply these changes?',
  call: 'Place this call?',
  batch: 'Call these people?',
} as const

/** Asks about variables, files and hosts that the files use for the first time, as the command itself would. */
async function agreeToPrepared({ sending, settings, cwd }: Prepared, context: Context): Promise<void> {
  const project = settings.project?.checked
  const files = project === undefined ? sending : [...sending, project]
  const access = await accessByPath(files, context.with({ cwd, settings: async () => settings }))
  await agreeOnce(access, context, { flag: 'approval' })
}

async function rejectRequest(request: ApprovalRequest, context: Context): Promise<void> {
  const { code } = request
  await decide(request, 'rejected', 0, context)
  await openRequests(context).finish(request, { decision: 'rejected', exitCode: null })
  context.output.result({ code, decision: 'rejected', exitCode: null }, () => text`Rejected ${bold(code)}`)
}

async function decide(
  { code, action, profile, service }: ApprovalRequest,
  decision: 'approved' | 'rejected',
  calls: number,
  context: Context,
): Promise<void> {
  const to = action.action === 'call' ? action.to : null
  await logDecision({ code, decision, action: action.action, profile, service, to, calls }, context)
}

function outcomeText({ exitCode, result }: CapturedRun): Text {
  const id = isObject(result) ? (result.sid ?? result.id) : undefined
  const summary = typeof id === 'string' ? text`Placed call ${bold(id)}` : 'Done'
  return exitCode === 0 ? summary : `The command exited with code ${exitCode}`
}

/** The error with the exit code of the command, which has told its reason. */
function failureOf({ exitCode, result }: CapturedRun): CallyardError {
  const error = isObject(result) && isObject(result.error) ? result.error : {}
  return new CallyardError(
    kindOfExitCode(exitCode) ?? 'bug',
    String(error.message ?? 'the approved command failed'),
    {
      hint: typeof error.hint === 'string' ? error.hint : undefined,
    },
  )
}

async function showRequests(context: Context): Promise<void> {
  const { commandOf } = await import('./approve/preview.ts')
  const { env, clock, output } = context
  const since = clock.now() - keptDecisionsMs
  const requests = (await openRequests(context).list()).map(({ request, status }) =>
    toRow(request, status, commandOf(request)),
  )
  const { decisions } = await readCallLog(env)
  const latest = decisions.filter(({ at }) => Date.parse(at) >= since).reverse()
  output.result({ requests, decisions: latest }, () => {
    if (requests.length === 0) return dim('no requests in the last day')
    return join(
      requests.map(({ code, status, command, service }) =>
        join([text`${bold(code)}  ${status}  ${service}`, text`      ${whole(oneLine(command))}`]),
      ),
    )
  })
  const pending = requests.find(({ status }) => status === 'pending')
  if (pending !== undefined) output.note(dim(`To review it: callyard approve ${pending.code}`))
}

const keptDecisionsMs = 24 * 60 * 60_000

function toRow(request: ApprovalRequest, status: RequestStatus, command: string) {
  const { code, action, cwd, service, profile, createdAt } = request
  const expiresAt = new Date(createdAt + validMs).toISOString()
  return {
    code,
    status,
    action: action.action,
    command,
    cwd,
    service,
    profile,
    expiresAt,
  }
}
