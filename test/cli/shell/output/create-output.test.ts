import { setImmediate } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Output, Progress } from '../../../../src/cli/shell/context.ts'
import type { GlobalOptions } from '../../../../src/cli/shell/flags/flag.ts'
import { createOutput, loadStyling } from '../../../../src/cli/shell/output/create-output.ts'
import { type Diagnostic, InvalidInput } from '../../../../src/files/source/index.ts'
import { CallyardError } from '../../../../src/lib/error.ts'
import { createDeferred } from '../../../../src/lib/queue.ts'
import { advice, bold, text } from '../../../../src/lib/text/text.ts'
import { smallTerminal } from './small-terminal.ts'

describe('a bar', () => {
  test('continues below what is logged meanwhile', async () => {
    const { output, screen, start } = open()
    const progress = await start('Applying', 4)
    progress.update(1)
    output.note('✓ created tool/book')
    await seen(screen, /^✓ created tool\/book\n\S Applying █{5}░{15} 1\/4$/)
    output.warn('tool/move is slow')
    progress.update(2)
    await seen(screen, /^✓ created tool\/book\nwarning: tool\/move is slow\n\S Applying █{10}░{10} 2\/4$/)
  })

  test('prints what is running, truncated to the width', async () => {
    const { screen, start } = open(60)
    const progress = await start('Applying', 4)
    progress.update(1, 'tool/book')
    await seen(screen, /^\S Applying █{5}░{15} 1\/4 {2}tool\/book$/)
    progress.update(1, 'tool/book, \u001b[31mtool/move, tool/cancel')
    await seen(screen, /^\S Applying █{5}░{15} 1\/4 {2}tool\/book, \\x1b\[31mto…$/)
    progress.update(2)
    await seen(screen, /^\S Applying █{10}░{10} 2\/4$/)
  })

  test('spins and shows the current step without a total', async () => {
    const { screen, start } = open()
    const progress = await start('Reading')
    progress.update(0, 'tool/book')
    await seen(screen, /^\S Reading {2}tool\/book$/)
  })

  test.each([
    ['the result', output => output.result({}, () => 'the end')],
    ['a failure', output => output.failure(new CallyardError('refused', 'the end'))],
  ] satisfies [string, (output: Opened['output']) => void][])('is gone for good with %s', async (_, end) => {
    const { output, screen, start } = open()
    const progress = await start('Applying', 4)
    end(output)
    progress.update(3)
    output.note('after')
    await setImmediate()
    expect(screen.text()).toMatch(/^(error: )?the end\nafter$/)
  })

  test('is gone for good when it is stopped', async () => {
    const { output, screen, start } = open()
    const progress = await start('Applying', 4)
    progress.stop()
    output.note('after')
    expect(screen.text()).toBe('after')
  })

  test('is gone while the process is suspended by Ctrl-Z, and leaves what the shell prints', async () => {
    const { screen, start } = open()
    let left = ''
    const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
      left = screen.text()
      screen.write('[1]+ Stopped\n')
      return true
    })
    onTestFinished(() => kill.mockRestore())
    const progress = await start('Applying', 4)
    for (const times of [1, 2]) {
      process.emit('SIGTSTP')
      expect(kill).toHaveBeenCalledTimes(times)
      expect(left).not.toContain('Applying')
    }
    progress.update(1)
    await seen(screen, /^\[1\]\+ Stopped\n\[1\]\+ Stopped\n\S Applying █{5}░{15} 1\/4$/)
    progress.stop()
    expect(process.listenerCount('SIGTSTP')).toBe(0)
  })

  test('that is not drawn yet delays no note, and is never drawn if stopped before', async () => {
    const { output, screen } = open()
    const progress = output.progress('Applying', 4)
    output.note('first')
    progress.stop()
    output.note('second')
    await import('ora')
    await setImmediate()
    expect(screen.text()).toBe('first\nsecond')
  })

  test.each([{ CI: '1' }, { TERM: 'dumb' }])('is not drawn with %o', async env => {
    const { output, screen } = open(80, { env })
    output.progress('Applying', 4).update(1)
    await import('ora')
    await setImmediate()
    expect(screen.text()).toBe('')
  })
})

