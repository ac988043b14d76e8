import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { quote } from 'shell-quote'
import { expect, onTestFinished, test } from 'vitest'
import { loadTunnel, type TunnelEvent } from '../../../src/events/tunnel/index.ts'
import { createProgramEnvironment } from '../../../src/lib/process/program-environment.ts'
import { gone, isAlive } from '../../helpers/alive.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { manualClock } from '../../helpers/manual-clock.ts'
import { newsLog } from '../../helpers/news.ts'
import { tunnelCommand } from '../../helpers/tunnel-command.ts'
import { whileTimePasses } from '../../lib/process/while-time-passes.ts'

const { openTunnel } = await loadTunnel()

type TunnelOptions = Parameters<typeof openTunnel>[0]

async function open(options: Partial<TunnelOptions> = {}) {
  const news = newsLog<TunnelEvent>()
  const clock = manualClock()
  const tunnel = await openTunnel({
    command: tunnelCommand(),
    port: 4011,
    localUrl: 'http://127.0.0.1:4011',
    path: '/',
    pattern: 'https://\\S+',
    cwd: tmpdir(),
    env: createProgramEnvironment(process.env),
    clock,
    onEvent: news.tell,
    ...options,
  })
  onTestFinished(() => tunnel.close())
  return { tunnel, news, clock }
}

const printing = (text: string) => tunnelCommand('--print', text)

test('the public URL is the one that the program prints, with the path of the listener', async () => {
  const { tunnel, news } = await open({
    command: printing('at https://a.example.test/x/ now'),
    path: '/hook',
  })
  expect(await tunnel.ready).toBe('https://a.example.test/x/hook')
  expect(news.all).toEqual([{ kind: 'up', program: 'node', url: 'https://a.example.test/x/hook' }])
})

test('rejects an unknown program without a pattern before it starts', async () => {
  const folder = await temporaryFolder()
  const command = quote(['touch', join(folder, 'started')])
  await expect(open({ command, pattern: undefined })).rejects.toMatchObject({
    kind: 'usage',
    code: 'tunnel-unknown',
    details: { program: 'touch', known: expect.arrayContaining(['cloudflared']) },
  })
  expect(await readdir(folder)).toEqual([])
})

test('{url} is the listener, and a known program is recognized by its output', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'callyard-tunnel-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'lt')
  await writeFile(
    file,
    '#!/bin/sh\necho "see https://docs.example.test"\necho "your url is: https://$1/$2"\nexec sleep 1000\n',
  )
  await chmod(file, 0o755)
  const byItsName = { pattern: undefined }
  const { tunnel } = await open({ command: `${file} a-{port}.example.test {url}`, ...byItsName })
  expect(await tunnel.ready).toBe('https://a-4011.example.test/http://127.0.0.1:4011')
  const env = createProgramEnvironment({ PATH: `${folder}:/usr/bin:/bin` })
  const { tunnel: preset } = await open({ command: 'localtunnel', env, ...byItsName })
  expect(await preset.ready).toBe('https://--port/4011')
  const { tunnel: first } = await open({ command: undefined, env, ...byItsName })
  expect(first.program).toBe('localtunnel')
})

test('a tunnel that dies is reported and started again, later each time', async () => {
  const { tunnel, news, clock } = await open({ command: tunnelCommand('--exit', '3') })
  for (const [index, again] of [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000].entries()) {
    expect(await news.told('died', index + 1)).toMatchObject({
      ending: { kind: 'exit', code: 3 },
      lines: [expect.stringMatching(/^pid \d+$/), 'the account has no such tunnel'],
      again,
    })
    await clock.advance(again - 1)
    expect(news.all).toHaveLength(index + 1)
    await clock.advance(1)
  }
  await expect(tunnel.ready).rejects.toMatchObject({
    kind: 'unreachable',
    code: 'tunnel-ends',
    details: { program: 'node', reason: 'exit code 3' },
  })
})

