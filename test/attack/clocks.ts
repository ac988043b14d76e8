import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { execa } from 'execa'
import * as z from 'zod/mini'
import type { Attack, AttackResult, AttackTools } from './attack.ts'

const attemptsOfEach = 10

const libraries = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1',
  '/usr/lib64/faketime/libfaketime.so.1',
  '/usr/lib/faketime/libfaketime.so.1',
]

const ready = z.object({ baseUrl: z.string(), apiKey: z.string() })

export const clocks: Attack = {
  about: `${attemptsOfEach} sandboxes whose clock is 30 s, or an hour, ahead ask for the records of a running one (libfaketime)`,
  async run(tools) {
    const library = libraries.find(path => existsSync(path))
    const results: AttackResult[] = []
    for (const ahead of ['30s', '1h']) results.push(await intrude(ahead, library, tools))
    return results
  },
}

async function intrude(
  ahead: string,
  library: string | undefined,
  { bin, folder, note }: AttackTools,
): Promise<AttackResult> {
  const what = `a clock ${ahead} ahead`
  if (library === undefined)
    return { what, attacks: 0, lost: 0, doubled: 0, late: 0, detail: 'skipped: libfaketime is not installed' }
  note(what)
  const cwd = await folder()
  const start = (clock: Readonly<Record<string, string>> = {}) =>
    execa(process.execPath, [bin, 'sandbox', 'start', '--data', 'records.ndjson', '--port', '0', '--json'], {
      cwd,
      env: { PATH: process.env.PATH, CALLYARD_CONFIG_DIR: join(cwd, 'config'), ...clock },
      extendEnv: false,
      reject: false,
      stdin: 'ignore',
    })
  // The times of files stay those of the disk, which processes with different clocks share.
  const skewed = { LD_PRELOAD: library, FAKETIME: `+${ahead}`, NO_FAKE_STAT: '1' }
  const holder = start()
  const service = ready.parse(JSON.parse(await firstLine(holder.stdout)))
  let acknowledged = 0
  let taken = 0
  for (let attempt = 0; attempt < attemptsOfEach; attempt += 1) {
    const intruder = start(skewed)
    if ((await firstLine(intruder.stdout)).includes('"ready"')) taken += 1
    acknowledged += Number(await addTool(service))
    intruder.kill('SIGKILL')
    await intruder
  }
  holder.kill('SIGTERM')
  await holder
  const records = await readFile(join(cwd, 'records.ndjson'), 'utf8')
  const kept = records.match(/"kind":"tool"/g)?.length ?? 0
  const late = attemptsOfEach - acknowledged
  const detail = `${acknowledged} acknowledged, ${kept} kept; late: a change that the holder refused`
  return { what, attacks: attemptsOfEach, lost: acknowledged - kept, doubled: taken, late, detail }
}

/** Empty where the stream ends before. */
async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stream })) return line
  return ''
}

async function addTool({ baseUrl, apiKey }: z.infer<typeof ready>): Promise<boolean> {
  const response = await fetch(`${baseUrl}/assistants/v1/tools`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: '{"type":"function"}',
  })
  return response.ok
}
