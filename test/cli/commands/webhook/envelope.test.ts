import { createHmac } from 'node:crypto'
import { request } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../helpers/folders.ts'
import { startListening } from '../../../helpers/start-command.ts'
import { startTarget } from '../../../helpers/target-server.ts'
import { testCli } from '../../../helpers/test-cli.ts'

const key = 'of-the-handler'
const sign = (body: Buffer | string) => createHmac('sha256', key).update(body).digest('hex')

/** Verifies each event by its signature, as a handler does. */
const startVerifier = () =>
  startTarget((response, { headers, body }) => {
    response.writeHead(headers['x-signature'] === sign(body) ? 200 : 401).end()
  })

// Bytes that no parser writes again in the same way.
const body = '{ "message": {"type":"status-update" ,"call":{"id":"CC-1","status":"ongoing","n":1.0e2}} }\n'
const sent = {
  ...{ 'content-type': 'application/json; charset=utf-8', 'x-signature': sign(body), 'x-request-id': 'r-1' },
  ...{
    authorization: 'Bearer of-the-service',
    'x-listener': 'secret',
    connection: 'close, x-hop',
    'x-hop': '1',
  },
}

function post(url: string, headers: Readonly<Record<string, string>> = sent): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: 'POST', headers }, response => {
      response.resume().on('end', () => resolve(response.statusCode))
    })
    outgoing.on('error', reject).end(body)
  })
}

const tailFlags = ['webhook', 'tail', '--port', '0', '--require-header', 'x-listener: secret', '--json']

test('a forwarded event has its signature, headers and query, also after a restart and from a recording', async () => {
  const target = await startVerifier()
  const env = { CALLYARD_CONFIG_DIR: await temporaryFolder() }
  const cli = await testCli({}, { env })
  await target.stop()
  const argv = [...tailFlags, '--forward', `${target.url}?of=target`]
  const first = await startListening(cli, [
    ...argv,
    '--drain',
    '0s',
    '--record',
    'calls.ndjson',
    '--keep-secrets',
  ])
  expect(await post(`${first.url}?source=desk&token=t`)).toBe(200)
  await first.end()
  await target.start()
  const second = await startListening(cli, [...argv, '--resume'])
  await target.arrived(1)
  expect((await second.end()).exitCode).toBe(0)

  const replay = ['webhook', 'replay', 'calls.ndjson', '--speed', 'max', '--to', target.url]
  expect(await cli.run(...replay, '--header', 'x-request-id: r-2')).toMatchObject({ exitCode: 0 })
  const [forwarded, replayed] = target.arrivals
  for (const arrival of [forwarded, replayed]) {
    expect(arrival?.body.toString()).toBe(body)
    expect(arrival?.headers).toMatchObject({
      ...{ 'content-type': sent['content-type'], authorization: sent.authorization },
      'x-signature': sign(body),
    })
    for (const name of ['x-listener', 'x-hop']) expect(arrival?.headers).not.toHaveProperty(name)
  }
  expect(forwarded?.headers).toMatchObject({ 'x-request-id': 'r-1', host: new URL(target.url).host })
  expect(replayed?.headers['x-request-id']).toBe('r-2')
  expect(forwarded?.path).toBe('/hook?of=target&source=desk&token=t')
  expect(replayed?.path).toBe('/hook?source=desk&token=t')
})

test('a recording masks secrets, which a replay does not send', async () => {
  const target = await startTarget()
  const cli = await testCli()
  const tail = await startListening(cli, [...tailFlags, '--record', 'calls.ndjson'])
  expect(await post(`${tail.url}?source=desk&token=t`)).toBe(200)
  await tail.end()
  const recorded = await cli.read('calls.ndjson')
  expect(recorded).toContain('"query":"source=desk&token=****"')
  for (const secret of ['of-the-service', sign(body), 'token=t']) expect(recorded).not.toContain(secret)
  const replay = ['webhook', 'replay', join(cli.folder, 'calls.ndjson'), '--speed', 'max', '--to', target.url]
  expect((await cli.run(...replay)).stderr).toContain('--keep-secrets')
  expect(target.arrivals[0]).toMatchObject({ path: '/hook?source=desk', headers: { 'x-request-id': 'r-1' } })
  expect(target.arrivals[0]?.headers).not.toHaveProperty('authorization')
  expect(await cli.run(...replay, '--no-headers')).toMatchObject({ exitCode: 0 })
  expect(target.arrivals[1]?.path).toBe('/hook')
  expect(target.arrivals[1]?.headers).not.toHaveProperty('x-request-id')
})

test('--no-headers forwards only the body and its content type', async () => {
  const target = await startTarget()
  const cli = await testCli()
  const tail = await startListening(cli, [...tailFlags, '--forward', target.url, '--no-headers'])
  expect(await post(`${tail.url}?source=desk`)).toBe(200)
  await target.arrived(1)
  await tail.end()
  expect(target.arrivals[0]).toMatchObject({
    path: '/hook',
    headers: { 'content-type': sent['content-type'] },
  })
  expect(target.arrivals[0]?.headers).not.toHaveProperty('x-signature')
})
