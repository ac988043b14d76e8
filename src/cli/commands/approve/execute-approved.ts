import { isDeepStrictEqual } from 'node:util'
import type { Grant } from '../../../calls/approval/index.ts'
import { parseJson } from '../../../lib/json.ts'
import { placesCall, type SentRequest, writesBelowCalls } from '../../../service/api/index.ts'
import { serviceOf } from '../../../service/profile/index.ts'
import type { CapturedRun, Context } from '../../shell/context.ts'
import type { Prepared } from './prepare.ts'

/** Carries a prepared action out in this process, which sends nothing but what was prepared. */
export async function carryOutApproved(
  prepared: Prepared,
  { runCommand }: Context,
  onNote?: (printed: string) => void,
): Promise<CapturedRun> {
  const { action, argv, cwd, plan } = prepared
  const run = (words: readonly string[], grant: Grant, input?: string) =>
    runCommand(words, { cwd, grant, ...(input !== undefined && { input }), ...(onNote && { onNote }) })
  if (action.action === 'call') return run([...argv, '--yes'], grantCall(prepared))
  if (action.action === 'batch') return run(['--no-input', ...withYes(argv)], grantCalls(prepared))
  // A file could be replaced before it is read.
  return run([...argv, '--yes', '-'], grantChanges(prepared), plan)
}

/** Before `--`, after which everything is an argument. */
function withYes(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return [...argv.slice(0, end), '--yes', ...argv.slice(end)]
}

/** Permits one request with exactly the body that was shown. */
function grantCall(prepared: Prepared): Grant {
  const { body } = prepared
  let isUsed = false
  return request => {
    if (isUsed || !isCallAt(prepared, request) || !isDeepStrictEqual(parseJson(request.json ?? ''), body))
      return false
    isUsed = true
    return true
  }
}

/** Permits calls to the people who were shown, with the bodies that follow from their rows. */
function grantCalls(prepared: Prepared): Grant {
  const isShown = prepared.batch?.createCheck(prepared.calls)
  return request => isCallAt(prepared, request) && isShown?.(request) === true
}

function grantChanges({ service }: Prepared): Grant {
  return request => serviceOf(request.url.href) === serviceOf(service) && !writesBelowCalls(request)
}

function isCallAt({ service }: Prepared, request: SentRequest): boolean {
  return placesCall(request) && serviceOf(request.url.href) === serviceOf(service)
}
