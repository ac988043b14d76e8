import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Section } from '../../../src/project/lockfile/index.ts'
import { writeFiles } from '../../helpers/folders.ts'
import { actionAt, appliedSection, outline, planOf, withRecorded } from '../apply/applied.ts'
import { folderOf, projectIn } from '../apply/project-on-disk.ts'
import { allOf, replan, tool } from '../apply/starter.ts'

describe('a tool', () => {
  const rest = 'function: {name: book}\nserver: {url: "https://a.example.com"}\n'

  test('whose fields changed is updated', async () => {
    const plan = await replan(tool(rest.replace('book', 'move').concat('async: true\nmessages: []\n')))
    expect(actionAt(plan, 'tool/book')).toMatchObject({
      action: 'update',
      id: 'id of tool/book',
      file: join('tools', 'book.yaml'),
      changes: [
        { path: ['function', 'name'], kind: 'changed', before: 'book', after: 'move' },
        { path: ['messages'], kind: 'added', after: [] },
      ],
    })
    expect(outline(plan)).toEqual({ ...allOf('unchanged'), 'tool/book': 'update' })
  })

  test('is updated if it lost a field with a default', async () => {
    const action = actionAt(await replan(tool(rest)), 'tool/book')
    expect(action).toMatchObject({
      action: 'update',
      changes: [{ path: ['async'], kind: 'removed', before: true }],
    })
  })

  test.each([
    ['server', ''],
    ['server and messages', 'messages: []\n'],
    ['messages', 'messages: []\n'],
  ])('is blocked if it lost %s', async (fields, more) => {
    const before = `async: true\nfunction: {name: book}\nserver: {url: "https://a.example.com"}\n${more}`
    const lost = fields.split(' and ')
    const after = before
      .split('\n')
      .filter(line => !lost.some(field => line.startsWith(field)))
      .join('\n')
    const folder = await folderOf(tool(before))
    const section = appliedSection(await projectIn(folder))
    await writeFiles(folder, tool(after))
    expect(actionAt(planOf(await projectIn(folder), section), 'tool/book')).toMatchObject({
      action: 'blocked',
      why: { code: 'fixed-fields', fields: lost },
    })
  })

  test('is created without an id', async () => {
    const edit = (section: Section) => withRecorded(section, 'tool/book', ({ body }) => ({ body }))
    expect(actionAt(await replan({}, {}, { edit }), 'tool/book')).toMatchObject({
      action: 'create',
      changes: [],
    })
  })

  test('is updated if it lost part of a field', async () => {
    const action = actionAt(
      await replan(tool(rest.replace('{name: book}', '{}').concat('async: true\n'))),
      'tool/book',
    )
    expect(action).toMatchObject({
      action: 'update',
      changes: [{ path: ['function', 'name'], kind: 'removed' }],
    })
  })

  test('that was adopted is updated completely except for its type', async () => {
    const edit = (section: Section) => withRecorded(section, 'tool/book', () => ({ id: 'x', body: {} }))
    const plan = await replan({}, { assistants: 'replace' }, { edit })
    const { changes, ...action } = actionAt(plan, 'tool/book')
    expect(action).toMatchObject({ action: 'update', id: 'x' })
    expect(changes.map(({ kind, path }) => [kind, ...path])).toEqual([
      ['added', 'async'],
      ['added', 'function'],
      ['added', 'server'],
    ])
    // Another id replaces its name.
    expect(actionAt(plan, 'assistant/desk')).toMatchObject({
      action: 'replace',
      changes: [{ path: ['assistantToolIds'], notes: ['${tool:book} is now x'] }],
    })
  })

  test('that was created again causes updates of what refers to it', async () => {
    const edit = (section: Section) => withRecorded(section, 'tool/book', () => undefined)
    const plan = await replan({}, { assistants: 'replace' }, { edit })
    expect(outline(plan)).toEqual({
      'tool/book': 'create',
      'kb/faq': 'unchanged',
      'assistant/desk': 'replace',
      'assistant/sales': 'replace',
    })
    expect(actionAt(plan, 'assistant/desk').changes).toMatchObject([
      { notes: ['${tool:book} gets a new id'] },
    ])
    expect(actionAt(plan, 'assistant/sales').changes).toMatchObject([
      { notes: ['${assistant:desk} gets a new id'] },
    ])
  })
})

describe('an update without a response', () => {
  const both = { id: 'id of tool/book' }
  const applied = {
    type: 'function',
    async: true,
    function: { name: 'book' },
    server: { url: 'https://a.example.com' },
  }

  function interrupted(body: Record<string, unknown>) {
    return {
      edit: (section: Section) =>
        withRecorded(section, 'tool/book', recorded => ({ ...recorded, ...both, updating: { body } })),
    }
  }

  test('is sent again, although the file was changed back', async () => {
    const plan = await replan({}, {}, interrupted({ ...applied, async: false }))
    expect(actionAt(plan, 'tool/book')).toMatchObject({
      action: 'update',
      changes: [
        {
          path: ['async'],
          kind: 'changed',
          after: true,
          notes: ['what the service has is unknown, so it is sent again'],
        },
      ],
    })
  })

  test('is sent once where the file differs as well', async () => {
    const plan = await replan(
      tool('async: true\nfunction: {name: third}\nserver: {url: "https://a.example.com"}\n'),
      {},
      interrupted({ ...applied, function: { name: 'second' } }),
    )
    expect(actionAt(plan, 'tool/book').changes).toMatchObject([
      { path: ['function', 'name'], before: 'book', after: 'third', notes: [] },
    ])
  })

  test('that added a field which the file lost again removes it, or is blocked', async () => {
    const { async: _, ...without } = applied
    const edit = (section: Section) =>
      withRecorded(section, 'tool/book', recorded => ({
        ...recorded,
        body: without,
        updating: { body: applied },
      }))
    const file = tool('function: {name: book}\nserver: {url: "https://a.example.com"}\n')
    expect(actionAt(await replan(file, {}, { edit }), 'tool/book')).toMatchObject({
      action: 'update',
      changes: [{ path: ['async'], kind: 'removed', before: true }],
    })
    const plan = await replan({}, {}, interrupted({ ...applied, messages: [] }))
    expect(actionAt(plan, 'tool/book')).toMatchObject({
      action: 'blocked',
      changes: [{ path: ['messages'] }],
    })
  })

  test('that would change nothing is nothing', async () => {
    expect(outline(await replan({}, {}, interrupted(applied)))).toEqual(allOf('unchanged'))
  })
})
