import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startConnectProxy, startTlsServer } from '../helpers/connect-proxy.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { runBin } from '../helpers/run-bin.ts'
import { certificate } from '../service/api/certificate.ts'

/** Asks a service behind a proxy that leads every tunnel to a server with the certificate of the tests, which is trusted. */
async function ask(host: string) {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'ca.pem'), certificate)
  const target = await startTlsServer((_, response) => response.end('{"fine":true}'))
  const proxy = await startConnectProxy(target)
  const result = await runBin(['api', 'GET', '/calls', '--json'], {
    cwd: folder,
    env: {
      CALLYARD_CONFIG_DIR: folder,
      CALLYARD_BASE_URL: `https://${host}`,
      CALLYARD_API_KEY: 'key-of-the-test',
      HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
      NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
    },
  })
  return { ...result, tunnels: proxy.seen.filter(line => line.startsWith('CONNECT')) }
}

// The certificate names service.example.com, 0.0.0.0 and 127.0.0.1.
test.each(['service.example.com', '0.0.0.0'])(
  'checks the certificate behind a proxy against %s, not against the proxy',
  async host => {
    const { exitCode, stdout, tunnels } = await ask(host)
    expect({ exitCode, tunnels }).toEqual({ exitCode: 0, tunnels: [`CONNECT ${host}:443`] })
    expect(stdout).toContain('fine')
  },
)

test.each(['other.example.com', '192.0.2.1'])('rejects a certificate without the name %s', async host => {
  const { exitCode, stdout, tunnels } = await ask(host)
  expect(tunnels[0]).toBe(`CONNECT ${host}:443`)
  expect(exitCode).toBe(6)
  expect(stdout).not.toContain('fine')
  expect(JSON.parse(stdout)).toMatchObject({
    error: { kind: 'unreachable', message: expect.stringContaining('certificate') },
  })
})
