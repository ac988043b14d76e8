import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/folders.ts'
import { startBuiltSandbox, startBuiltTail, type startStream } from '../helpers/run-bin.ts'
import { testCli } from '../helpers/test-cli.ts'

type Stream = ReturnType<typeof startStream>

async function stop({ child, rest }: Stream) {
  child.kill('SIGTERM')
  await rest()
  const { exitCode, stderr } = await child
  expect(exitCode, stderr).toBe(0)
}

describe('webhook tail', () => {
  const caller = ['When are you open?', 'And on Sunday?', 'Where are you?', 'Thank you.', 'Goodbye.']
  const callsPlaced = 5

  /** Output of webhook tail for some calls, from the first event to the summary. */
  async function tailCalls(...flags: string[]) {
    const folder = await temporaryFolder()
    const env = { CALLYARD_CONFIG_DIR: join(folder, 'config'), CALLYARD_PROFILE: 'sandbox' }
    const settings = { cwd: folder, env }
    const tail = await startBuiltTail([], settings)
    await writeFile(join(folder, 'desk.yaml'), `name: Desk\nassistantServer: { url: '${tail.url}' }\n`)
    const sandbox = await startBuiltSandbox(
      ['--save-profile', 'sandbox', '--in-memory', '--seed', '11', ...flags],
      settings,
    )
    const cli = await testCli({}, { env: sandbox.env })
    const run = (...argv: readonly string[]) => cli.runWith({ cwd: folder }, ...argv)
    expect(await run('assistant', 'create', 'desk.yaml')).toMatchObject({ exitCode: 0 })
    for (let placed = 0; placed < callsPlaced; placed += 1) {
      const place = ['call', 'start', '--yes', '--from', '+12025550100', '--to', '+12025550123']
      const metadata = ['--metadata', `caller=${JSON.stringify(caller)}`]
      expect(await run(...place, ...metadata)).toMatchObject({ exitCode: 0 })
      while ((await sandbox.next('call')).status !== 'finished');
    }
    await stop(sandbox)
    await stop(tail)
    const ofCalls = (kind: string) => {
      const byCall = new Map<unknown, Stream['events']>()
      for (const event of tail.events.filter(each => each.kind === kind)) {
        byCall.set(event.callId, [...(byCall.get(event.callId) ?? []), event])
      }
      return byCall
    }
    return {
      faults: sandbox.events.filter(({ kind }) => kind === 'fault').map(({ fault }) => fault),
      messages: [...ofCalls('message').values()].map(said =>
        said.map(({ role, text }) => `${role}: ${text}`),
      ),
      messageIds: tail.events.filter(({ kind }) => kind === 'message').map(({ messageId }) => messageId),
      statuses: [...ofCalls('status').values()].map(changes => changes.map(({ status }) => status)),
      kinds: new Set(tail.events.map(({ kind }) => kind)),
      summary: tail.events.at(-1),
    }
  }

  let withoutFaults: ReturnType<typeof tailCalls> | undefined
  /** The same calls without faults, placed once. */
  const plainCalls = () => {
    withoutFaults ??= tailCalls()
    return withoutFaults
  }

  const order = ['queued', 'ongoing', 'finished']
  const isForward = (statuses: readonly unknown[]) =>
    order.filter(status => statuses.includes(status)).join() === statuses.join()

  test('prints each message once and complete transcripts if webhooks are repeated, shuffled and late', {}, async () => {
    const plain = await plainCalls()
    const { faults, ...shaken } = await tailCalls('--fault', 'duplicate=0.5,reorder=0.5,delay=0.5')
    expect(new Set(faults)).toEqual(new Set(['duplicate', 'reorder', 'delay']))
    expect(plain.messages).toHaveLength(callsPlaced)
    expect(plain.messages[0]?.length).toBeGreaterThan(caller.length)
    expect(shaken.messages).toEqual(plain.messages)
    expect(new Set(shaken.messageIds).size).toBe(shaken.messageIds.length)
    expect(shaken.statuses).toHaveLength(callsPlaced)
    for (const statuses of shaken.statuses) {
      expect(isForward(statuses), statuses.join()).toBe(true)
      expect(statuses).toContain('finished')
    }
    expect(shaken.kinds).toEqual(new Set(['ready', 'status', 'message', 'summary']))
    expect(shaken.summary).toMatchObject({
      kind: 'summary',
      calls: callsPlaced,
      finished: callsPlaced,
      badRequests: 0,
    })
  })

  test('recovers lost updates from later ones and prints no message twice', {}, async () => {
    const plain = await plainCalls()
    const { faults, ...broken } = await tailCalls('--fault', 'drop=0.3,disconnect=0.3,duplicate=0.5')
    expect(new Set(faults)).toEqual(new Set(['drop', 'disconnect', 'duplicate']))
    expect(new Set(broken.messageIds).size).toBe(broken.messageIds.length)
    for (const said of broken.messages) {
      // Every update carries all messages so far: only the end of a transcript can be missing.
      expect(plain.messages.map(whole => whole.slice(0, said.length))).toContainEqual(said)
    }
    for (const statuses of broken.statuses) expect(isForward(statuses), statuses.join()).toBe(true)
    expect(broken.summary).toMatchObject({ kind: 'summary' })
  })
})
