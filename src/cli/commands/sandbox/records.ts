import { access } from 'node:fs/promises'
import { CallyardError, describeFileError } from '../../../lib/error.ts'
import { sandboxJournal } from '../../../lib/fs/user-folders.ts'
import { isObject, parseJson } from '../../../lib/json.ts'
import { isSnapshot, type SandboxSnapshot, startSandbox } from '../../../sandbox/index.ts'
import { readProfiles } from '../../../service/profile/index.ts'
import { suggest } from '../../shell/advice.ts'
import type { Context } from '../../shell/context.ts'
import { openClient } from '../../shell/create-context.ts'
import { restoreFrom, shownName } from './snapshot-file.ts'

/** The records of a sandbox that runs, or of a journal that none uses. */
export interface RecordsAccess {
  /** Displayed location. */
  readonly from: string
  snapshot(): Promise<SandboxSnapshot>
  /** @throws CallyardError if it is not a snapshot; nothing changes then */
  restore(snapshot: unknown, file: string): Promise<void>
  close(): Promise<void>
}

/**
 * Opens the records of the running sandbox of the environment or profile; with `data`, or if none is running, those of the journal.
 * @throws CallyardError `conflict` if another sandbox uses the journal, `usage` if there is none
 */
export async function openSandboxRecords(
  { data, mayCreate }: { readonly data: string | undefined; readonly mayCreate: boolean },
  context: Context,
): Promise<RecordsAccess> {
  const running = data === undefined ? await runningSandbox(context) : undefined
  if (running !== undefined) return overHttp(running, context)
  const file = data === undefined ? sandboxJournal(context.env) : context.resolve(data)
  if (!mayCreate) {
    await access(file).catch(error => {
      const records = data === undefined ? `no sandbox runs, and its records ${file}` : `the records ${data}`
      throw new CallyardError(
        data === undefined ? 'usage' : 'invalid',
        `cannot read ${records}: ${describeFileError(error)}`,
        data === undefined
          ? suggest`start one: ${['sandbox', 'start']}; or pass its file with --data`
          : { hint: 'pass the --data file of sandbox start' },
      )
    })
  }
  return ofJournal(file, context)
}

/** One whose control token is known. */
async function runningSandbox({ env, settings }: Context) {
  const { baseUrl, profile } = await settings()
  if (baseUrl.value === undefined) return undefined
  const { profiles } = await readProfiles(env)
  const saved = profile.value === undefined ? undefined : profiles[profile.value]
  const token =
    env.CALLYARD_SANDBOX_TOKEN || (saved?.baseUrl === baseUrl.value ? saved.controlToken : undefined)
  return token === undefined ? undefined : { baseUrl: baseUrl.value, token }
}

/**
 * Lists the calls of the running sandbox, and its assistants by id.
 * @throws CallyardError `usage` if its control token is not known
 */
export async function listSandboxCalls(context: Context) {
  const running = await runningSandbox(context)
  if (running === undefined)
    throw new CallyardError('usage', 'no sandbox whose control token is known', {
      hint: 'use the profile that sandbox start saved, or set CALLYARD_BASE_URL and CALLYARD_SANDBOX_TOKEN as it prints them',
    })
  const { baseUrl, token } = running
  const api = openClient(async () => ({ baseUrl, apiKey: token }), context)
  try {
    const list = async (path: string, name: string) => {
      const { failure, body } = await api.request({ method: 'GET', path: `/__sandbox/${path}` })
      if (failure !== undefined) throw failure
      const document = parseJson(body)
      const items = isObject(document) ? document[name] : undefined
      return Array.isArray(items) ? items.filter(isObject) : []
    }
    const calls = await list('calls', 'calls')
    const assistants = await list('records', 'assistants')
    return { baseUrl, calls, assistants: new Map(assistants.map(record => [record._id, record])) }
  } finally {
    await api.close()
  }
}

function overHttp({ baseUrl, token }: { baseUrl: string; token: string }, context: Context): RecordsAccess {
  const api = openClient(async () => ({ baseUrl, apiKey: token }), context)
  const post = async (path: string, json?: string) => {
    const { failure, body } = await api.request({ method: 'POST', path: `/__sandbox/${path}`, json })
    if (failure !== undefined) throw failure
    return body
  }
  return {
    from: `the sandbox at ${baseUrl}`,
    async snapshot() {
      const snapshot = parseJson(await post('snapshot'))
      if (isSnapshot(snapshot)) return snapshot
      throw new CallyardError('unreachable', `${baseUrl} did not return a snapshot`, {
        hint: 'check that a sandbox of this callyard version is running there',
      })
    },
    async restore(snapshot, file) {
      await post('restore', JSON.stringify(snapshot)).catch(error => {
        if (!(error instanceof CallyardError) || error.details.status !== 422) throw error
        const message = String(error.details.serviceMessage)
        throw new CallyardError('invalid', `${shownName(file)} is not a sandbox snapshot: ${message}`, {
          hint: error.hint,
          cause: error,
        })
      })
    },
    close: api.close,
  }
}

/** A sandbox that only this command asks; it holds the journal's lock. */
async function ofJournal(data: string, { clock }: Context): Promise<RecordsAccess> {
  const sandbox = await startSandbox({ port: 0, pace: 1, data, clock, controlToken: false })
  return {
    from: data,
    snapshot: async () => sandbox.first.snapshot(),
    restore: (snapshot, file) => restoreFrom(file, snapshot, sandbox.first),
    close: sandbox.close,
  }
}
