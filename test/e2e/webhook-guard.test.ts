import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lines, startBin, temporaryFolder } from '../helpers/run-bin.ts'

const rules = `rules:
  - name: busy
    when: share(busy) over last 3 calls > 50%
    exec: '${process.execPath} alert.mjs'
`
const alert = `import { appendFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
appendFileSync('alerts.ndjson', await text(process.stdin))
`

async function startTail(cwd: string) {
  const env = { CALLYARD_CONFIG_DIR: join(cwd, 'config') }
  const argv = ['webhook', 'tail', '--port', '0', '--json', '--guard', 'guards/calls.yaml']
  const child = startBin(argv, { cwd, env })
  const stream = lines(child.stdout)
  const { url } = JSON.parse((await stream.next()).value ?? '')
  const end = async (id: string, phoneCallStatus: string) => {
    const call = { id, status: 'finished', phoneCallStatus }
    const response = await fetch(url, {
      method: 'POST',
      body: JSON.stringify({ message: { type: 'status-update', call } }),
    })
    expect(response.status).toBe(200)
  }
  const until = async (kind: string) => {
    for (;;) {
      const { value } = await stream.next()
      if (value === undefined) throw new Error(`no ${kind}`)
      if (JSON.parse(value).kind === kind) return
    }
  }
  return { child, end, until }
}

test('an alert is given once over kills, and counts the calls of every run', async () => {
  const cwd = await temporaryFolder()
  await mkdir(join(cwd, 'guards'))
  await writeFile(join(cwd, 'guards/calls.yaml'), rules)
  await writeFile(join(cwd, 'guards/alert.mjs'), alert)
  await appendFile(join(cwd, 'guards/alerts.ndjson'), '')

  // Two of the three calls that the window needs, then a kill.
  const first = await startTail(cwd)
  await first.end('CC-1', 'busy')
  await first.end('CC-2', 'busy')
  // The sender gets its response before the guard has the event.
  for (const _ of ['CC-1', 'CC-2']) await first.until('status')
  first.child.kill('SIGKILL')
  await first.child.catch(() => undefined)

  const second = await startTail(cwd)
  await second.end('CC-3', 'no-answer')
  await second.until('guard-fired')
  await second.end('CC-4', 'busy')
  await second.until('status')
  second.child.kill('SIGKILL')
  await second.child.catch(() => undefined)

  const third = await startTail(cwd)
  await third.end('CC-5', 'no-answer')
  await third.end('CC-6', 'no-answer')
  await third.until('guard-recovered')
  third.child.kill('SIGINT')
  expect((await third.child).exitCode).toBe(0)

  const given = (await readFile(join(cwd, 'guards/alerts.ndjson'), 'utf8')).trimEnd().split('\n')
  const alerts = given.map(line => JSON.parse(line))
  expect(alerts.map(({ kind }) => kind)).toEqual(['guard-fired', 'guard-recovered'])
  expect(alerts[0].calls.map(({ call }: { call: string }) => call)).toEqual(['CC-1', 'CC-2'])
  expect(alerts[1].id).toBe(alerts[0].id)
})
