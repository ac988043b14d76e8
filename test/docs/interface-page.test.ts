import { expect, test } from 'vitest'
import { withTables } from '../../scripts/interface-tables.ts'
import { isObject } from '../../src/lib/json.ts'
import { createAssistant, startTestSandbox, to } from '../helpers/test-sandbox.ts'
import { webhookSink } from '../helpers/webhook-sink.ts'
import { filesOf, headingsOf, textOf } from './markdown.ts'

const page = await textOf('docs/interface.md')

test('the tables are those of the schemas', () => {
  expect(page === withTables(page), 'docs/interface.md is stale; run: npm run docs').toBe(true)
})

test('a marker without a table, and a table without a marker, are errors', () => {
  expect(() => withTables(`${page}\n<!-- table: nothing -->\n<!-- end -->\n`)).toThrow('no table nothing')
  expect(() => withTables(page.replace('<!-- table: tool -->', ''))).toThrow('no marker for tool')
})

const sections = new Set(headingsOf(page).map(heading => /^[\d.]*\d/.exec(heading)?.[0]))
const sources = await filesOf('{src,test,scripts}/**/*.{ts,js,txt}')
const otherForm = /(?<!docs\/)interface\.md(?! (\d+(?:\.\d+)?)(?:(?:,| and| or| to) \d+(?:\.\d+)?)*)/g
const citation = /interface\.md (\d+(?:\.\d+)?(?:(?:,| and| or| to) \d+(?:\.\d+)?)*)/g

test('every section that the source cites is a heading', async () => {
  const found = await Promise.all(
    sources.map(async path =>
      [...unwrapped(await textOf(path)).matchAll(citation)].flatMap(([, list = '']) =>
        (list.match(/\d+(\.\d+)?/g) ?? []).map(section => ({ path, section })),
      ),
    ),
  )
  expect(found.flat().length).toBeGreaterThan(100)
  expect(found.flat().filter(({ section }) => !sections.has(section))).toEqual([])
})

test('a citation has one form: interface.md and the section', async () => {
  const others = await Promise.all(
    sources
      .filter(path => path !== 'test/docs/interface-page.test.ts')
      .map(async path => {
        const text = unwrapped(await textOf(path))
        const odd = [...text.matchAll(otherForm), ...text.matchAll(/\bsections? \d[\d.]*/gi)]
        return odd.map(({ index }) => `${path}: ${text.slice(Math.max(0, index - 40), index + 40)}`)
      }),
  )
  expect(others.flat()).toEqual([])
})

test('every page of docs/ mentioned in the source exists', async () => {
  const pages = await filesOf('docs/**/*.md')
  const named = await Promise.all(
    sources.map(async path => (await textOf(path)).match(/\bdocs\/[\w./-]+\.md\b/g) ?? []),
  )
  expect(named.flat().length).toBeGreaterThan(1)
  expect(named.flat().filter(name => !pages.includes(name))).toEqual([])
})

test('the sandbox has every endpoint of section 4', async () => {
  const sandbox = await startTestSandbox()
  const endpoints = [...page.matchAll(/`(POST|PUT|PATCH) (\/[^`\s]+)`/g)]
  expect(endpoints).toHaveLength(7)
  for (const [, method = '', path = ''] of endpoints) {
    // No body fits: what is there says so, what is not there says that.
    const { body } = await sandbox.send(method, path.replace('{id}', 'unknown'), [])
    expect(JSON.stringify(body), `${method} ${path}`).not.toContain('there is nothing at')
  }
})

test('a call of the sandbox has every field of 2.7 and 2.9', async () => {
  const sink = await webhookSink()
  const sandbox = await startTestSandbox()
  const part = { enabled: true }
  const assistant = await createAssistant(sandbox, {
    assistantServer: { url: sink.url },
    assistantAnalysis: {
      summary: part,
      successEvaluation: part,
      structuredData: { ...part, schema: { type: 'object', properties: { day: { type: 'string' } } } },
    },
  })
  const { body: record } = await sandbox.send('POST', '/calls/v1/conversations/connect', {
    direction: 'outbound',
    phoneNumberId: 'pn_1',
    customer: { number: to, name: 'Ada' },
    metadata: { caller: ['On Tuesday'], day: 'Tuesday' },
    assistantId: assistant._id,
  })
  await sandbox.idle()
  const sent = sink.of(String(record.id))
  const items = sent.flatMap(({ messages = [] }) => messages)
  const [callFields, itemFields] = fieldsIn('2.9')
  const missing = [
    ...(fieldsIn('2.7')[0] ?? []).filter(field => !has(record, field)),
    ...(callFields ?? []).filter(field => !sent.some(({ call }) => has(call, field))),
    ...(itemFields ?? []).filter(field => !items.some(item => has(item, field))),
  ]
  expect(missing).toEqual([])
})

/** The names in the first column of each table of a section; `a`, `b` is two. */
function fieldsIn(section: string): string[][] {
  const [, after = ''] = page.split(new RegExp(`^### ${section.replace('.', '\\.')} .*$`, 'm'))
  const [own = ''] = after.split(/^#{2,3} /m)
  return own
    .split('| --- |\n')
    .slice(1)
    .map(rows =>
      [...rows.matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, cell = '']) =>
        [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
      ),
    )
}

/** True if the schema has a field at a path: `monitor.controlUrl`. */
function has(value: unknown, path: string): boolean {
  const [name = '', ...rest] = path.split('.')
  if (!isObject(value) || value[name] === undefined) return false
  return rest.length === 0 || has(value[name], rest.join('.'))
}

/** Comments without line breaks, because a citation may contain one. */
function unwrapped(text: string): string {
  return text.replace(/\n\s*(?:\*|\/\/) ?/g, ' ')
}
