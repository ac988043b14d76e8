import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { execa } from 'execa'
import { onTestFinished } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod/mini'
import { temporaryFolder } from './folders.ts'

const named = z.record(
  z.string(),
  z.looseObject({ default: z.optional(z.string()), value: z.optional(z.string()) }),
)

const actionSchema = z.object({
  inputs: named,
  outputs: named,
  runs: z.object({
    using: z.literal('composite'),
    steps: z.array(
      z.strictObject({
        name: z.string(),
        id: z.optional(z.string()),
        if: z.optional(z.string()),
        shell: z.literal('bash'),
        env: z.optional(z.record(z.string(), z.string())),
        run: z.string(),
      }),
    ),
  }),
})

interface ActionRun {
  readonly exitCode: number
  /** Output of the steps with masked values replaced by stars. */
  readonly log: string
  readonly outputs: Readonly<Record<string, string>>
  /** Environment of later steps of the job. */
  readonly env: Readonly<Record<string, string>>
  /** Ends what the steps left running, as the runner does at the end of the job. Also done with the test. */
  endJob(): void
}

/** Runs the steps of a composite action with bash and the runner's files, as GitHub's runner does. */
export async function runAction(
  file: string,
  inputs: Readonly<Record<string, string>>,
  { cwd, actionPath }: { readonly cwd: string; readonly actionPath: string },
): Promise<ActionRun> {
  const action = actionSchema.parse(parse(await readFile(file, 'utf8')))
  const temp = join(await temporaryFolder(), 'runner temp')
  await mkdir(temp)
  const outputs = new Map<string, string>()
  const inputValues = new Map(
    Object.entries(action.inputs).map(([name, input]) => [name, inputs[name] ?? input.default ?? '']),
  )
  const resultOf = (expression: string): string => {
    const [scope = '', ...path] = expression.split('.')
    if (scope === 'inputs') return inputValues.get(path.join('.')) ?? ''
    if (expression === 'github.action_path') return actionPath
    if (scope === 'steps') return outputs.get(path.join('.')) ?? ''
    throw new Error(`${expression} is not known`)
  }
  const filled = (text: string) =>
    text.replace(/\$\{\{ ([\w.-]+) \}\}/g, (_, expression) => resultOf(expression))
  const holds = (condition: string) => {
    const [, left = '', right] = /^([\w.-]+) == '([^']*)'$/.exec(condition) ?? []
    return resultOf(left) === right
  }

  // Each step leads a process group, in which its background processes stay.
  const groups = new Set<number>()
  const endJob = () => {
    for (const pid of groups) {
      groups.delete(pid)
      try {
        process.kill(-pid, 'SIGKILL')
      } catch {
        // Nothing is left in it.
      }
    }
  }
  onTestFinished(endJob)
  let env: Record<string, string> = { PATH: process.env.PATH ?? '', HOME: temp, RUNNER_TEMP: temp }
  let log = ''
  let exitCode = 0
  for (const [index, step] of action.runs.steps.entries()) {
    if (exitCode !== 0 || (step.if !== undefined && !holds(step.if))) continue
    const tempPath = (name: string) => join(temp, `${name}_${index}`)
    for (const name of ['env', 'output', 'path']) await writeFile(tempPath(name), '')
    await writeFile(tempPath('script'), step.run)
    const running = execa('bash', ['--noprofile', '--norc', '-eo', 'pipefail', tempPath('script')], {
      cwd,
      all: true,
      reject: false,
      extendEnv: false,
      stdin: 'ignore',
      detached: true,
      env: {
        ...env,
        ...Object.fromEntries(Object.entries(step.env ?? {}).map(([name, text]) => [name, filled(text)])),
        GITHUB_ENV: tempPath('env'),
        GITHUB_OUTPUT: tempPath('output'),
        GITHUB_PATH: tempPath('path'),
      },
    })
    if (running.pid !== undefined) groups.add(running.pid)
    const ran = await running
    exitCode = ran.exitCode ?? 1
    log += `${ran.all}\n`
    for (const [name, text] of await pairs(tempPath('output')))
      outputs.set(`${step.id}.outputs.${name}`, text)
    env = { ...env, ...Object.fromEntries(await pairs(tempPath('env'))) }
    const folders = (await readFile(tempPath('path'), 'utf8')).split('\n').filter(folder => folder !== '')
    env.PATH = [...folders.reverse(), env.PATH].join(delimiter)
  }
  const masks = [...log.matchAll(/^::add-mask::(.+)$/gm)].flatMap(([, text]) => text ?? [])
  const visibleLog = log.replace(/^::add-mask::.*\n/gm, '')
  return {
    exitCode,
    log: masks.reduce((text, masked) => text.replaceAll(masked, '***'), visibleLog),
    outputs: Object.fromEntries(
      Object.entries(action.outputs).map(([name, { value = '' }]) => [name, filled(value)]),
    ),
    env,
    endJob,
  }
}

async function pairs(file: string): Promise<(readonly [string, string])[]> {
  const text = await readFile(file, 'utf8')
  return text.split('\n').flatMap(line => {
    const end = line.indexOf('=')
    return end === -1 ? [] : [[line.slice(0, end), line.slice(end + 1)] as const]
  })
}
