import { describe, expect, test } from 'vitest'
import { jsonLines } from '../../../../helpers/json-lines.ts'
import { realClock } from '../../../../helpers/real-clock.ts'
import { type TestCli, testCli } from '../../../../helpers/test-cli.ts'
import { desk, project, spoken } from './chat-project.ts'

/** Output and saved events of a run. */
async function run(cli: TestCli, input: string | AsyncIterable<string>, ...argv: string[]) {
  const name = `saved-${++runs}.ndjson`
  const result = await cli.runWith({ input, clock: realClock }, ...desk, '--json', '--out', name, ...argv)
  expect(result.exitCode, result.stderr).toBe(0)
  return {
    stdout: result.stdout,
    saved: await cli.read(name),
    id: String(jsonLines(result.stdout)[0].callId),
  }
}
let runs = 0

const asked = 'When are you open?\nWhere is the workshop?\n'

describe('a chat whose lines are known', () => {
  test('is byte for byte the same for equal input, on stdout and in a file', async () => {
    const one = await run(await testCli(project), asked)
    const other = await run(await testCli(project), asked)
    expect(other).toEqual(one)
    expect(one.saved).toBe(one.stdout)
  })

  test('is another call for other lines, files, variables or overrides', async () => {
    const cli = await testCli({ ...project, 'o.yaml': 'welcomeMessage: Welcome.\n', 'c.txt': 'Hello\n' })
    const edited = await testCli({
      ...project,
      'knowledge-bases/workshop.yaml': 'knowledgeBaseId: workshop\nfaq: []\n',
    })
    const ids = [
      await run(cli, asked),
      await run(cli, 'When are you open?\n'),
      await run(cli, asked, '--var', 'day=Monday'),
      await run(cli, asked, '--overrides', 'o.yaml'),
      await run(cli, '', '--caller', 'c.txt'),
      await run(edited, asked),
    ].map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('has the ids of --seed for any lines', async () => {
    const cli = await testCli(project)
    const one = await run(cli, asked, '--seed', '7')
    expect((await run(cli, 'Hello\n', '--seed', '7')).id).toBe(one.id)
    expect((await run(cli, asked, '--seed', '8')).id).not.toBe(one.id)
  })

  test('gives each call after /restart its own id and time', async () => {
    const cli = await testCli(project)
    const { stdout } = await run(cli, `${asked}/restart\n${asked}`)
    const ends = jsonLines(stdout).filter(({ status }) => status === 'finished')
    expect(new Set(ends.map(({ callId }) => callId)).size).toBe(2)
    expect(Date.parse(ends[1].record.createdAt)).toBeGreaterThan(Date.parse(ends[0].record.endAt))
  })
})

test('two programs that wait for replies hold two calls', async () => {
  const cli = await testCli(project)
  const hold = async () => {
    let hear = () => {}
    const heard = new Promise<void>(resolve => {
      hear = resolve
    })
    const says = async function* () {
      await heard
      yield 'When are you open?\n'
    }
    const result = await cli.runWith(
      { input: says(), clock: realClock, printed: text => text.includes('how can I help') && hear() },
      ...desk,
      '--json',
    )
    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('nine to six') })
    return jsonLines(result.stdout)[0].callId
  }
  expect(await hold()).not.toBe(await hold())
})

describe('time passes in a call', () => {
  const times = (stdout: string) =>
    jsonLines(stdout).flatMap(({ kind, timestamp }) => (kind === 'message' ? [Date.parse(timestamp)] : []))

  test('by as much as it takes to say what is said', async () => {
    const { stdout } = await run(await testCli(project), asked)
    const end = jsonLines(stdout).at(-1)
    const [welcome = 0, question = 0, answer = 0] = times(stdout)
    // A character takes a fifteenth of a second; the assistant waits 0.4 s before it replies.
    expect(question - welcome).toBe(Math.round(('When are you open?'.length / 15) * 1000))
    expect(answer - question).toBe(400 + Math.round(('From nine to six.'.length / 15) * 1000))
    expect(Date.parse(end.record.endAt) - Date.parse(end.record.startAt)).toBeGreaterThan(6000)
  })

  test('/interrupt cuts the assistant short in the middle of what it says', async () => {
    const cli = await testCli({
      'a.yaml':
        'welcomeMessage: Hello and welcome to our workshop for bicycles of all kinds.\nwelcomeMessageInterruptionsEnabled: true\n',
    })
    const input = '/interrupt Wait a moment\nHello\n'
    const hold = () => cli.runWith({ input, clock: realClock }, 'call', 'chat', 'a.yaml', '--seed', '1')
    const { stdout } = await hold()
    expect(spoken(stdout).slice(0, 3)).toEqual([
      'assistant  Hello and welcome to our workshop',
      'user       Wait a moment',
      expect.stringMatching(/^assistant {2}This is the callyard sandbox/),
    ])
    expect(stdout).toContain('(cut short)')
    expect((await hold()).stdout).toBe(stdout)
  })

  test('and maxCallDuration cuts it off, with a warning where lines are left', async () => {
    const cli = await testCli({ 'a.yaml': 'welcomeMessage: hi\nmaxCallDuration: 1\n' })
    const hold = (lines: number) =>
      cli.runWith({ input: 'Is anybody there?\n'.repeat(lines), clock: realClock }, 'call', 'chat', 'a.yaml')
    const { stdout, stderr } = await hold(40)
    expect(stdout).toContain('ended by system')
    expect(stderr).toContain('before all lines were said')
    expect((await hold(2)).stderr).not.toContain('before all lines were said')
  })
})
