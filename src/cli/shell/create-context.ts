import { resolve } from 'node:path'
import type { CheckedFile } from '../../files/source/index.ts'
import { CallyardError } from '../../lib/error.ts'
import { createProgramEnvironment } from '../../lib/process/program-environment.ts'
import { formatWait } from '../../lib/text/date-time.ts'
import {
  type Api,
  type ApiOptions,
  createApi,
  type NotStored,
  type SentRequest,
} from '../../service/api/index.ts'
import { requireConnection, resolveSettings, type Settings } from '../../service/profile/index.ts'
import { pathOf } from './cli-command.ts'
import type { Context, Host, Output, Prompts, RetryListener, UnlockKey } from './context.ts'
import { derive } from './derive.ts'
import type { EnvFromFiles } from './env-files.ts'
import type { AnyCommand, GlobalOptions } from './flags/flag.ts'
import { isStdout, outFilesIn } from './flags/out-flag.ts'
import { runFlags, withFindingHints, withHints } from './hints.ts'
import { createOutput, type Styling } from './output/create-output.ts'

const defaultTimeoutMs = 30_000

interface CommandRun {
  /** Undefined outside of the command tree. */
  readonly command?: AnyCommand
  /** The variables of `--env-file`. */
  readonly envFromFiles?: EnvFromFiles | undefined
  /** Runs another command; this module cannot import it, because the command tree lies above it. */
  readonly runProgram?: (argv: readonly string[], host: Host) => Promise<number>
}

/** The context of a command, and a function that releases its resources. */
export function createContext(
  host: Host,
  options: GlobalOptions,
  styling?: Styling,
  { command, runProgram, envFromFiles: read }: CommandRun = {},
): { context: Context; readonly exitCode: number; close(): Promise<void> } {
  const { cwd, env, uid, platform, script, clock, signal, isForAgent } = host
  const path = command === undefined ? {} : { command: pathOf(command) }
  const { out } = options as { readonly out?: unknown }
  const isStdoutTaken = outFilesIn(out).some(({ file }) => isStdout(file))
  const output = createOutput(host, { ...options, env, isStdoutTaken, ...path }, styling)
  const envFromFiles = read && variablesOfFiles(read, output)
  const files = { cwd, env, envFromFiles, uid, isForAgent, allowOutsideFiles: options.allowOutsideFiles }
  const secrets = new Set<string>()
  const sending: CheckedFile[] = []
  const notStored: NotStored[] = []
  let settings: Promise<Settings> | undefined
  const apis: Api[] = []
  let prompts: Prompts | undefined
  let onRetry: RetryListener | undefined
  let exitCode = 0

  let check: ((request: SentRequest) => Promise<void>) | undefined
  const permit = async (request: SentRequest) => {
    const { createPermit } = await import('../../calls/approval/index.ts')
    check ??= createPermit({
      env,
      clock,
      grant: host.grant,
      ask: sentRequest => approveHere(sentRequest, context, isUnlocked),
    })
    await check(request)
  }
  const readSettings = async () => {
    const resolved = await resolveSettings({ ...files, options })
    for (const warning of resolved.warnings) output.warn(warning)
    return resolved
  }
  const unlock = host.unlockKey ?? unlockOnce(() => context.prompts)
  let isUnlocked = false
  const unlockKey: UnlockKey = async key => {
    const apiKey = await unlock(key)
    isUnlocked = true
    return apiKey
  }
  /** Functions for clients of this command's service: a sandbox that a command puts in its place has another one. */
  const ownApis = new Set<Context['api']>()
  const apiUntil = (signal: AbortSignal): Context['api'] => {
    let api: Api | undefined
    const connect = async () => {
      const { baseUrl, apiKey } = requireConnection(await context.settings())
      return { baseUrl, apiKey: typeof apiKey === 'string' ? apiKey : () => unlockKey(apiKey) }
    }
    const open: Context['api'] = ({ batch = false } = {}) => {
      if (api !== undefined) return api
      api = openClient(connect, context, {
        signal,
        batch,
        permit,
        secrets: () => [...secrets],
        warn: output.warn,
        onNotStored(field, warning) {
          // One warning for all batches of a push.
          const index = notStored.findIndex(
            ({ kind, id, field: name, response }) =>
              kind === field.kind && id === field.id && name === field.field && response === field.response,
          )
          const before = notStored[index]
          if (before === undefined) {
            notStored.push(field)
            output.warn(warning)
          } else if (before.entries !== undefined)
            notStored[index] = { ...field, entries: before.entries + (field.entries ?? 0) }
        },
        onRetry: retry => (onRetry ?? noteRetry(output))(retry),
      })
      apis.push(api)
      return api
    }
    ownApis.add(open)
    return open
  }
  const context: Context = {
    with(changes) {
      const { cwd = this.cwd, env = this.env, signal = this.signal } = changes
      const { runCommand } = this
      const following: Partial<Context> = {
        files: { ...this.files, cwd, env },
        resolve: path => resolve(cwd, path),
        runCommand: (words, run) => runCommand(words, { cwd, env, signal, ...run }),
        ...(signal !== this.signal && ownApis.has(this.api) && { api: apiUntil(signal) }),
      }
      return derive(derive<Context>(this, following), changes)
    },
    cwd,
    env,
    clock,
    signal,
    ...(host.skipOptimizer && { skipOptimizer: host.skipOptimizer }),
    host,
    options,
    files,
    output,
    get programEnv() {
      const { execEnv = [] } = options
      const unset = execEnv.find(name => env[name] === undefined)
      if (unset === undefined) return createProgramEnvironment(env, execEnv)
      throw new CallyardError('usage', `--exec-env: the variable ${unset} is not set`)
    },
    get prompts() {
      prompts ??= host.prompts(options)
      return prompts
    },
    endAs(code) {
      exitCode = code
    },
    async runCommand(words, { onNote, ...run } = {}) {
      if (runProgram === undefined) throw new Error('this context runs no commands')
      const { runCaptured } = await import('./captured-host.ts')
      const onPrint = onNote && ((printed: string, stream: string) => stream === 'stderr' && onNote(printed))
      return runCaptured(runProgram, words, {
        cwd,
        env,
        platform,
        script,
        uid,
        clock,
        signal,
        isForAgent,
        unlockKey,
        onPrint,
        ...run,
      })
    },
    unlockKey,
    resolve: path => resolve(cwd, path),
    settings() {
      settings ??= readSettings()
      return settings
    },
    willSend(file) {
      sending.push(file)
      host.onSend?.(file)
      for (const value of file.references.variables.values()) secrets.add(value)
    },
    sending,
    notStored,
    runFlags: runFlags(command),
    withHints: (thrown: CallyardError) => withHints(thrown, command),
    withFindingHints: findings => withFindingHints(findings, command),
    api: apiUntil(signal),
    onRetries(listener) {
      onRetry = listener
      return () => {
        onRetry = undefined
      }
    },
  }
  return {
    context,
    get exitCode() {
      return exitCode
    },
    async close() {
      for (const api of apis) await api.close()
    },
  }
}

