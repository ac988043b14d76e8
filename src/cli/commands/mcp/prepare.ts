import { actionSchema, openRequests } from '../../../calls/approval/index.ts'
import { sandboxTeam } from '../../../service/api/index.ts'
import { readServiceRules } from '../../../service/profile/index.ts'
import type { Context } from '../../shell/context.ts'
import { ownCommand } from '../../shell/render/next-steps.ts'
import { prepareAction } from '../approve/prepare.ts'
import type { McpOutcome } from './result.ts'
import type { ToolContext } from './tool-context.ts'
import type { ToolInput } from './tools.ts'

const source = 'callyard mcp'

/** Prepares an action and adds a request for it. */
export async function prepareRequest(
  input: ToolInput<'prepare'>,
  { context, allowed, signal }: ToolContext,
): Promise<McpOutcome> {
  const parsed = actionSchema().safeParse(input)
  if (!parsed.success) {
    const issues = parsed.error.issues.map(
      ({ path, message }) => `${path.join('.') || input.action}: ${message}`,
    )
    return {
      summary: 'Failed: arguments are missing, or belong to another action.',
      source,
      data: issues,
      isError: true,
    }
  }
  const prepared = await prepareAction(
    parsed.data,
    { cwd: context.cwd, profile: context.options.profile },
    context.with({ signal }),
  )
  const { action, cwd, profile, service, digest, calls, minutes, preview } = prepared
  const isFree = await needsNoApproval(prepared.service, context)
  if (!isFree && !allowed.has(action.action)) {
    return {
      summary: `Not allowed: this server was started without --allow ${action.action}. A person can add it, or run the command.`,
      source,
      data: { service, calls, minutes, preview },
      isError: true,
    }
  }
  const { code } = await openRequests(context).add({ action, cwd, profile, service, digest })
  return {
    summary: isFree
      ? `Prepared ${code} at a sandbox, which requires no approval.`
      : `Prepared ${code}. Ask the person to run this in their own terminal within 10 minutes: ${ownCommand(`approve ${code}`, context)}`,
    next: [`execute {"code":"${code}"}`],
    source,
    data: { service, calls, minutes, preview },
  }
}

/** True for a sandbox, unless a person has set that its service requires approval. */
export async function needsNoApproval(service: string, context: Context): Promise<boolean> {
  const { requiresApproval } = await readServiceRules(service, context.env)
  return !requiresApproval && (await sandboxTeam(service, context)) !== undefined
}
