import { createServer } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { systemClock } from '../../../src/lib/clock.ts'
import { loadProbe } from '../../../src/service/api/index.ts'
import { listenOnLoopback } from '../../helpers/loopback.ts'

test('gives up on a response that never ends, also when garbage is collected meanwhile', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  const server = createServer((_, response) => response.writeHead(200).write('{"service":"callyard sandbox"'))
  const { origin } = await listenOnLoopback(server)
  const { signal } = new AbortController()
  const { probeService } = await loadProbe()
  const collecting = setInterval(collectGarbage, 100)
  try {
    await expect(
      probeService(origin, { env: {}, signal, clock: systemClock, timeoutMs: 500 }),
    ).rejects.toMatchObject({ kind: 'unreachable', message: 'no response within 0.5 s' })
  } finally {
    clearInterval(collecting)
  }
})
