import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Clock } from '../../../../src/lib/clock.ts'
import {
  type EventShape,
  eventShapes,
  plainEnd,
  triggeredShapes,
} from '../../../events/receive/event-shapes.ts'
import { everyCase } from '../../../helpers/every-case.ts'
import { jsonLines } from '../../../helpers/json-lines.ts'
import { realClock } from '../../../helpers/real-clock.ts'
import { bodiesOf, recordedLine } from '../../../helpers/recordings.ts'
import { startTarget } from '../../../helpers/target-server.ts'
import { type TestCli, testCli } from '../../../helpers/test-cli.ts'

/** A program runs for each message: a thousand of one shape would say nothing more. */
const shapes = [...eventShapes.filter(({ name }) => name !== 'a thousand messages'), ...triggeredShapes]
const bodies = shapes.flatMap(shape => shape.bodies)

test('every shape is taken, recorded and forwarded byte for byte, and each message runs the program', async () => {
  const target = await startTarget()
  const cli = await testCli()
  const ending = new AbortController()
  let posted: Promise<number[]> | undefined
  const { exitCode, stdout } = await cli.runWith(
    {
      clock: realClock,
      signal: ending.signal,
      printed: text => {
        const url = /"kind":"ready","url":"([^"]+)"/.exec(text)?.[1]
        if (url === undefined) return
        posted = postAll(url, bodies)
        void posted.finally(() => ending.abort('SIGINT'))
      },
    },
    ...['webhook', 'tail', '--port', '0', '--json', '--record', 'calls.ndjson', '--forward', target.url],
    ...['--exec', 'cat >> said.ndjson', '--exec-concurrency', '1', '--drain', '60s'],
  )
  expect(await posted).toEqual(bodies.map(() => 200))
  expect(exitCode).toBe(0)
  expect(await bodiesOf(join(cli.folder, 'calls.ndjson'))).toEqual(bodies)
  expect(target.arrivals.map(({ body }) => body.toString()).toSorted()).toEqual(bodies.toSorted())
  const events = jsonLines(stdout)
  const messages = events.filter(({ kind }) => kind === 'message')
  const ran = jsonLines(await readFile(join(cli.folder, 'said.ndjson'), 'utf8'))
  expect(ran.map(byText).toSorted()).toEqual(messages.map(byText).toSorted())
  expect(messages.length).toBeGreaterThan(60)
  expect(events.at(-1)).toMatchObject({ kind: 'summary', events: bodies.length, badRequests: 0 })
})

test('a recording of every shape is printed and sent again, whole', async () => {
  const target = await startTarget()
  const lines = bodies.map((body, seconds) => recordedLine(body, { seconds }))
  const cli = await testCli({ 'calls.ndjson': lines.join('') })
  const shown = await cli.run('webhook', 'replay', 'calls.ndjson', '--json')
  expect(shown.exitCode).toBe(0)
  expect(jsonLines(shown.stdout).at(-1)).toMatchObject({ kind: 'summary', events: bodies.length })
  const sent = await cli.runWith(
    { clock: realClock },
    ...['webhook', 'replay', 'calls.ndjson', '--to', target.url, '--speed', 'max', '--json'],
  )
  expect(JSON.parse(sent.stdout)).toMatchObject({ sent: bodies.length, failed: 0, skippedLines: 0 })
  expect(target.arrivals.map(({ body }) => body.toString()).toSorted()).toEqual(bodies.toSorted())
  const all = await cli.run('webhook', 'show', 'calls.ndjson', '--all', '--json')
  expect(all.exitCode).toBe(0)
  // Among the shapes are several calls that name none.
  expect(all.stderr.match(/several calls send no id/g)).toHaveLength(1)
  expect(shown.stderr.match(/several calls send no id/g)).toHaveLength(1)
})

describe('call start --follow exits with', () => {
  const quick: Clock = {
    now: realClock.now,
    // Timeouts of requests stay: a busy machine needs them.
    sleep: (milliseconds, signal) =>
      realClock.sleep(milliseconds < 30_000 ? milliseconds / 100 : milliseconds, signal),
  }

  /** When a call of each shape has ended is tested with the transcripts of all of them. */
  const followedShapes = everyCase ? eventShapes : eventShapes.filter((_, index) => index % 8 === 0)
  test.each(followedShapes.map(shape => [shape.name, shape] as const))('%s', async (_, shape) => {
    const cli = await testCli({ 'desk.yaml': 'name: Desk\n' })
    cli.answer('POST', '/calls/v1/conversations', { json: { sid: 'CC-1' } })
    const { exitCode, stdout } = await followed(cli, shape, quick)
    const events = jsonLines(stdout)
    expect([0, 8]).toContain(exitCode)
    expect(events.filter(({ kind }) => kind !== 'unanswered').at(-1)).toMatchObject({
      kind: 'summary',
      badRequests: 0,
    })
    expect(events.at(-1)?.kind === 'unanswered').toBe(exitCode === 8)
    const texts = events.map(({ text }) => text)
    if (shape.said.flat().length > 0) expect(exitCode).toBe(0)
    expect(texts.filter(text => text !== undefined).length).toBeGreaterThanOrEqual(shape.said.flat().length)
  })
})

/** Follows a call whose events have this shape; where they do not end it, a plain end comes after them. */
async function followed(cli: TestCli, { bodies, ends }: EventShape, clock: Clock) {
  let posted: Promise<number[]> | undefined
  const result = await cli.runWith(
    {
      clock,
      printed: text => {
        if (!text.includes('"kind":"placed"')) return
        const body = JSON.stringify(cli.requests[0]?.body)
        const url = /"assistantServer":\{[^}]*"url":"([^"]+)"/.exec(body)?.[1] ?? 'no server'
        // The listener may be gone before the last one.
        posted = postAll(url, ends ? bodies : [...bodies, plainEnd]).catch(() => [])
      },
    },
    ...['call', 'start', '--yes', '--from', '+12025550100', '--to', '+12025550123'],
    ...['--assistant', 'desk.yaml', '--follow', '--json'],
  )
  const statuses = await posted
  expect(statuses?.filter(status => status !== 200)).toEqual([])
  return result
}

async function postAll(url: string, all: readonly string[]): Promise<number[]> {
  const statuses: number[] = []
  for (const body of all) {
    const answer = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    await answer.text()
    statuses.push(answer.status)
  }
  return statuses
}

function byText({ callId, conversation, messageId, text }: Record<string, unknown>): string {
  return JSON.stringify([callId, conversation, messageId, text])
}
