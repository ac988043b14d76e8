import { expect, test } from 'vitest'
import { findUrl } from '../../../src/events/tunnel/tunnel-life.ts'
import { chooseProgram, type ProgramOptions } from '../../../src/events/tunnel/tunnel-program.ts'
import { createProgramEnvironment } from '../../../src/lib/process/program-environment.ts'

/** The URLs in lines of a tunnel program. */
async function urlsOf(lines: readonly string[], wanted: Pick<ProgramOptions, 'command' | 'pattern'>) {
  const { pattern } = await chooseProgram({
    port: 4011,
    localUrl: 'http://127.0.0.1:4011',
    cwd: '/',
    env: createProgramEnvironment({}),
    ...wanted,
  })
  return lines.flatMap(line => findUrl(line, pattern) ?? [])
}

test.each([
  [
    'cloudflared',
    [
      '2026-01-05T12:00:00Z INF Thank you for trying Cloudflare Tunnel. (https://www.cloudflare.com/website-terms/)',
      'failed to request quick Tunnel: Post "https://api.trycloudflare.com/tunnel": timeout',
      '2026-01-05T12:00:01Z INF |  https://seasonal-deck-organisms-sf.trycloudflare.com            |',
    ],
    'https://seasonal-deck-organisms-sf.trycloudflare.com',
  ],
  [
    'ngrok',
    [
      't=2026-01-05T12:00:00+0000 lvl=info msg="starting web service" obj=web addr=127.0.0.1:4040',
      't=2026-01-05T12:00:00+0000 lvl=info msg="started tunnel" obj=tunnels name=command_line addr=http://localhost:4011 url=https://8e00-192-0-2-7.ngrok-free.app',
    ],
    'https://8e00-192-0-2-7.ngrok-free.app',
  ],
  ['lt', ['your url is: https://grumpy-cobras-sniff.loca.lt'], 'https://grumpy-cobras-sniff.loca.lt'],
  [
    'devtunnel',
    [
      'Hosting port: 4011',
      'Connect via browser: https://bskw8blx.inc1.devtunnels.ms:4011, https://bskw8blx-4011.inc1.devtunnels.ms',
      'Inspect network activity: https://bskw8blx-4011-inspect.inc1.devtunnels.ms',
    ],
    'https://bskw8blx-4011.inc1.devtunnels.ms',
  ],
  [
    'tailscale',
    ['Available on the internet:', '', 'https://amelie.pango-lin.ts.net/', '|-- proxy http://127.0.0.1:4011'],
    'https://amelie.pango-lin.ts.net',
  ],
])('finds the URL in the output of %s', async (name, lines, url) => {
  expect(await urlsOf(lines, { command: name })).toEqual([url])
})

test.each([
  ['tunnel a.example.test is up', 'tunnel (\\S+)', 'https://a.example.test'],
  ['docs https://docs.example.test yours: https://a.example.test', 'yours: \\S+', 'https://a.example.test'],
  ['http://a.example.test:8080/x/?token=1#top', '\\S+', 'http://a.example.test:8080/x'],
  ['at "https://a.example.test/path",', '\\S+$', 'https://a.example.test/path'],
  ['\x1b[1mhttps://\x1b[32ma.example.test\x1b[0m', 'https://\\S+', 'https://a.example.test'],
  ['up: https://a.example.test', '(no)|https://\\S+', 'https://a.example.test'],
  ['https://user:secret@a.example.test', '\\S+', undefined],
  ['https://', '\\S+', undefined],
  ['https://a.example.test', 'http://\\S+', undefined],
  ['https://a.example.test', 'x*', undefined],
])('in %j, %s finds %s', async (line, pattern, url) => {
  expect(await urlsOf([line], { command: 'tunnel', pattern })).toEqual(url === undefined ? [] : [url])
})

test('a pattern takes linear time, and one with look-around is rejected', async () => {
  expect(await urlsOf([`${'a'.repeat(16_000)}!`], { command: 'tunnel', pattern: '^(a+)+$' })).toEqual([])
  await expect(urlsOf([], { command: 'tunnel', pattern: '(?=a)' })).rejects.toMatchObject({
    kind: 'usage',
    code: 'tunnel-pattern',
  })
})
