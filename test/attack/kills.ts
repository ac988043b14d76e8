import { execa } from 'execa'
import type { Attack, AttackResult, AttackTools } from './attack.ts'
import { faqPush } from './faq-push.ts'
import { apply, assistantCreate, planOut } from './project.ts'
import { killTails } from './tail.ts'

const killsOfEach = 50

/** A command that writes, in a folder of its own, and what can be counted once it has run to its end. */
export interface Writer {
  readonly name: string
  open(tools: AttackTools): Promise<OpenWriter>
}

export interface OpenWriter {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** The arguments of the next run. */
  argv(): readonly string[]
  /** Called after a run that nothing killed; `exitCode` 9 asks a person, who looks into the service. */
  ended(run: { readonly exitCode: number | undefined; readonly stdout: string }): Promise<void>
  /** Called after a run that was killed. */
  killed?(): Promise<void>
  /** True if everything is done, so that another run has nothing to write. */
  isDone(): Promise<boolean>
  /** Makes new work for the next run. */
  renew(): Promise<void>
  count(): Promise<Pick<AttackResult, 'lost' | 'doubled' | 'late' | 'detail'>>
}

export const kills: Attack = {
  about: `${killsOfEach} kills of each writer at random moments`,
  async run(tools) {
    const results: AttackResult[] = []
    for (const writer of [faqPush, apply, assistantCreate, planOut]) {
      tools.note(`killing ${writer.name}`)
      results.push(await killOften(writer, tools))
    }
    tools.note('killing webhook tail --record --forward')
    return [...results, ...(await killTails(killsOfEach, tools))]
  },
}

async function killOften({ name, open }: Writer, tools: AttackTools): Promise<AttackResult> {
  const writer = await open(tools)
  const { cwd, env } = writer
  const run = async (killAfter?: number) => {
    const child = execa(process.execPath, [tools.bin, ...writer.argv()], {
      cwd,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
      extendEnv: false,
      reject: false,
      stdin: 'ignore',
    })
    const began = performance.now()
    const timer = killAfter === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfter)
    const { exitCode, stdout, signal } = await child
    clearTimeout(timer)
    if (signal === undefined) await writer.ended({ exitCode, stdout })
    else await writer.killed?.()
    return { killed: signal === 'SIGKILL', took: performance.now() - began }
  }
  // A run that nothing disturbs says when there is something to kill.
  const { took } = await run()
  let done = 0
  while (done < killsOfEach) {
    if (await writer.isDone()) await writer.renew()
    if ((await run(Math.random() * took)).killed) done += 1
  }
  while (!(await writer.isDone())) await run()
  return { what: `kill ${name}`, attacks: done, ...(await writer.count()) }
}
