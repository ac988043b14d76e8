import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { LineEditor } from '../../../../../src/cli/shell/context.ts'
import { readLines } from '../../../../../src/cli/shell/output/read-input.ts'
import type { Clock } from '../../../../../src/lib/clock.ts'
import { jsonLines } from '../../../../helpers/json-lines.ts'
import { listenOnLoopback } from '../../../../helpers/loopback.ts'
import { startModelServer } from '../../../../helpers/model-server.ts'
import { realClock } from '../../../../helpers/real-clock.ts'
import { testCli } from '../../../../helpers/test-cli.ts'
import { desk, project } from './chat-project.ts'

describe('a person at the terminal', () => {
  const terminal = (editor: LineEditor) => ({
    terminal: true,
    clock: hastyClock(),
    editor,
  })

  test('prints words as they are generated, and exits with Ctrl-D', async () => {
    const cli = await testCli(project)
    const { editor, says, leaves } = person()
    const result = await cli.runWith(
      {
        ...terminal(editor),
        printed(text) {
          if (text.includes('how can I help')) says('When are you open?')
          if (text.includes('nine to six')) leaves()
        },
      },
      ...desk,
    )
    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('ended by user') })
    expect(plain(result.stdout)).toContain('user       When are you open?\nassistant  From nine to six.\n')
  })

  test('is heard after the call is picked up, when something was typed before', async () => {
    const cli = await testCli(project)
    const { editor, says, leaves } = person()
    says('Where is the workshop?')
    const result = await cli.runWith(
      { ...terminal(editor), printed: text => text.includes('Canal') && leaves() },
      ...desk,
    )
    expect(plain(result.stdout)).toContain('user       Where is the workshop?')
  })

  test('stays in the call when /restart finds files that do not pass, and calls again when they are corrected', async () => {
    const cli = await testCli(project)
    const { editor, says, leaves } = person()
    const file = join(cli.folder, 'assistants/desk.yaml')
    const result = await cli.runWith(
      {
        ...terminal(editor),
        printed(text) {
          if (text.includes('how can I help')) {
            writeFileSync(file, 'welcomeMessge: hi\n')
            says('/restart')
          }
          if (text.includes('this call continues')) says('When are you open?')
          if (text.includes('nine to six')) {
            writeFileSync(file, 'welcomeMessage: Corrected.\n')
            says('/restart')
          }
          if (text.includes('Corrected.')) leaves()
        },
      },
      ...desk,
    )
    expect(result.exitCode).toBe(0)
    expect(plain(result.stderr)).toContain('desk.yaml:1:1')
    expect(result.stdout.match(/ongoing/g)).toHaveLength(2)
  })

  test('reads after the call that /restart finds files that do not pass', async () => {
    const cli = await testCli(project)
    const { editor, says, leaves } = person()
    const result = await cli.runWith(
      {
        ...terminal(editor),
        printed(text) {
          if (text.includes('how can I help')) says('goodbye')
          if (text.includes('The call is over')) {
            writeFileSync(join(cli.folder, 'assistants/desk.yaml'), 'welcomeMessge: hi\n')
            says('/restart')
          }
          if (text.includes('no call was placed')) says('Hello?')
          if (text.includes('There is no call')) leaves()
        },
      },
      ...desk,
    )
    expect(result.exitCode).toBe(0)
    expect(plain(result.stderr)).toContain('There is no call')
  })

  test('Ctrl-C ends it immediately while the call ends, even from /restart', async () => {
    for (const command of ['/restart', undefined]) {
      const cli = await testCli(project)
      const { editor, says, leaves } = person()
      const ending = new AbortController()
      const result = await cli.runWith(
        {
          ...terminal(editor),
          signal: ending.signal,
          printed(text) {
            if (text.includes('how can I help')) {
              if (command === undefined) leaves()
              else says(command)
            }
            if (text.includes('Ctrl-C again to exit immediately')) ending.abort('SIGINT')
          },
        },
        ...desk,
        '--llm-url',
        await silentServer(),
      )
      expect(result).toMatchObject({ exitCode: 130, stderr: expect.stringContaining('Ctrl-C') })
      expect(result.stdout.match(/queued/g)).toHaveLength(1)
    }
  })

  test('reports that the assistant ended the call, and may call again', async () => {
    const cli = await testCli(project)
    const { editor, says, leaves } = person()
    let calls = 0
    const result = await cli.runWith(
      {
        ...terminal(editor),
        printed(text) {
          if (text.includes('how can I help')) {
            calls += 1
            if (calls === 1) says('goodbye')
            else leaves()
          }
          if (text.includes('The call is over')) says('/restart')
        },
      },
      ...desk,
    )
    expect(result.exitCode).toBe(0)
    expect(plain(result.stdout)).toMatch(/ended by assistant[\s\S]*ended by user/)
  })

  test('typed lines have the times of scripted ones, however long the typing takes', async () => {
    const cli = await testCli(project)
    const { editor, says, leaves } = person()
    await cli.runWith(
      {
        ...terminal(editor),
        printed(text) {
          if (text.includes('how can I help')) void nextRounds().then(() => says('When are you open?'))
          if (text.includes('nine to six')) leaves()
        },
      },
      ...desk,
      ...['--out', 'typed.ndjson', '--at', '2026-01-01'],
    )
    await cli.runWith(
      { input: 'When are you open?\n', clock: realClock },
      ...desk,
      ...['--out', 'scripted.ndjson'],
    )
    const times = async (file: string) =>
      jsonLines(await cli.read(file)).flatMap(({ kind, timestamp, text, status, record }) =>
        kind === 'message' ? [[text, timestamp]] : status === 'finished' ? [['end', record.endAt]] : [],
      )
    expect(await times('typed.ndjson')).toEqual(await times('scripted.ndjson'))
    expect(await times('typed.ndjson')).toHaveLength(4)
  })

  test.each([
    [[], 'now'],
    [['--at', '2026-05-04'], '2026-05-04T00:00:00.000Z'],
    [['--at', '2026-05-04T09:30:00+02:00'], '2026-05-04T07:30:00.000Z'],
  ])('with %j is placed at %s; /restart places the next call after it', async (flags, at) => {
    const cli = await testCli(project)
    const { editor, says, leaves } = person()
    let welcomes = 0
    await cli.runWith(
      {
        ...terminal(editor),
        clock: { ...realClock, now: () => Date.UTC(2030, 0, 1) },
        printed(text) {
          if (!text.includes('how can I help')) return
          welcomes += 1
          if (welcomes === 1) void nextRounds().then(() => says('/restart'))
          else leaves()
        },
      },
      ...desk,
      ...['--out', 'typed.ndjson', ...flags],
    )
    const created = jsonLines(await cli.read('typed.ndjson')).flatMap(({ kind, status, record }) =>
      kind === 'status' && status === 'finished' ? [record.createdAt] : [],
    )
    expect(created).toHaveLength(2)
    expect(created[0]).toBe(at === 'now' ? '2030-01-01T00:00:00.000Z' : at)
    expect(created[1] > created[0]).toBe(true)
  })

  test('stops a reply that a model is generating, and keeps what was read of it', async () => {
    const cli = await testCli(project)
    const { editor, says, leaves } = person()
    const model = await startModelServer({ hangAfter: 'It all began ' }, { say: 'As you like.' })
    const drafts: string[] = []
    const result = await cli.runWith(
      {
        ...terminal({
          ...editor,
          show({ above }) {
            drafts.push(String(above))
            if (drafts.length > 1 && String(above).includes('began')) says('No, please stop')
          },
        }),
        printed(text) {
          if (text.includes('how can I help')) says('Tell me more')
          if (text.includes('As you like.')) leaves()
        },
      },
      ...desk,
      ...['--llm-url', model.url],
    )
    expect(result.exitCode, result.stderr).toBe(0)
    expect(plain(result.stdout)).toMatch(
      /Tell me more\nassistant {2}It all began\s+\(cut short\)\nuser {7}No, please stop\nassistant {2}As you like\./,
    )
    await model.requests[0]?.left
  })
})

/** URL of a model that never responds. */
async function silentServer(): Promise<string> {
  return `${(await listenOnLoopback(createServer(() => {}))).origin}/v1`
}

/** A line editor without a terminal: lines as a person types them. */
function person() {
  const typed = new PassThrough()
  const source = readLines(typed)
  return {
    says: (line: string) => void typed.write(`${line}\n`),
    leaves: () => void typed.end(),
    editor: { ...source, width: 80, show() {}, aside: (write: () => void) => write() },
  }
}

/** Up to a few seconds pass at once; longer ones never do, so that no caller is idle. */
function hastyClock(): Clock {
  let now = 0
  return {
    now: () => now,
    async sleep(milliseconds, signal) {
      if (milliseconds > 4000) {
        await new Promise((_resolve, reject) =>
          signal?.addEventListener('abort', () => reject(signal.reason), { once: true }),
        )
      }
      now += milliseconds
      await setImmediate()
    },
  }
}

/** A while, for a program. */
async function nextRounds(): Promise<void> {
  for (let round = 0; round < 20; round += 1) await setImmediate()
}

function plain(painted: string): string {
  return stripVTControlCharacters(painted)
}
