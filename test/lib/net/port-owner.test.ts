import { createServer } from 'node:http'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canListen, findPortOwner, listeningInodes } from '../../../src/lib/net/port-owner.ts'
import { listenOnLoopback } from '../../helpers/loopback.ts'

test('finds the process that listens on a port', async () => {
  const { port } = new URL((await listenOnLoopback(createServer())).origin)
  expect(await canListen(Number(port), '127.0.0.1')).toBe('EADDRINUSE')
  if (process.platform === 'linux')
    expect(await findPortOwner(Number(port))).toMatchObject({ pid: process.pid })
})

test('leaves a free port free', async () => {
  expect(await canListen(0, '127.0.0.1')).toBe(true)
})

test('reads only listening sockets of the port from the table', () => {
  const line = (port: number, state: string, inode: number) =>
    `   0: 0100007F:${port.toString(16).toUpperCase().padStart(4, '0')} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000     0        0 ${inode} 1 0000 100 0 0 10 0`
  const entry = fc.record({
    port: fc.constantFrom(80, 4011, 64_459),
    state: fc.constantFrom('0A', '01', '06'),
    inode: fc.nat(),
  })
  fc.assert(
    fc.property(fc.array(entry), entries => {
      const table = [
        '  sl  local_address rem_address',
        ...entries.map(each => line(each.port, each.state, each.inode)),
      ]
      expect(listeningInodes(table.join('\n'), 4011)).toEqual(
        entries
          .filter(({ port, state }) => port === 4011 && state === '0A')
          .map(({ inode }) => String(inode)),
      )
    }),
  )
})
