import type { Context } from '../../cli/context.ts'
import { givenFlag } from '../../cli/flags/flag.ts'
import { CallwrightError } from '../../lib/error.ts'
import { shortId } from '../../lib/text/did-you-mean.ts'
import { oneLine, toJsonLine } from '../../lib/text/escape.ts'
import { excerpt } from '../../lib/text/layout.ts'
import { dim, text } from '../../lib/text/text.ts'
import { type Exec, type ExecEvent, loadExec } from '../../webhook/index.ts'
import type { ExecFlags } from './flags.ts'

/** Failures for one reason on stderr; --json tells each. */
const maxShown = 20

/**
 * What `--exec` asks for. What programs print and why they fail is told as it happens: on stderr, and each failure with
 * --json as `exec-failed` on stdout too; how many messages were not run is in the totals of close().
 * @throws CallwrightError `usage` for a command that needs a shell, a program that is not there, and flags without `--exec`.
 */
export async function openExec(
  { exec: command, execShell, execAtOnce, execTimeout }: ExecFlags,
  { output, clock, cwd, env, platform }: Pick<Context, 'output' | 'clock' | 'cwd' | 'env' | 'platform'>,
): Promise<Exec | undefined> {
  if (command === undefined) {
    const given = { '--exec-shell': execShell, '--exec-at-once': execAtOnce, '--exec-timeout': execTimeout }
    const flag = givenFlag(given)
    if (flag === undefined) return undefined
    throw new CallwrightError('usage', `${flag} is for a program`, { hint: 'give its command with --exec' })
  }
  const [{ createExec, execCommand }, { isInstalled }] = await Promise.all([
    loadExec(),
    import('../../lib/environment.ts'),
  ])
  // A shell has words of its own.
  if (execShell !== true) {
    const { file } = execCommand(command, platform)
    if (!(await isInstalled(file, env, cwd))) {
      throw new CallwrightError('usage', `the program ${file} of --exec was not found`, {
        hint: 'give its path, or a name that is found in PATH; --exec-shell takes what a shell has',
      })
    }
  }
  return createExec({
    command,
    shell: execShell === true,
    atOnce: execAtOnce,
    timeout: execTimeout,
    cwd,
    env,
    clock,
    platform,
    line: change => `${toJsonLine(change)}\n`,
    onEvent: createReporter(output),
  })
}

function createReporter(output: Context['output']): (event: ExecEvent) => void {
  const told = new Map<string, number>()
  return event => {
    if (event.kind === 'output') {
      output.note(text`${dim('exec')}  ${oneLine(event.line)}`)
    } else if (event.kind === 'output-cut') {
      output.note(text`${dim('exec')}  … (of each run ${String(event.bytes / 1024)} KB are shown)`)
    } else if (event.kind === 'behind') {
      output.warn(
        `--exec is behind: ${event.waiting} messages wait; further ones are not run until it has caught up`,
      )
    } else {
      const { callId, messageId, reason, stderr } = event
      output.event({ kind: 'exec-failed', callId, messageId, reason, stderr }, () => undefined)
      const times = (told.get(reason) ?? 0) + 1
      told.set(reason, times)
      if (times <= maxShown) warnOfFailure(event, output)
      if (times === maxShown) {
        const what = `further failures of --exec with ${oneLine(reason)} are counted only`
        output.warn(what, '--json tells each')
      }
    }
  }
}

function warnOfFailure(
  { callId, messageId, reason, stderr }: Extract<ExecEvent, { readonly kind: 'failed' }>,
  output: Context['output'],
): void {
  const message = `message ${oneLine(messageId ?? '(no id)')} of call ${oneLine(callId === null ? '(no id)' : shortId(callId))}`
  output.warn(
    `--exec failed for ${message}: ${oneLine(reason)}`,
    stderr === '' ? undefined : excerpt(stderr).split('\n').map(oneLine).join('\n  '),
  )
}
