import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { jetstreamManager, RetentionPolicy, StorageType, type StreamConfig } from '@nats-io/jetstream'
import { connect, nkeys } from '@nats-io/transport-node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { loadStreamPreview } from '../../src/relay/index.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { addStream, readStream, startNatsServer } from '../helpers/nats-server.ts'
import { refusingPort } from '../helpers/ports.ts'
import { certificate, natsCredentials, privateKey } from './nats-credentials.ts'
import { callEvent, startTestRelay } from './start-test-relay.ts'

const { previewStream } = await loadStreamPreview()

const jetStream = 'jetstream { store_dir: "STORE" }'

type Options = NonNullable<Parameters<typeof startTestRelay>[1]>
type Broker = Options['broker']

/** Starts a relay, and returns what it found in the broker. */
async function connectRelay(url: string, { mode = 'use', ...broker }: Broker & Pick<Options, 'mode'> = {}) {
  const relay = await startTestRelay([url], { mode, broker })
  const { action, changes, replicas } = await relay.event('stream')
  return { action, changes, replicas }
}

/** Streams of other shapes, with the fields that the error names. */
const shapes: readonly [string, Partial<StreamConfig>, readonly string[]][] = [
  ['in memory', { storage: StorageType.Memory }, ['storage']],
  ['a work queue', { retention: RetentionPolicy.Workqueue }, ['retention']],
  ['with other subjects', { subjects: ['calls.>', 'x'] }, ['subjects']],
  ['with few messages per subject', { max_msgs_per_subject: 5 }, ['max_msgs_per_subject']],
]

