import { describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../helpers/folders.ts'
import { lines } from '../helpers/json-lines.ts'
import { startBin } from '../helpers/run-bin.ts'
import { startBrokerWithRelay } from '../relay/start-test-relay.ts'
import { conversation } from '../relay/start-test-tail.ts'

const calls = Array.from({ length: 40 }, (_, number) => `c${number}`)

/** Called when a tail has printed something. */
const waiting = new Set<() => void>()

/** Starts a tail in a process; collects what it prints. */
async function startTailProcess(url: string, ...flags: string[]) {
  const child = startBin(['webhook', 'tail', '--json', '--relay', url, '--as', 'ada', ...flags], {
    env: { CALLYARD_CONFIG_DIR: await temporaryFolder() },
  })
  onTestFinished(() => {
    child.kill('SIGCONT')
    child.kill('SIGKILL')
  })
  const events: { kind: string; text?: string; callId?: string; held?: number; tails?: number }[] = []
  const reading = (async () => {
    for await (const line of lines(child.stdout)) {
      events.push(JSON.parse(line))
      for (const wake of [...waiting]) wake()
    }
  })()
  return {
    child,
    events,
    texts: () => events.flatMap(({ kind, text }) => (kind === 'message' && text !== undefined ? [text] : [])),
    held: () => events.findLast(({ kind }) => kind === 'partitions')?.held ?? 0,
    async until(condition: () => boolean) {
      while (!condition()) {
        await new Promise<void>(resolve => {
          const wake = () => {
            waiting.delete(wake)
            resolve()
          }
          waiting.add(wake)
        })
      }
    },
    async end() {
      child.kill('SIGINT')
      const { exitCode } = await child
      await reading
      return exitCode
    },
  }
}

/** Texts of all calls up to a number of messages each. */
function expectedTexts(count: number): string[] {
  return calls.flatMap(call => Array.from({ length: count }, (_, index) => `${call} ${index + 1}`)).sort()
}

describe('webhook tail --relay --share', { tags: 'nats-server' }, () => {
  test('another tail continues for a killed one, and a paused one that wakes up repeats nothing', async () => {
    const { broker, relay } = await startBrokerWithRelay()
    const sendAll = async (count: number) => {
      for (const call of calls) await relay.send(conversation(call, count))
    }
    const tails = await Promise.all([1, 2, 3].map(() => startTailProcess(broker.url, '--share')))
    const [killed, paused, steady] = tails
    if (killed === undefined || paused === undefined || steady === undefined) throw new Error('three tails')
    const all = () => tails.flatMap(({ texts }) => texts())
    for (const tail of tails) await tail.until(() => [10, 11].includes(tail.held()))
    await sendAll(1)
    await sendAll(2)
    await Promise.all(tails.map(tail => tail.until(() => all().length >= 2 * calls.length)))
    killed.child.kill('SIGKILL')
    await sendAll(3)
    await steady.until(() => steady.held() === 16)
    await paused.until(() => paused.held() === 16)
    await sendAll(4)
    await Promise.all(
      [steady, paused].map(tail => tail.until(() => new Set(all()).size === 4 * calls.length)),
    )
    paused.child.kill('SIGSTOP')
    const before = paused.texts().length
    await sendAll(5)
    await steady.until(() => steady.held() === 32)
    await sendAll(6)
    await steady.until(() => new Set(all()).size === 6 * calls.length)
    const shown = new Set(all())
    paused.child.kill('SIGCONT')
    await paused.until(() => paused.events.some(({ kind }) => kind === 'disconnected'))
    await steady.until(() => steady.held() === 16)
    await paused.until(() => paused.held() === 16)
    await sendAll(7)
    await Promise.all([steady, paused].map(tail => tail.end()))
    expect([...new Set(all())].sort()).toEqual(expectedTexts(7))
    expect(
      paused
        .texts()
        .slice(before)
        .filter(text => shown.has(text)),
    ).toEqual([])
    for (const call of calls) {
      for (const { texts } of tails) {
        const own = texts().filter(text => text.startsWith(`${call} `))
        expect(own).toEqual([...new Set(own)].sort())
      }
    }
  })
})