/** Asks for the passphrase of each key once. */
function unlockOnce(prompts: () => Prompts): UnlockKey {
  const unlocked = new Map<string, Promise<string>>()
  return async locked => {
    // Identified together with its binding, which may be edited while the command runs.
    const id = JSON.stringify(locked)
    const ask = async () => {
      const { askPassphrase } = await import('./ask-passphrase.ts')
      return (await askPassphrase(locked, prompts())).apiKey
    }
    const apiKey = unlocked.get(id) ?? ask()
    unlocked.set(id, apiKey)
    return apiKey
  }
}

/**
 * Asks the person at this terminal to approve the command; false without one. --yes has no effect. A passphrase that has not been entered
 * yet is the confirmation.
 */
async function approveHere(
  { method, url }: SentRequest,
  { host, prompts, output, unlockKey, settings }: Context,
  isUnlocked: boolean,
): Promise<boolean> {
  if (!host.hasTerminal || !prompts.available) return false
  const { lockedKey } = await settings()
  const sends = `${method} ${url.pathname} and the changes that follow`
  if (lockedKey === undefined || isUnlocked)
    return prompts.confirm({
      message: `${url.origin} requires approval. Send ${sends}?`,
      flag: 'approval',
    })
  output.note(`${url.origin} requires approval. Enter the passphrase to send ${sends}`, { isRequested: true })
  await unlockKey(lockedKey)
  return true
}

/** Returns the variables of `--env-file`, and warns about ignored ones. */
function variablesOfFiles({ variables, ignored, warnings }: EnvFromFiles, output: Output) {
  output.findings(warnings)
  if (ignored.length > 0)
    output.warn(`--env-file: ${ignored.join(', ')} ignored`, 'set these in the environment, or use a profile')
  return variables
}

function noteRetry({ note }: Output): RetryListener {
  return ({ reason, waitMs }) => {
    note(`${reason}; retrying in ${formatWait(waitMs)}`)
    return () => undefined
  }
}

/** Creates a client that is configured from the command's options. */
export function openClient(
  connect: ApiOptions['connect'],
  { options, output, clock, signal, env, skipOptimizer }: Context,
  more: Partial<ApiOptions> = {},
): Api {
  return createApi({
    async connect() {
      await skipOptimizer?.()
      return connect()
    },
    timeoutMs: options.timeout ?? defaultTimeoutMs,
    clock,
    signal,
    env,
    ...(options.debug === true && { debug: output.debug }),
    onRetry: noteRetry(output),
    ...more,
  })
}
