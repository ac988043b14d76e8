import { expect, test } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod/mini'
import { buildTree } from '../cli/commands/help/tree.ts'
import { textOf } from './markdown.ts'

const hooksSchema = z.array(
  z.looseObject({ id: z.string(), entry: z.string(), language: z.literal('system'), files: z.string() }),
)
const usesSchema = z.object({
  repos: z.array(z.looseObject({ hooks: z.array(z.object({ id: z.string() })) })),
})

test('each pre-commit hook is a command that runs on the files of a project', async () => {
  const hooks = hooksSchema.parse(parse(await textOf('.pre-commit-hooks.yaml')))
  expect(hooks.map(({ id }) => id)).toEqual(['callyard-validate'])
  for (const { entry, files } of hooks) {
    const [program, ...argv] = entry.split(' ')
    expect(program).toBe('callyard')
    let ran = 0
    const tree = await buildTree(async () => void ran++)
    await tree.parseAsync([...argv, 'desk/tools/book.yaml'], { from: 'user' })
    expect(ran).toBe(1)
    const pattern = new RegExp(files)
    for (const name of ['a.yaml', 'a.yml', 'a.json', 'a.csv']) expect(name).toMatch(pattern)
    expect('a.md').not.toMatch(pattern)
  }
  const [, example = ''] = /```yaml\n(repos:[\s\S]*?)```/.exec(await textOf('docs/ci.md')) ?? []
  expect(usesSchema.parse(parse(example)).repos[0]?.hooks[0]?.id).toBe(hooks[0]?.id)
})
