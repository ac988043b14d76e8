import { constants } from 'node:os'
import { type Command, Option } from '@commander-js/extra-typings'
import { startTimer } from '../../../lib/clock.ts'
import { isInstalled } from '../../../lib/environment.ts'
import { CallyardError } from '../../../lib/error.ts'
import { startForeground } from '../../../lib/process/program.ts'
import { endJob } from '../../../lib/process/program-group.ts'
import { paint, text } from '../../../lib/text/text.ts'
import type { SandboxEvent } from '../../../sandbox/index.ts'
import { suggest } from '../../shell/advice.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import type { Context } from '../../shell/context.ts'
import { exitCodeOf } from '../../shell/exit-codes.ts'
import type { OptionsOf } from '../../shell/flags/flag.ts'
import { withServiceFlags } from './flags.ts'
import { describeEvent, faultsText, openService, resolveToken, type Service } from './open-service.ts'

export const sandboxExecCommand = defineCommand({
  description: 'Run a command with a temporary sandbox',
  examples: [
    'callyard sandbox exec -- npm test',
    'callyard sandbox exec --project desk --pace 0 -- pytest -x',
  ],
  topics: ['sandbox-exec', 'sandbox', 'exit-codes'],
  effect: 'none',
  flags: withFlags,
  // stdout is the program's.
  result: undefined,
  run: async (options, context, [program, args]) => execInSandbox({ ...options, program, args }, context),
  handlesSignal: () => true,
})

function withFlags(command: Command) {
  return withServiceFlags(
    command
      .usage('[flags] -- <program> [args...]')
      .argument('<program>', 'Command to run')
      .argument('[args...]', 'Arguments, passed unchanged')
      .addOption(
        new Option('--project <folder>', 'Seed the sandbox with the resources of a project').conflicts(
          'snapshot',
        ),
      ),
  )
}

type SandboxExecOptions = OptionsOf<typeof withFlags> & {
  readonly program: string
  readonly args: readonly string[]
}

/** Time for the command and its descendants to exit after a signal to callyard, and for processes it leaves behind. */
const shutdownTimeoutMs = 5000

/**
 * Runs a program next to a private sandbox in memory, and exits as the program does. stdout belongs to the program. @throws
 * CallyardError `not-started` if the program cannot be started
 */
async function execInSandbox(options: SandboxExecOptions, context: Context): Promise<void> {
  const { output, signal } = context
  assertSeparated(options.program, context)
  await assertInstalled(options.program, context)
  const service = await openService(
    options,
    {
      host: '127.0.0.1',
      port: 0,
      controlToken: resolveToken(options.control, context.env),
      project: options.project,
      log: event => report(event, context),
    },
    context,
  )
  let code: number | undefined
  try {
    const { baseUrl } = service.sandbox
    const contentText = (options.project ?? options.snapshot) === undefined ? '' : ` with ${service.content}`
    output.note(text`The sandbox of ${options.program} is running at ${baseUrl}${contentText}.`)
    const faults = faultsText(options, service)
    if (faults !== undefined) output.note(faults)
    signal.throwIfAborted()
    code = await run(options, service, context)
  } finally {
    code = await closeService(service, code, context)
  }
  context.endAs(code)
}

/** The exit code after the end: that of the program, unless it was 0 and the snapshot is not written. stdout stays as it is. */
async function closeService(service: Service, code: number | undefined, context: Context): Promise<number> {
  try {
    await service.close()
    return code ?? 0
  } catch (error) {
    if (code === undefined || !(error instanceof CallyardError)) throw error
    const { message, hint } = context.withHints(error)
    context.output.warn(message, hint)
    return code === 0 ? exitCodeOf(error) : code
  }
}

/** Without it a flag for the program, such as --json, would be one of ours. */
function assertSeparated(program: string, { host: { argv } }: Context): void {
  if (argv.includes('--')) return
  throw new CallyardError('usage', `-- is missing before ${program}`, {
    ...suggest`put the command after it: ${['sandbox', 'exec', '--', program]}`,
  })
}

async function assertInstalled(program: string, { env, cwd }: Context): Promise<void> {
  if (program.trim() === '')
    throw new CallyardError('not-started', 'the command is empty', {
      ...suggest`pass a command: ${['sandbox', 'exec', '--', 'npm', 'test']}; check that shell variables in it are set`,
    })
  if (await isInstalled(program, env, cwd)) return
  throw notStarted(program, 'was not found, or may not be run')
}

function notStarted(program: string, reason: string): CallyardError {
  return new CallyardError('not-started', `the command ${program} ${reason}`, {
    hint: 'pass its path or a name in PATH; for shell commands, use -- sh -c "…"',
  })
}

/** Returns the exit code of the program. */
async function run(
  { program, args }: SandboxExecOptions,
  service: Service,
  context: Context,
): Promise<number> {
  const { cwd, clock } = context
  const started = await startForeground({
    file: program,
    args,
    cwd,
    env: await environmentOf(service, context),
    clock,
  })
  if ('kind' in started) throw notStarted(program, `cannot be started: ${started.message}`)
  let cancel: (() => void) | undefined
  let isOver = false
  const release = context.host.takeSignals(name => {
    if (isOver) return
    // Ctrl-C in a program that reads keys is the program's business.
    if (name === 'SIGINT' && started.hearsTerminal) return
    started.signal(name)
    cancel ??= startTimer(shutdownTimeoutMs, () => started.signal('SIGKILL'), clock)
  })
  const ending = await started.exited
  await started.end(shutdownTimeoutMs)
  cancel?.()
  isOver = true
  if (started.hearsTerminal) await endJob()
  release()
  return ending.kind === 'exit' ? ending.code : 128 + constants.signals[ending.signal]
}

/**
 * The outside's, but for what leads to a service: base URL and key of the environment win over every profile. A profile is left
 * in it where the sandbox's vocabulary came from that one.
 */
async function environmentOf({ sandbox }: Service, { env, settings }: Context): Promise<Context['env']> {
  const { vocabulary, profile } = await settings()
  return {
    ...env,
    CALLYARD_BASE_URL: sandbox.baseUrl,
    CALLYARD_API_KEY: sandbox.apiKey,
    CALLYARD_SANDBOX_TOKEN: sandbox.controlToken,
    CALLYARD_PROFILE: vocabulary.from === 'profile' ? profile.value : undefined,
  }
}

/** Prints events that explain a failing test; with --debug all of them. */
function report(event: SandboxEvent, { output }: Context): void {
  if (event.kind === 'delivery-failed' || event.kind === 'wrong-answer' || event.kind === 'warning')
    output.note(describeEvent(event))
  else output.debug(paint(describeEvent(event), { color: false }))
}
