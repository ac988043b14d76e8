import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod/mini'
import type { Clock } from '../../lib/clock.ts'
import type { Environment } from '../../lib/environment.ts'
import { CallyardError, getErrorCode } from '../../lib/error.ts'
import { isRunning, lockOwnerSchema, thisProcess } from '../../lib/fs/lock-owner.ts'
import { makeFolder } from '../../lib/fs/make-folder.ts'
import { readSmallFile } from '../../lib/fs/read-file.ts'
import { writeNewFile } from '../../lib/fs/replace-file.ts'
import { approvalFolder, storeUnusable } from '../../lib/fs/user-folders.ts'
import { parseJson } from '../../lib/json.ts'
import { type Infer, lazy } from '../../lib/lazy.ts'
import { actionSchema } from './actions.ts'
import { createCode, readCode } from './code.ts'
import { requestAgain } from './errors.ts'

/** A person has this time to decide. */
export const validMs = 10 * 60_000
/** Requests and results are removed after this time. */
const keptMs = 24 * 60 * 60_000

const requestSchema = lazy(() =>
  z.object({
    version: z.literal(1),
    code: z.string(),
    action: actionSchema(),
    /** Folder in which the command runs, absolute. */
    cwd: z.string(),
    profile: z.nullable(z.string()),
    /** Base URL of the service. */
    service: z.string(),
    /** Hash of everything that the command would do. */
    digest: z.string(),
    createdAt: z.number(),
  }),
)

/**
 * A request for approval. Its file carries no authority: whoever can write it can only ask. The process of the person who approves it
 * computes again what it would do, and does it.
 */
export type ApprovalRequest = Readonly<Infer<typeof requestSchema>>

const outcomeSchema = lazy(() =>
  z.object({
    decision: z.enum(['approved', 'rejected']),
    exitCode: z.nullable(z.int()),
    result: z.optional(z.unknown()),
    stderr: z.optional(z.string()),
  }),
)

/** Outcome of a request: the decision, and exit code and result of the approved command. */
export type ApprovalOutcome = Readonly<Infer<typeof outcomeSchema>>

/** `interrupted`: the process that carried it out ended without an outcome, so the action may be done in part. */
export const requestStatuses = ['pending', 'expired', 'running', 'interrupted', 'rejected', 'done'] as const

export type RequestStatus = (typeof requestStatuses)[number]

interface StoreDeps {
  readonly env: Environment
  readonly clock: Clock
}

/** Requests for approval in the person's config folder (mode 0600). */
export function openRequests({ env, clock }: StoreDeps) {
  const folder = approvalFolder(env)
  const fileOf = (code: string, part: 'request' | 'claim' | 'outcome') => join(folder, `${code}.${part}.json`)
  const write = async (code: string, part: 'request' | 'claim' | 'outcome', value: object) => {
    try {
      await makeFolder(folder, 0o700)
      return await writeNewFile(fileOf(code, part), `${JSON.stringify(value)}\n`, 0o600)
    } catch (error) {
      throw storeUnusable(folder, 'write', error)
    }
  }
  const read = (code: string, part: 'request' | 'claim' | 'outcome'): unknown => {
    try {
      return parseJson(readSmallFile(fileOf(code, part)).toString('utf8'))
    } catch (error) {
      if (getErrorCode(error) === 'ENOENT') return undefined
      throw storeUnusable(folder, 'read', error)
    }
  }
  const isExpired = ({ createdAt }: ApprovalRequest) => {
    const age = clock.now() - createdAt
    return age < 0 || age >= validMs
  }
  const statusOf = (request: ApprovalRequest): RequestStatus => {
    const { code } = request
    const outcome = outcomeOf(code)
    if (outcome !== undefined) return outcome.decision === 'rejected' ? 'rejected' : 'done'
    const claim = read(code, 'claim')
    if (claim === undefined) return isExpired(request) ? 'expired' : 'pending'
    const owner = lockOwnerSchema.safeParse(claim).data
    return owner === undefined || isRunning(owner) === false ? 'interrupted' : 'running'
  }
  const outcomeOf = (code: string) => outcomeSchema().safeParse(read(code, 'outcome')).data
  const codes = async () => {
    const names = await readdir(folder).catch(error => {
      if (getErrorCode(error) === 'ENOENT') return []
      throw storeUnusable(folder, 'read', error)
    })
    return names.flatMap(name => /^([A-Z0-9]{4})\.request\.json$/.exec(name)?.[1] ?? [])
  }
  const list = async () =>
    (await codes())
      .flatMap(code => requestOf(code) ?? [])
      .map(request => ({ request, status: statusOf(request) }))
      .sort((one, other) => one.request.createdAt - other.request.createdAt)
  const requestOf = (code: string) => {
    const request = requestSchema().safeParse(read(code, 'request')).data
    return request?.code === code ? request : undefined
  }
  const pendingCodes = async () =>
    (await list()).flatMap(({ request, status }) => (status === 'pending' ? [request.code] : []))

  return {
    /** Oldest first. */
    list,
    statusOf,
    outcomeOf,
    /** Adds a request under a new code, and removes old ones. */
    async add(fields: Omit<ApprovalRequest, 'version' | 'code' | 'createdAt'>) {
      for (const { request, status } of await list())
        if (status !== 'running' && clock.now() - request.createdAt >= keptMs)
          for (const part of ['request', 'claim', 'outcome'] as const)
            await rm(fileOf(request.code, part), { force: true })
      for (;;) {
        const request = { version: 1, code: createCode(), ...fields, createdAt: clock.now() } as const
        if (await write(request.code, 'request', request)) return request
      }
    },
    /** @throws CallyardError `usage` for an unknown code */
    async find(code: string): Promise<ApprovalRequest> {
      // Anything but a code could be the path of another file.
      const request = readCode(code) === code ? requestOf(code) : undefined
      if (request !== undefined) return request
      throw requestNotFound(code, await pendingCodes())
    },
    /** @throws CallyardError `conflict` for a request that expired or was decided */
    assertPending(request: ApprovalRequest): void {
      const status = statusOf(request)
      const { code, createdAt } = request
      if (status === 'expired') {
        const at = new Date(createdAt + validMs).toISOString()
        throw new CallyardError('conflict', `request ${code} expired at ${at}`, {
          code: 'request-expired',
          hint: requestAgain,
          details: { approval: code, at },
        })
      }
      if (status !== 'pending') throw requestDecided(code, status)
    },
    /**
     * Claims a request for this process, once: of several processes only one succeeds, and a kill does not free it.
     * @throws CallyardError `conflict` if it is claimed
     */
    async claim({ code }: ApprovalRequest): Promise<void> {
      if (await write(code, 'claim', thisProcess())) return
      throw requestDecided(code, 'running')
    },
    /** Records what became of a claimed request. */
    async finish({ code }: ApprovalRequest, outcome: ApprovalOutcome): Promise<void> {
      await write(code, 'outcome', outcome)
    },
  }
}

const requestNotFound = (approval: string, pending: readonly string[]) =>
  new CallyardError('usage', `request ${approval} not found`, {
    code: 'request-not-found',
    hint:
      pending.length === 0
        ? 'no requests are pending; requests are kept for a day'
        : `pending: ${pending.join(', ')}`,
    details: { approval, pending },
  })

const requestDecided = (approval: string, status: RequestStatus) =>
  new CallyardError('conflict', `request ${approval} has already been used (${status})`, {
    code: 'request-decided',
    hint: 'list the requests for details',
    details: { approval, status },
  })
