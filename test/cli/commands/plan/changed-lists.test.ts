import { expect, test } from 'vitest'
import { appliedProject, assistant } from '../project/test-project.ts'

const desk = 'assistants/desk.yaml'
const settings = { 'callyard.yaml': 'assistants: replace\n' }

async function shown(before: string, after: string): Promise<string> {
  const project = await appliedProject({ ...settings, [desk]: assistant('Desk', [], before) })
  await project.write(desk, assistant('Desk', [], after))
  return (await project.run('plan')).stdout
}

test('of a changed list shows what was added and removed', async () => {
  expect(await shown('hints: [bike, wheel, chain]\n', 'hints: [bike, chain, brake]\n')).toContain(
    ['    ~ hints:', '      - "wheel"', '      + "brake"', ''].join('\n'),
  )
})

test('a list that was empty, or is', async () => {
  expect(await shown('hints: []\n', 'hints: [bike]\n')).toContain('    ~ hints:\n      + "bike"\n')
  expect(await shown('hints: [bike]\n', 'hints: []\n')).toContain('    ~ hints:\n      - "bike"\n')
})

test('items in another order are taken out and put in', async () => {
  expect(await shown('hints: [a, b]\n', 'hints: [b, a]\n')).toMatch(
    / {6}[-+] "(a|b)"\n {6}[-+] "\1"|- "a"[\s\S]*\+ "a"/,
  )
})

test('ten thousand items: only what differs', async () => {
  const items = Array.from({ length: 10_000 }, (_, at) => `item-${at}`)
  const stdout = await shown(
    `hints: ${JSON.stringify(items)}\n`,
    `hints: ${JSON.stringify(items.with(5000, 'another').concat('last'))}\n`,
  )
  expect(stdout).toContain('      - "item-5000"\n      + "another"\n      + "last"\n')
  expect(stdout.split('\n').length).toBeLessThan(20)
})
