import {
  type ApprovalRequest,
  openRequests,
  type RequestStatus,
  readCode,
  requestChanged,
} from '../../../calls/approval/index.ts'
import { CallyardError } from '../../../lib/error.ts'
import type { Context } from '../../shell/context.ts'
import { ownCommand } from '../../shell/render/next-steps.ts'
import { carryOutApproved } from '../approve/execute-approved.ts'
import { prepareAction } from '../approve/prepare.ts'
import { needsNoApproval } from './prepare.ts'
import { type McpOutcome, outcomeOfRun } from './result.ts'
import type { ToolContext } from './tool-context.ts'
import type { ToolInput } from './tools.ts'

const source = 'callyard mcp'

/** Time between looks at the outcome that the process of the person writes. */
const pollMs = 250

/** Carries out a request at a sandbox. Waits for the outcome of any other one, which only `approve` carries out. */
export async function executeAction(
  { code, waitSeconds = 20 }: ToolInput<'execute'>,
  { context, signal }: ToolContext,
): Promise<McpOutcome> {
  const { clock } = context
  const store = openRequests(context)
  const request = await store.find(readCode(code) ?? code)
  if (store.statusOf(request) === 'pending' && (await needsNoApproval(request.service, context))) {
    const outcome = await executeAtSandbox(request, context.with({ signal }))
    if (outcome !== undefined) return outcome
  }
  const end = clock.now() + waitSeconds * 1000
  let status = store.statusOf(request)
  while (['pending', 'running'].includes(status) && clock.now() < end && !signal.aborted) {
    await clock.sleep(Math.min(pollMs, end - clock.now()), signal).catch(() => undefined)
    status = store.statusOf(request)
  }
  const outcome = store.outcomeOf(request.code)
  if (status !== 'done' || outcome === undefined) return statusOutcome(request, status, context)
  const { exitCode, result, stderr = '' } = outcome
  return outcomeOfRun(source, { exitCode: exitCode ?? 0, result, stderr, stdout: '' })
}

/** Returns undefined if another process or request of the agent does it. */
async function executeAtSandbox(request: ApprovalRequest, context: Context): Promise<McpOutcome | undefined> {
  const { code, action, cwd, profile, digest } = request
  const store = openRequests(context)
  const prepared = await prepareAction(action, { cwd, profile: profile ?? undefined }, context)
  if (prepared.digest !== digest) throw requestChanged(code)
  // Uses the service that was prepared, not the one that the request names.
  if (!(await needsNoApproval(prepared.service, context))) throw requestChanged(code)
  const isClaimed = await store.claim(request).then(
    () => true,
    error => {
      if (error instanceof CallyardError && error.code === 'request-decided') return false
      throw error
    },
  )
  if (!isClaimed) return undefined
  const { exitCode, result, stderr, stdout } = await carryOutApproved(prepared, context)
  await store.finish(request, { decision: 'approved', exitCode, result, stderr })
  return outcomeOfRun(source, { exitCode, result, stderr, stdout })
}

function statusOutcome({ code }: ApprovalRequest, status: RequestStatus, context: Context): McpOutcome {
  const approve = ownCommand(`approve ${code}`, context)
  return {
    summary: summaries[status](code, approve),
    source,
    isError: !['pending', 'running'].includes(status),
    ...(['pending', 'running'].includes(status) && { next: [`execute {"code":"${code}"}`] }),
  }
}

const summaries: Readonly<Record<RequestStatus, (code: string, approve: string) => string>> = {
  pending: (code, approve) => `${code} is pending. A person approves it with: ${approve}`,
  running: code => `${code} was approved and is being carried out.`,
  rejected: code => `${code} was rejected. Do not request it again unless the person asks you to.`,
  expired: code => `${code} expired without a decision.`,
  interrupted: code =>
    `${code} was approved, but its process was interrupted. It may have been carried out in part.`,
  done: code => `${code} is done.`,
}