test('restarts the delays after a minute, and reports another URL as a change', async () => {
  const { tunnel, news, clock } = await open({ command: printing('https://p{pid}.example.test') })
  const first = await tunnel.ready
  killAt(first)
  expect(await news.told('died')).toMatchObject({
    ending: { kind: 'exit', code: 137 },
    again: 1000,
  })
  await clock.advance(1000)
  const second = await news.told('changed')
  expect(second).toMatchObject({ before: first })
  killAt(second.url)
  expect(await news.told('died', 2)).toMatchObject({ again: 2000 })
  await clock.advance(2000)
  const third = await news.told('changed', 2)
  await clock.advance(60_000)
  killAt(third.url)
  expect(await news.told('died', 3)).toMatchObject({ again: 1000 })
})

test('the same URL after a restart is up again, and no change', async () => {
  const { news, clock } = await open({ command: `${printing('https://a.example.test')} --life 1` })
  await news.told('died')
  await clock.advance(1000)
  expect(await news.told('up', 2)).toMatchObject({ url: 'https://a.example.test/' })
})

test('closing ends the program', async () => {
  const { tunnel, news } = await open({ command: printing('https://p{pid}.example.test') })
  const pid = pidOf(await tunnel.ready)
  await tunnel.close()
  expect(isAlive(pid)).toBe(false)
  expect(news.all.map(({ kind }) => kind)).toEqual(['up'])
})

test('closing in a pause starts nothing more', async () => {
  const { tunnel, news, clock } = await open({ command: tunnelCommand('--exit', '3') })
  await news.told('died')
  await tunnel.close()
  await clock.advance(60_000)
  expect(news.all.map(({ kind }) => kind)).toEqual(['died'])
  await expect(tunnel.ready).rejects.toMatchObject({ kind: 'cancelled' })
})

test('kills processes that ignore SIGTERM after five seconds, including descendants', async () => {
  const flags = ['--descendant', '--ignore-term', '--print', 'https://p{pid}.d{descendant}.example.test']
  const { tunnel, clock } = await open({ command: tunnelCommand(...flags) })
  const url = await tunnel.ready
  const pids = [pidOf(url), pidOf(url, 'd')]
  const closed = tunnel.close()
  await clock.advance(4999)
  expect(pids.map(isAlive)).toEqual([true, true])
  await clock.advance(1)
  await closed
  await Promise.all(pids.map(gone))
})

test('a descendant that outlives its program is ended before the next start', async () => {
  const flags = ['--descendant', '--print', 'https://p{pid}.d{descendant}.example.test']
  const { tunnel, news, clock } = await open({ command: tunnelCommand(...flags) })
  const url = await tunnel.ready
  killAt(url)
  await whileTimePasses(clock, news.told('died'))
  await gone(pidOf(url, 'd'))
})

test('reports that no URL arrived within half a minute, and still accepts a later one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'callyard-tunnel-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'now')
  const command = tunnelCommand('--when', file, '--print', 'https://a.example.test')
  const { tunnel, news, clock } = await open({ command })
  await clock.advance(29_999)
  expect(news.all).toEqual([])
  await clock.advance(1)
  expect(await news.told('no-url')).toMatchObject({ program: 'node', after: 30_000 })
  await expect(tunnel.ready).rejects.toMatchObject({ kind: 'unreachable' })
  await writeFile(file, '')
  expect(await news.told('up')).toMatchObject({ url: 'https://a.example.test/' })
})

test('does not retry a missing program', async () => {
  await expect(open({ command: 'no-such-tunnel-program --port {port}' })).rejects.toMatchObject({
    kind: 'usage',
    code: 'tunnel-not-found',
    details: { program: 'no-such-tunnel-program', known: expect.arrayContaining(['cloudflared']) },
  })
  await expect(
    open({ command: undefined, env: createProgramEnvironment({ PATH: '/nowhere' }) }),
  ).rejects.toMatchObject({
    kind: 'usage',
    code: 'no-tunnel-program',
    details: { known: expect.arrayContaining(['cloudflared', 'ngrok']) },
  })
})

function pidOf(url: string, letter = 'p'): number {
  return Number(new RegExp(`\\b${letter}(\\d+)\\.`).exec(url)?.[1])
}

function killAt(url: string): void {
  process.kill(pidOf(url), 'SIGKILL')
}
