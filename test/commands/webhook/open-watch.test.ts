import { expect, test } from 'vitest'
import { openWatch } from '../../../src/commands/webhook/open-watch.ts'
import { smallContext } from './small-context.ts'

function open(host: string, { ui = true, context = smallContext() } = {}) {
  return openWatch({ ui, host, path: '/hook' }, [], context)
}

test('without --ui there is none', async () => {
  expect(await open('192.0.2.1', { ui: false })).toBe(undefined)
})

test.each(['192.0.2.1', 'example.test', '2001:db8::1', '127.0.0.1.example.test'])(
  '--host %s is refused: no browser of this machine reaches it by a name of this machine',
  async host => {
    await expect(open(host)).rejects.toMatchObject({ kind: 'usage' })
  },
)

test.each(['127.0.0.1', '127.0.0.2', 'localhost', '::1', '0.0.0.0', '::'])(
  'with --host %s the address of the page is told',
  async host => {
    const context = smallContext()
    const watch = await open(host, { context })
    watch?.listening('http://127.0.0.1:4011/hook')
    expect(context.written.stderr).toMatch(/http:\/\/127\.0\.0\.1:4011\/ui-[\w-]{32}\/$/m)
    expect(context.written.stdout).toBe('')
    await watch?.close()
  },
)
