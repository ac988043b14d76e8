import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startEventService } from '../../../e2e/event-service.ts'
import { startNatsServer } from '../../../helpers/nats-server.ts'
import { realClock } from '../../../helpers/real-clock.ts'
import { testCli } from '../../../helpers/test-cli.ts'
import { startTestRelay } from '../../../relay/start-test-relay.ts'
import { batchCommands } from './batch-commands.ts'

const people = 'id,phone\n1,+12025550110\n2,+12025550111\n3,+12025550112\n4,+12025550113\n'

/** A broker, a relay and a service; `open` is a machine with the files of the batch, or without any. */
async function open() {
  const broker = await startNatsServer()
  const relay = await startTestRelay([broker.url])
  const service = await startEventService(number =>
    number.endsWith('3') ? [{ outcome: 'answered', says: 'Stop calling me' }] : [{ outcome: 'busy' }],
  )
  const files = {
    'callyard.yaml': '',
    'desk.yaml': `name: Desk\nmaxCallDuration: 1\nassistantServer: { url: "${relay.source.address}" }\n`,
    'batches/calls.yaml': 'list: people.csv\nfrom: "+12025550100"\nassistant: ../desk.yaml\n',
    'batches/people.csv': people,
  }
  const machine = async (own: Readonly<Record<string, string>> = files) => {
    const cli = await testCli(own, {
      env: { CALLYARD_BASE_URL: service.origin, CALLYARD_API_KEY: 'key' },
    })
    const { json } = batchCommands(cli, { clock: realClock })
    const ask = async (verb: string, ...more: string[]) => {
      const { data, ...result } = await json(verb, 'calls', '--queue', broker.url, ...more)
      return { ...result, data: Array.isArray(data) ? data.at(-1) : data }
    }
    return {
      cli,
      ask,
      run: (...flags: string[]) => ask('run', '--yes', '--max-calls', '100', '--no-log', ...flags),
    }
  }
  return { broker, service, files, machine, elsewhere: () => machine({}) }
}

describe('a shared batch', { tags: 'nats-server' }, () => {
  test('is run here, and reported, changed and continued from anywhere', async () => {
    const { service, machine, elsewhere, files } = await open()
    const here = await machine()
    const there = await elsewhere()
    expect(await there.ask('status')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--queue'),
    })
    expect((await here.run('--first', '2')).exitCode).toBe(8)
    expect(service.calls).toHaveLength(2)
    expect((await there.ask('status')).data).toMatchObject({
      ...{ batch: 'calls', people: 4, calls: 2, paused: { by: 'first' } },
      counts: { busy: 2, due: 2 },
    })
    expect((await there.ask('remove', '+1 202 555 0112')).data).toMatchObject({
      counts: { due: 1, removed: 1 },
    })
    expect((await there.ask('retry', '--outcome', 'busy')).data).toMatchObject({ counts: { due: 3 } })
    expect((await there.ask('export')).data.results).toMatchObject([{ id: '1' }, { id: '2' }])
    expect(await here.run('--first', '2')).toMatchObject({ exitCode: 9 })
    expect((await there.ask('resume')).data).toMatchObject({ kind: 'requested', request: 'resume' })
    await writeFile(join(here.cli.folder, 'more.csv'), 'id,phone\n5,+12025550114\n')
    expect((await here.ask('add', 'more.csv', '--first', '2')).data).toMatchObject({ counts: { due: 4 } })
    // Another machine has the added list from the journal.
    const other = await machine()
    expect(await other.run('--first', '2')).toMatchObject({ exitCode: 0 })
    expect(service.calls.map(({ number }) => number.slice(-2)).toSorted()).toEqual(
      ['10', '10', '11', '11', '13', '14'].toSorted(),
    )
    expect(await other.cli.read('do-not-call.csv')).toContain('+12025550113')
    expect((await there.ask('status')).data).toMatchObject({
      counts: { busy: 3, 'opted-out': 1, removed: 1, due: 0 },
    })
    // Another batch at this broker honors the opt-out.
    const third = await machine({ ...files, 'batches/people.csv': 'id,phone\n9,+12025550113\n' })
    expect(await third.run('--name', 'second')).toMatchObject({
      exitCode: 8,
      data: { counts: { skipped: 1 } },
    })
    expect((await there.ask('cancel')).data).toMatchObject({ isCancelled: true })
    expect(await here.run('--first', '2')).toMatchObject({ exitCode: 9 })
  })

  test('with other rows or settings is refused, and names them', async () => {
    const { service, machine, files } = await open()
    expect((await (await machine()).run()).exitCode).toBe(0)
    const calls = service.calls.length
    const other = await machine({ ...files, 'batches/people.csv': `${people}6,+12025550116\n` })
    expect(await other.run()).toMatchObject({
      exitCode: 9,
      stderr: expect.stringContaining('the rows of the list'),
    })
    const changed = await machine()
    expect(await changed.run('--concurrency', '3')).toMatchObject({
      exitCode: 9,
      stderr: expect.stringContaining('concurrency'),
    })
    expect(service.calls).toHaveLength(calls)
  })

  test('needs a broker, a relay and one source of events', async () => {
    const { broker, service, machine } = await open()
    const { run, cli } = await machine()
    expect(await run('--follow')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--follow') })
    expect(await run('--stream', 'other')).toMatchObject({
      exitCode: 5,
      stderr: expect.stringContaining('other'),
    })
    await broker.kill()
    expect(await run()).toMatchObject({ exitCode: 6 })
    const withoutQueue = await cli.run('batch', 'status', 'calls', '--nats-creds', 'x.creds')
    expect(withoutQueue).toMatchObject({ exitCode: 2 })
    expect(service.calls).toEqual([])
  })
})