describe('under GitHub Actions', () => {
  const finding: Diagnostic = {
    code: 'missing',
    severity: 'error',
    path: ['type'],
    at: 'value',
    message: 'type is missing',
    file: 'tools/t.yaml',
    position: { line: 1, column: 1 },
  }
  const env = { GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: '/work' }
  const annotated = '::error file=desk/tools/t.yaml,line=1,col=1,title=callyard%3A missing::type is missing\n'

  test('input that does not pass is annotated on stderr, and stdout stays data', () => {
    const plain = printed({ env })
    plain.output.failure(new InvalidInput([finding]))
    expect(plain.stderr()).toContain('1 error in 1 file')
    expect(plain.stderr()).toContain(annotated)
    expect(plain.stdout()).toBe('')
    const json = printed({ env, json: true })
    json.output.failure(new InvalidInput([finding]))
    expect(json.stderr()).toContain(annotated)
    expect(JSON.parse(json.stdout())).toMatchObject({ error: { kind: 'invalid' } })
  })

  test('findings are annotated on request, with --quiet too; elsewhere never', () => {
    const { output, stdout, stderr } = printed({ env, quiet: true })
    output.annotate([finding, finding])
    expect([stdout(), stderr()]).toEqual(['', annotated + annotated])
    for (const elsewhere of [{}, { GITHUB_ACTIONS: 'false' }]) {
      const none = printed({ env: elsewhere })
      none.output.annotate([finding])
      none.output.failure(new InvalidInput([finding]))
      expect(none.stderr()).not.toContain('::error')
    }
  })

  test('any other error is annotated without a file, and its text is one command', () => {
    const { output, stderr } = printed({ env, quiet: true })
    output.failure(
      new CallyardError('conflict', 'first\n::error file=x::forged, 100%', { hint: 'look\u001b[2J' }),
    )
    expect(
      stderr()
        .split('\n')
        .filter(line => line.startsWith('::')),
    ).toEqual([
      '::error title=callyard%3A conflict::first%0A::error file=x::forged, 100%25%0Ahint: look\\x1b[2J',
    ])
    const bug = printed({ env })
    bug.output.failure(new TypeError('x is no function'))
    expect(bug.stderr()).toContain('::error title=callyard%3A bug::a bug in callyard: x is no function\n')
    const elsewhere = printed({ env: {} })
    elsewhere.output.failure(new CallyardError('conflict', 'c'))
    expect(elsewhere.stderr()).not.toContain('::error')
  })

  test.each(['pending', 'cancelled'] as const)('%s is not a failure and gets no annotation', kind => {
    const { output, stderr } = printed({ env })
    output.failure(new CallyardError(kind, 'nothing was sent'))
    expect(stderr()).toContain('othing was sent')
    expect(stderr()).not.toContain('::error')
  })

  test('no text is a workflow command', () => {
    const { output, stdout, stderr } = printed({ env })
    output.note('a reason:\n    ::add-mask::x')
    output.result({}, () => '::stop-commands::x')
    expect(stderr()).toBe('a reason:\n    \\u003a:add-mask::x\n')
    expect(stdout()).toBe('\\u003a:stop-commands::x\n')
    const json = printed({ env, json: true })
    json.output.result({ a: '##[error]x' }, () => '')
    expect(json.stdout()).not.toContain('##[')
    expect(JSON.parse(json.stdout())).toEqual({ a: '##[error]x' })
  })
})

test('the width is that of the terminal now; 80 where it is not known', () => {
  const stdout: { columns?: number; write(): void } = { columns: 120, write() {} }
  const output = createOutput({ stdout, stderr: stdout, cwd: '/' }, { env: {} })
  expect(output.width).toBe(120)
  stdout.columns = 33
  expect(output.width).toBe(33)
  // So some terminals say that they do not know.
  stdout.columns = 0
  expect(output.width).toBe(80)
  delete stdout.columns
  expect(output.width).toBe(80)
})

