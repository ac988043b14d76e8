import { describe, expect, test } from 'vitest'
import { appliedProject, type TestProject, testProject, unwrapped } from '../project/test-project.ts'

const faq = (ids: boolean, answer: string) =>
  `knowledgeBaseId: kb1\nfaq:\n${['A', 'B', 'C']
    .map(each => `  - ${ids ? `id: f-${each}\n    ` : ''}question: ${each}\n    answer: ${answer}\n`)
    .join('')}`
const file = 'knowledge-bases/faq.yaml'

/** A project whose entries are at the service, and were changed since. */
async function changed(): Promise<TestProject> {
  const project = await appliedProject({ [file]: faq(false, 'a') })
  await project.write(file, faq(true, 'changed'))
  return project
}

const questionsOf = (bodies: readonly unknown[]) =>
  bodies.map(body =>
    [...JSON.stringify(body).matchAll(/"question":"(.)"/g)].map(([, question]) => question).join(''),
  )

describe('an entry that was deleted at the service', () => {
  test.each([
    [404, { message: 'entry f-B not found' }],
    [422, { detail: 'knowledge base kb1 holds no entry with the id "f-B"' }],
  ])(
    'is listed with the command that inserts it again, and the rest of its batch is sent (%i)',
    async (status, json) => {
      const project = await changed()
      project.service.next('PUT kb/kb1', { status, json })
      const result = await project.apply('--json')
      expect(result.exitCode).toBe(8)
      expect(JSON.parse(result.stdout).failed).toMatchObject([
        {
          address: 'kb/faq',
          code: 'entries-refused',
          reason: expect.stringContaining(`${file}:6: "B" (f-B)`),
          hint: expect.stringContaining('callyard apply --forget kb/faq:f-B'),
        },
      ])
      expect(questionsOf(project.service.bodiesOf('PUT kb/kb1'))).toEqual(['ABC', 'AC'])
      expect((await project.recorded('kb/faq'))?.entries?.['f-B']).toBe('')

      const again = await project.apply('--forget', 'kb/faq:f-B')
      expect(again).toMatchObject({ exitCode: 0 })
      expect(questionsOf(project.service.bodiesOf('POST kb/kb1'))).toEqual(['ABC', 'B'])
      expect((await project.recorded('kb/faq'))?.entries?.['f-B']).toMatchObject({ id: 'f-B-2' })
      expect(await project.run('plan', '--exit-code')).toMatchObject({ exitCode: 0 })
    },
  )

  test.each([
    { message: 'not found' },
    // The entries of the request, which are not all at fault.
    { message: 'not found', entries: ['f-A', 'f-B', 'f-C'].map(id => ({ id })) },
  ])('is found by bisection if the service does not identify it: %j', async json => {
    const project = await changed()
    const gone = { status: 404, json }
    project.service.next('PUT kb/kb1', gone)
    project.service.next('PUT kb/kb1', gone)
    project.service.next('PUT kb/kb1', gone)
    const result = await project.apply()
    expect(result.exitCode).toBe(8)
    expect(questionsOf(project.service.bodiesOf('PUT kb/kb1'))).toEqual(['ABC', 'AB', 'A', 'B', 'C'])
    expect(unwrapped(result.stdout)).toContain('callyard apply --forget kb/faq:f-A')
  })

  test('a missing knowledge base is not a deleted entry', async () => {
    const project = await changed()
    for (let each = 0; each < 5; each += 1)
      project.service.next('PUT kb/kb1', { status: 404, json: { message: 'not found' } })
    const result = await project.apply()
    expect(result.exitCode).toBe(5)
    expect(result.stdout).not.toContain('--forget kb/faq:')
    expect(await project.apply()).toMatchObject({ exitCode: 0 })
  })

  test('whose id was written by hand and never pushed is forgotten by it', async () => {
    const project = await testProject({ [file]: faq(true, 'a') })
    project.service.next('PUT kb/kb1', { status: 404, json: { message: 'f-B, f-C' } })
    expect(await project.apply()).toMatchObject({ exitCode: 8 })
    const command = ['--forget', 'kb/faq:f-B', '--forget', 'kb/faq:f-C']
    expect(await project.apply(...command)).toMatchObject({ exitCode: 0 })
    expect(questionsOf(project.service.bodiesOf('POST kb/kb1'))).toEqual(['BC'])
  })
})

describe('faq push of a single file', () => {
  const lone = async (name: string, text: string) => {
    const project = await testProject({ [name]: text })
    return { project, push: (...more: string[]) => project.run('faq', 'push', name, '--kb', 'kb1', ...more) }
  }
  const csv = 'id,question,answer\nf-A,A,a\nf-B,B,b\n'

  test.each([
    ['plain.yaml', faq(true, 'a'), 'id: f-B\n', 'id: f-B-2\n'],
    [
      'quoted.json',
      JSON.stringify({
        faq: [
          { id: 'f-A', question: 'A', answer: 'a' },
          { id: 'f-B', question: 'B', answer: 'b' },
        ],
      }),
      '"f-B"',
      '"f-B-2"',
    ],
    ['table.csv', csv, 'f-B,', 'f-B-2,'],
  ])('--forget replaces the old id with the new one: %s', async (name, text, before, after) => {
    const { project, push } = await lone(name, text)
    // The service has given this id before.
    await project.run(
      'api',
      'POST',
      '/kb/v1/knowledge-bases/kb1/faq-template',
      '--body',
      '{"faq":[{"question":"B","answer":"b"}]}',
    )
    project.service.next('PUT kb/kb1', { status: 404, json: { message: 'entry f-B not found' } })
    const result = await push('--json')
    expect(result.exitCode).toBe(8)
    const kb = name === 'plain.yaml' ? '' : '--kb kb1 '
    expect(JSON.parse(result.stdout).error.hint).toContain(`callyard faq push ${name} ${kb}--forget f-B`)
    const preview = await push('--forget', 'f-B', '--dry-run', '--json')
    expect(JSON.parse(preview.stdout)).toMatchObject({ insert: [{ question: 'B' }], update: [] })
    expect(await project.read(name)).toBe(text)
    expect(await push('--forget', 'f-B')).toMatchObject({ exitCode: 0 })
    expect(await project.read(name)).toBe(text.replace(before, after))
    const asked = project.service.requestNames.length
    expect(await push()).toMatchObject({ exitCode: 0 })
    expect(project.service.requestNames).toHaveLength(asked)
  })

  test('--forget keeps the id of an entry that another knowledge base has', async () => {
    const { project, push } = await lone('table.csv', csv)
    expect(await push()).toMatchObject({ exitCode: 0 })
    const toOther = ['faq', 'push', 'table.csv', '--kb', 'kb2']
    expect(await project.run(...toOther)).toMatchObject({ exitCode: 0 })
    expect(await project.run(...toOther, '--forget', 'f-B')).toMatchObject({ exitCode: 0 })
    expect(questionsOf(project.service.bodiesOf('POST kb/kb2'))).toEqual(['AB', 'B'])
    expect(await project.read('table.csv')).toBe(csv)
    expect(await push()).toMatchObject({ stdout: expect.stringContaining('unchanged 2') })
  })

  test('an id that no entry has is wrong usage', async () => {
    const { push } = await lone('table.csv', csv)
    const result = await push('--forget', 'f-BB')
    expect(result).toMatchObject({ exitCode: 2 })
    expect(result.stderr).toContain('did you mean f-B?')
  })
})