describe('a broker', { tags: 'nats-server' }, () => {
  test.each(shapes)('with a stream %s is a conflict that names the fields', async (_, config, fields) => {
    const { url } = await startNatsServer()
    await addStream(url, config)
    await expect(connectRelay(url, { mode: 'update' })).rejects.toMatchObject({
      ...{ code: 'stream-shape', kind: 'conflict' },
      details: { changes: fields.map(field => ({ field })) },
    })
  })

  test('with a stream of other limits is used, previewed and updated', async () => {
    const { url } = await startNatsServer()
    await addStream(url, { max_age: 60_000 * 1e6, duplicate_window: 60_000 * 1e6 })
    const preview = { stream: 'calls', keepMs: 3_600_000, maxBytes: 64 * 1024 ** 2, timeoutMs: 10_000 }
    await expect(connectRelay(url)).rejects.toMatchObject({ code: 'stream-differs', kind: 'conflict' })
    const changes = [
      { field: 'max_age', from: '60s', to: '3600s' },
      { field: 'max_bytes', from: '-1', to: String(preview.maxBytes) },
      { field: 'duplicate_window', from: '60s', to: '900s' },
    ]
    expect(await previewStream({ ...preview, servers: [url] })).toMatchObject({
      action: 'update',
      changes,
      replicas: 1,
    })
    expect(await connectRelay(url, { mode: 'update' })).toEqual({ action: 'update', changes, replicas: 1 })
    expect(await connectRelay(url)).toEqual({ action: 'none', changes: [], replicas: 1 })
  })

  test('without JetStream, without space, or with the subjects in another stream is refused', async () => {
    const plain = await startNatsServer('')
    await expect(connectRelay(plain.url)).rejects.toMatchObject({ code: 'no-jetstream', kind: 'refused' })
    const small = await startNatsServer('jetstream { store_dir: "STORE", max_file_store: 1MB }')
    await expect(connectRelay(small.url)).rejects.toMatchObject({
      code: 'jetstream-no-space',
      kind: 'refused',
    })
    const other = await startNatsServer()
    await addStream(other.url, { name: 'others', subjects: ['calls.>'] })
    await expect(connectRelay(other.url)).rejects.toMatchObject({ code: 'subjects-in-use', kind: 'conflict' })
  })

  test('accepts a password from the environment and an nkey from a file, and nobody else', async () => {
    const pair = nkeys.createUser()
    const folder = await temporaryFolder({ seed: `${Buffer.from(pair.getSeed()).toString()}\n` })
    const nkey = join(folder, 'seed')
    const { url } = await startNatsServer(
      `${jetStream}\nauthorization { users: [{ nkey: "${pair.getPublicKey()}" }, { user: "ada", password: "s3cret" }] }`,
    )
    const to = (more: Broker = {}) => connectRelay(url, more)
    for (const more of [{ nkey }, { user: { name: 'ada', password: 's3cret' } }])
      expect(await to(more)).toMatchObject({ replicas: 1 })
    for (const more of [{}, { user: { name: 'ada', password: 'wrong' } }])
      await expect(to(more)).rejects.toMatchObject({ code: 'nats-unauthorized', kind: 'unauthorized' })
    for (const creds of [nkey, join(folder, 'missing')])
      await expect(to({ creds })).rejects.toMatchObject({ code: 'nats-credentials', kind: 'invalid' })
  })

  test('accepts the credentials of a user over TLS, and no other certificate than its own', async () => {
    const { config, creds } = natsCredentials()
    const folder = await temporaryFolder({ creds, ca: certificate, key: privateKey })
    const path = (name: string) => join(folder, name)
    const { url } = await startNatsServer(
      `${jetStream}\n${config}\ntls { cert_file: "${path('ca')}", key_file: "${path('key')}" }`,
    )
    const to = (more: Broker) => connectRelay(url.replace('nats://127.0.0.1', 'tls://localhost'), more)
    expect(await to({ creds: path('creds'), ca: path('ca') })).toMatchObject({ action: 'create' })
    await expect(to({ ca: path('ca') })).rejects.toMatchObject({ code: 'nats-unauthorized' })
    await expect(to({ creds: path('creds') })).rejects.toMatchObject({
      code: 'nats-unreachable',
      details: { reason: expect.stringContaining('certificate') },
    })
  })

  test('that is too slow is away; its events arrive once when it is fast again', async () => {
    const broker = await startNatsServer()
    const relay = await startTestRelay([broker.url], { broker: { timeoutMs: 300 } })
    await relay.send(callEvent('a'))
    await relay.event('connected')
    await broker.kill('SIGSTOP')
    expect(await relay.send(callEvent('b'))).toBe(200)
    expect((await relay.event('disconnected')).reason).toMatch(/timeout/i)
    await broker.kill('SIGCONT')
    expect(await relay.finish()).toMatchObject({ unpublished: 0 })
    expect((await readStream(broker.url, 'calls')).map(({ subject }) => subject.split('.')[3])).toEqual([
      'a',
      'b',
    ])
  })

  test('that lost its stream gets it again, with the events of the spool', async () => {
    const broker = await startNatsServer()
    const relay = await startTestRelay([broker.url])
    await relay.send(callEvent('a'))
    const connection = await connect({ servers: broker.url })
    const jsm = await jetstreamManager(connection)
    while ((await jsm.streams.info('calls')).state.messages === 0);
    await jsm.streams.delete('calls')
    await connection.close()
    await relay.send(callEvent('b'))
    expect(await relay.event('republished')).toMatchObject({ events: 1, duplicates: 0 })
    await relay.finish()
    expect((await readStream(broker.url, 'calls')).map(({ subject }) => subject.split('.')[3])).toEqual([
      'a',
      'b',
    ])
  })

  test('whose store is full while events are published loses nothing, and has all once there is space', async () => {
    const broker = await startNatsServer('jetstream { store_dir: "STORE", max_file_store: 400KB }')
    await addStream(broker.url, { duplicate_window: 900_000 * 1e6 })
    await addStream(broker.url, { name: 'others', subjects: ['others'] })
    const connection = await connect({ servers: broker.url })
    onTestFinished(() => connection.close())
    const jsm = await jetstreamManager(connection)
    for (let part = 0; part < 3; part++) await jsm.jetstream().publish('others', new Uint8Array(100_000))
    const relay = await startTestRelay([broker.url], { maxBytes: 400_000 })
    await relay.event('connected')
    const sent: number[] = []
    const bodyOf = (number: number) => ({ ...callEvent(`c${number % 3}`, number), pad: 'x'.repeat(5000) })
    // JetStream rejects events first, and the full spool then.
    for (let status = 200; status !== 503; ) {
      status = await relay.send(bodyOf(sent.length))
      if (status === 200) sent.push(sent.length)
    }
    expect(await relay.event('disconnected')).toMatchObject({ reason: expect.stringContaining('resources') })
    expect(await relay.event('spool-full')).toMatchObject({ unpublished: expect.any(Number) })
    expect((await relay.get('/readyz')).status).toBe(503)
    await jsm.streams.delete('others')
    expect(await relay.finish()).toMatchObject({ received: sent.length, unpublished: 0 })
    const stored = (await readStream(broker.url, 'calls')).map(({ body }) => JSON.parse(body).message)
    for (const call of [0, 1, 2])
      expect(stored.filter(({ call: { id } }) => id === `c${call}`).map(({ number }) => number)).toEqual(
        sent.filter(number => number % 3 === call),
      )
  })

  test('with a smaller message size than a body leaves the event in the spool and continues', async () => {
    const folder = await temporaryFolder()
    const broker = await startNatsServer(`${jetStream}\nmax_payload: 200000`)
    const first = await startTestRelay([broker.url], { folder })
    expect(await first.send(callEvent('x'.repeat(150_000)))).toBe(413)
    await first.finish()
    await broker.kill()
    const second = await startTestRelay([broker.url], { folder })
    expect(await second.send({ ...callEvent('big'), pad: 'x'.repeat(90_000) })).toBe(200)
    await second.finish(0)
    const small = await startNatsServer(`${jetStream}\nmax_payload: 65536`)
    const third = await startTestRelay([small.url], { folder })
    await third.event('too-large')
    expect(await third.send(callEvent('after'))).toBe(200)
    while ((await readStream(small.url, 'calls')).length === 0);
    expect(await third.finish(0)).toMatchObject({ unpublished: 1 })
  })
})

test('a server older than 2.9 or one that is not NATS is an error', async () => {
  const info = { server_id: 'x', version: '2.8.4', proto: 1, go: 'go1', host: 'x', port: 1, max_payload: 1 }
  const server = createServer(socket => {
    socket.write(`INFO ${JSON.stringify({ ...info, headers: true, jetstream: true })}\r\n`)
    socket.on('data', data => void (String(data).includes('PING') && socket.write('PONG\r\n')))
    socket.on('error', () => undefined)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  await expect(connectRelay(`nats://127.0.0.1:${port}`)).rejects.toMatchObject({
    code: 'nats-too-old',
    kind: 'refused',
    details: { version: '2.8.4' },
  })
  await expect(connectRelay(`nats://127.0.0.1:${await refusingPort()}`)).rejects.toMatchObject({
    code: 'nats-unreachable',
    kind: 'unreachable',
  })
})
