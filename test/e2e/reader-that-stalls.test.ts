import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../helpers/folders.ts'
import { jsonLines } from '../helpers/json-lines.ts'
import { bin, pathWithBin } from '../helpers/run-bin.ts'

/** Bytes of the path of a request, which is in its event. */
const pathBytes = 1024 ** 2
/** More than `sandbox start` keeps for its reader. */
const requests = 80

test.each(['reads on', 'reads on after a signal'])(
  'a sandbox whose reader stalls responds, and counts the events that it dropped when it %s',
  async when => {
    const child = spawn(
      process.execPath,
      [
        `--max-http-header-size=${2 * pathBytes}`,
        bin,
        ...['sandbox', 'start', '--in-memory', '--port', '0', '--json'],
      ],
      {
        cwd: await temporaryFolder(),
        env: { PATH: pathWithBin, HOME: process.env.HOME, TMPDIR: process.env.TMPDIR },
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    )
    onTestFinished(() => void child.kill('SIGKILL'))
    const ended = once(child, 'exit')
    child.stdout.setEncoding('utf8')
    const [ready] = await once(child.stdout, 'data')
    child.stdout.pause()
    const [{ baseUrl }] = jsonLines(ready)
    const statuses = new Set<number>()
    for (let number = 0; number < requests; number += 1)
      statuses.add((await fetch(`${baseUrl}/${'x'.repeat(pathBytes)}`)).status)
    expect([...statuses]).toEqual([401])

    if (when !== 'reads on') child.kill('SIGTERM')
    const printed: string[] = []
    for await (const line of createInterface(child.stdout)) {
      printed.push(line)
      // A second signal would end it at once.
      if (when === 'reads on' && line.includes('"events-dropped"')) child.kill('SIGTERM')
    }
    expect(await ended).toEqual([0, null])
    const events = jsonLines(printed.join('\n'))
    const dropped = events.flatMap(({ kind, events }) => (kind === 'events-dropped' ? [events] : []))
    expect(dropped.length).toBeGreaterThan(0)
    const arrived = events.filter(({ kind }) => kind === 'request').length
    expect(arrived + dropped.reduce((sum, number) => sum + number, 0)).toBe(requests)
  },
)
