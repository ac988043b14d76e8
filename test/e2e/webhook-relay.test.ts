import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { everyCase } from '../helpers/every-case.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { readStream, startNatsServer } from '../helpers/nats-server.ts'
import { runBin, startStream } from '../helpers/run-bin.ts'
import { post } from '../helpers/target-server.ts'
import { callEvent } from '../relay/start-test-relay.ts'

const relayFlags = (url: string, folder: string) => [
  ...['webhook', 'relay', '--json', '--nats', url, '--port', '0', '--status-port', '0'],
  ...['--spool', join(folder, 'spool'), '--max-bytes', '100mb'],
]

/** Starts a relay; `address` takes events once it is ready. */
async function startRelay(url: string, folder: string, ...more: string[]) {
  const relay = startStream([...relayFlags(url, folder), ...more], { env: { CALLYARD_CONFIG_DIR: folder } })
  const ready = await relay.next('ready')
  return { ...relay, address: String(ready.url) }
}

describe('webhook relay', { tags: 'nats-server' }, () => {
  test.each(everyCase ? [1, 3, 10, 40, 90] : [20])(
    'a kill after %i acknowledged events loses none of them, and repeats none',
    async acknowledged => {
      const folder = await temporaryFolder()
      const broker = await startNatsServer()
      const first = await startRelay(broker.url, folder)
      const sent = new Set<number>()
      let killed = false
      for (let number = 0; !killed; number += 8) {
        const numbers = Array.from({ length: 8 }, (_, index) => number + index)
        await Promise.all(
          numbers.map(async each => {
            const status = await post(first.address, callEvent(`c${each % 5}`, each)).catch(() => 0)
            if (status === 200) sent.add(each)
            // False if it has ended already.
            if (sent.size >= acknowledged) killed = first.child.kill('SIGKILL') || killed
          }),
        )
      }
      await first.child
      const second = await startRelay(broker.url, folder)
      second.child.kill('SIGINT')
      expect((await second.child).exitCode).toBe(0)
      const stored = (await readStream(broker.url, 'calls')).map(
        ({ body }) => JSON.parse(body).message.number,
      )
      expect(new Set(stored).size).toBe(stored.length)
      expect([...sent].filter(number => !stored.includes(number))).toEqual([])
    },
  )

  test('Ctrl-C publishes what is left; without the broker it exits with 8, and says where the events are', async () => {
    const folder = await temporaryFolder()
    const broker = await startNatsServer()
    const { child, address, next } = await startRelay(broker.url, folder, '--drain', '100ms')
    await next('connected')
    await broker.kill()
    expect(await post(address, callEvent('a'))).toBe(200)
    child.kill('SIGINT')
    const { exitCode, stderr } = await child
    expect(exitCode).toBe(8)
    expect(stderr).toContain(join(folder, 'spool'))
    await broker.restart()
    const again = await startRelay(broker.url, folder)
    again.child.kill('SIGTERM')
    expect((await again.child).exitCode).toBe(0)
    expect(await readStream(broker.url, 'calls')).toHaveLength(1)
  })

  test('--dry-run prints what it would do, and does nothing', async () => {
    const folder = await temporaryFolder()
    const broker = await startNatsServer()
    const options = { env: { CALLYARD_CONFIG_DIR: folder } }
    const { exitCode, stdout } = await runBin([...relayFlags(broker.url, folder), '--dry-run'], options)
    expect([exitCode, JSON.parse(stdout)]).toEqual([
      0,
      { kind: 'stream', stream: 'calls', action: 'create', changes: [] },
    ])
    await expect(readStream(broker.url, 'calls')).rejects.toThrow('stream not found')
  })
})