test('wraps prose only on a terminal of known width, but not a request in --debug', async () => {
  const env = {}
  const written = async (sink: { readonly isTTY?: boolean; readonly columns?: number }) => {
    const pieces: string[] = []
    const stream = { ...sink, write: (piece: string) => pieces.push(piece) }
    const look = { env, color: false, debug: true }
    const output = createOutput(
      { stdout: stream, stderr: stream, cwd: '/' },
      look,
      await loadStyling([stream], look),
    )
    output.warn('one two', 'three four')
    output.event({ kind: 'said' }, () => 'five six')
    output.debug('> POST /calls')
    return pieces.join('')
  }
  const asItIs = 'warning: one two\n  three four\nfive six\n> POST /calls\n'
  expect(await written({ isTTY: true, columns: 7 })).toBe(
    'warning:\n  one\n  two\n  three\n    four\nfive\n  six\n> POST /calls\n',
  )
  expect(await written({ isTTY: true })).toBe(asItIs)
  expect(await written({ columns: 7 })).toBe(asItIs)
})

type Look = GlobalOptions & { readonly env: Readonly<Record<string, string>> }
type Opened = ReturnType<typeof open>

/** A terminal on stdout and stderr, as ora uses one. */
function open(columns = 80, look: Look = { env: {} }) {
  const screen = smallTerminal(columns, 24)
  const sink = {
    isTTY: true,
    columns,
    rows: 24,
    write: (text: string) => screen.write(text.replaceAll(/\x1b\[(\?\d+[hl]|[\d;]*m)/g, '')),
    cursorTo: (column: number) => screen.write(column === 0 ? '\r' : `\r\x1b[${column}C`),
    moveCursor: (_: number, rows: number) => screen.write(`\x1b[${-rows}A`),
    clearLine: () => screen.write('\x1b[2K'),
  }
  const output = createOutput({ stdout: sink, stderr: sink, cwd: '/work/desk' }, look)
  return {
    output,
    screen,
    async start(label: string, total?: number): Promise<Progress> {
      const progress = output.progress(label, total)
      onTestFinished(() => progress.stop())
      await seen(screen, new RegExp(label))
      return progress
    },
  }
}

async function seen(screen: Opened['screen'], what: RegExp): Promise<void> {
  await expect.poll(() => screen.text(), { interval: 5 }).toMatch(what)
}

function printed(look: Look) {
  const written = { stdout: '', stderr: '' }
  const sink = (name: keyof typeof written) => ({
    write: (text: string) => {
      written[name] += text
    },
  })
  const output = createOutput({ stdout: sink('stdout'), stderr: sink('stderr'), cwd: '/work/desk' }, look)
  return { output, stdout: () => written.stdout, stderr: () => written.stderr }
}

describe('list written in parts', () => {
  test('is one JSON document, with the fields beside it at the end', () => {
    const { output, stdout } = printed({ env: {}, json: true })
    const list = output.list('tests')
    list.item({ a: [1, 'x\ny'] })
    list.item({ b: '\u001b[2J' })
    list.end({ summary: { tests: 2 } })
    expect(stdout()).not.toContain('\u001b')
    expect(JSON.parse(stdout())).toEqual({
      tests: [{ a: [1, 'x\ny'] }, { b: '\u001b[2J' }],
      summary: { tests: 2 },
    })
    output.failure(new CallyardError('partial', '1 failed'))
    expect(JSON.parse(stdout())).not.toHaveProperty('error')
    const empty = printed({ env: {}, json: true })
    empty.output.list('tests').end({})
    expect(JSON.parse(empty.stdout())).toEqual({ tests: [] })
  })

  test('is closed by the failure that ends the command', () => {
    const { output, stdout } = printed({ env: {}, json: true })
    output.list('tests').item({ a: 1 })
    output.failure(new CallyardError('cancelled', 'cancelled'))
    expect(JSON.parse(stdout())).toMatchObject({ tests: [{ a: 1 }], error: { kind: 'cancelled' } })
  })

  test('is nothing without --json', () => {
    const { output, stdout } = printed({ env: {} })
    const list = output.list('tests')
    list.item({ a: 1 })
    list.end({})
    expect(stdout()).toBe('')
  })
})

describe('commands are shown as callyard was started', () => {
  const printed = (look: { json?: boolean }, print: (output: Output) => void) => {
    const lines: Record<'stdout' | 'stderr', string> = { stdout: '', stderr: '' }
    const sink = (name: keyof typeof lines) => ({
      write: (chunk: string | Uint8Array) => {
        lines[name] += chunk
      },
    })
    const host = {
      stdout: sink('stdout'),
      stderr: sink('stderr'),
      cwd: '/desk',
      script: '/bin/callyard',
    }
    const commandPaths = ['apply', 'help', 'schema', 'tool', 'tool create']
    print(
      createOutput(host, { env: { npm_lifecycle_event: 'npx' }, ...look }, { colors: false, commandPaths }),
    )
    return lines
  }
  const error = new CallyardError('usage', 'unknown command callyard tol', {
    hint: 'did you mean callyard tool?',
    details: {
      usage: 'callyard tool <command>',
      example: 'callyard tool create tool.yaml',
      name: 'callyard tool',
    },
  })

  test('in errors, warnings and notes', () => {
    const { stderr } = printed({}, output => {
      output.note('Next: callyard apply')
      output.warn('stale', 'run callyard schema --write')
      output.failure(error)
    })
    expect(stderr).toBe(
      [
        'Next: npx callyard apply',
        'warning: stale',
        '  run npx callyard schema --write',
        'error: unknown command callyard tol',
        'hint: did you mean npx callyard tool?',
        'usage: npx callyard tool <command>',
        'example: npx callyard tool create tool.yaml',
        '',
      ].join('\n'),
    )
  })

  test('in the document of an error, but not in other details', () => {
    const { stdout } = printed({ json: true }, output => output.failure(error, ['callyard help tool']))
    expect(JSON.parse(stdout).error).toMatchObject({
      hint: 'did you mean npx callyard tool?',
      next: ['npx callyard help tool'],
      usage: 'npx callyard tool <command>',
      example: 'npx callyard tool create tool.yaml',
      name: 'callyard tool',
    })
  })

  test('on stdout only in advice: what a caller says is data', () => {
    const { stdout } = printed({}, output =>
      output.result({}, () => text`user  run callyard apply\n${advice(bold('callyard apply'))}`),
    )
    expect(stdout).toBe('user  run callyard apply\nnpx callyard apply\n')
  })
})

test('a stream whose reader stalls is bounded, and counts what it dropped', async () => {
  const { promise, resolve: drain } = createDeferred<void>()
  let waiting = 0
  let printed = ''
  const stdout = {
    get waitingBytes() {
      return waiting
    },
    write(chunk: string) {
      waiting += chunk.length
      printed += chunk
    },
    drained: () => promise,
  }
  const output = createOutput({ stdout, stderr: { write() {} }, cwd: '/' }, { json: true, env: {} })
  const bytes = 1024 ** 2
  for (let number = 0; number < 100; number += 1)
    output.event({ kind: 'large', text: 'x'.repeat(bytes) }, () => undefined)
  expect(printed.length).toBeLessThan(66 * bytes)
  const written = printed.split('\n').length - 1
  printed = ''
  waiting = 0
  drain()
  await promise
  await Promise.resolve()
  output.event({ kind: 'small' }, () => undefined)
  expect(printed).toBe(`{"kind":"events-dropped","events":${100 - written}}\n{"kind":"small"}\n`)
})
