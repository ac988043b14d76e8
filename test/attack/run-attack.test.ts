import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runAttack } from './run-attack.ts'

test('an attack that is interrupted ends what it has started, the last first', async () => {
  const ending = new AbortController()
  const ended: string[] = []
  let folder = ''
  const run = runAttack(
    {
      about: 'never ends',
      async run(tools) {
        folder = await tools.folder()
        for (const name of ['broker', 'relay']) tools.onEnd(async () => void ended.push(name))
        ending.abort()
        return new Promise(() => undefined)
      },
    },
    'callyard',
    ending.signal,
  )
  expect(await run).toEqual([])
  expect(ended).toEqual(['relay', 'broker'])
  expect(existsSync(folder)).toBe(false)
})
