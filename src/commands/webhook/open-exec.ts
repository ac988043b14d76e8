import type { Context } from '../../context.ts'
import { CliError } from '../../errors.ts'
import { toJsonLine } from '../../output/escape.ts'
import { excerpt } from '../../output/layout.ts'
import { dim, text } from '../../output/text.ts'
import type { Exec, ExecNews } from '../../webhook/exec/exec.ts'
import type { ExecOptions } from './exec-options.ts'

/**
 * What `--exec` asks for. What programs print and why they fail is told as it happens: on stderr, and each failure with
 * --json as `exec-failed` on stdout too; what was not run is in the totals of close().
 * @throws CliError `usage` for a command that needs a shell, and for flags without `--exec`.
 */
export async function openExec(
  { exec: command, execShell, execAtOnce, execTimeout }: ExecOptions,
  { output, clock, cwd, env, signal }: Pick<Context, 'output' | 'clock' | 'cwd' | 'env' | 'signal'>,
): Promise<Exec | undefined> {
  if (command === undefined) {
    const given = { '--exec-shell': execShell, '--exec-at-once': execAtOnce, '--exec-timeout': execTimeout }
    const [flag] = Object.entries(given).find(([, value]) => value !== undefined) ?? []
    if (flag === undefined) return undefined
    throw new CliError('usage', `${flag} is for a program`, { hint: 'give its command with --exec' })
  }
  const { createExec } = await import('../../webhook/exec/exec.ts')
  return createExec({
    command,
    shell: execShell === true,
    atOnce: execAtOnce,
    timeout: execTimeout,
    cwd,
    env,
    clock,
    signal,
    line: change => `${toJsonLine(change)}\n`,
    tell: news => tell(news, output),
  })
}

function tell(news: ExecNews, output: Context['output']): void {
  if (news.kind === 'output') {
    output.note(text`${dim('exec')}  ${news.line}`)
  } else if (news.kind === 'output-cut') {
    output.note(text`${dim('exec')}  … (of each run ${String(news.bytes / 1024)} KB are shown)`)
  } else {
    const { callId, messageId, reason, stderr, last } = news
    output.event({ kind: 'exec-failed', callId, messageId, reason, stderr }, () => undefined)
    output.warn(
      `--exec failed for message ${messageId ?? '(no id)'} of call ${callId ?? '(no id)'}: ${reason}`,
      stderr === '' ? undefined : excerpt(stderr).replaceAll('\n', '\n  '),
    )
    if (last) output.warn(`further failures of --exec with ${reason} are counted only`)
  }
}
