import { describe, expect, test } from 'vitest'
import { startNatsServer } from '../helpers/nats-server.ts'
import { openSharedRunners } from './shared-runners.ts'

describe('batch run --queue', { tags: 'nats-server' }, () => {
  test('calls 200 people once with three runners, one killed, one stopped, and a broker that restarts', async () => {
    const broker = await startNatsServer()
    const shared = await openSharedRunners({
      servers: [broker.url],
      people: 200,
      settings: ['concurrency: 20'],
    })
    const { service, numbers, callsTo } = shared
    const [first, second, third] = await Promise.all([shared.open(), shared.open(), shared.open()])
    let stopped: ReturnType<typeof third.run> | undefined
    let last: ReturnType<typeof third.run> | undefined
    const killed = first.run()
    service.hooks.onRequest = (index, respond) => {
      if (index === 40) {
        killed.kill('SIGKILL')
        stopped = second.run()
        return
      }
      if (index === 80) {
        stopped?.kill('SIGSTOP')
        last = third.run()
      }
      if (index === 120) void broker.kill().then(() => broker.restart())
      if (index === 160) stopped?.kill('SIGCONT')
      respond()
    }
    expect((await killed).signal).toBe('SIGKILL')
    for (const child of [await stopped, await last]) expect(child?.exitCode, child?.stderr).toBe(0)
    for (const number of numbers) expect(callsTo(number), number).toHaveLength(1)
    const results = await third.read('batches/calls.results.csv')
    expect(results.match(/,answered,1,/g)).toHaveLength(200)
    const { stdout } = await (await shared.open()).ask('status')
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ batch: 'calls', people: 200, calls: 200, unknown: [] },
      counts: { answered: 200, due: 0 },
    })
  })
})
