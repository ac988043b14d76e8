import { chmod, mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readSource } from '../../../src/files/source/index.ts'
import { temporaryFolder } from '../../helpers/folders.ts'

async function read(name: string, content: string | Uint8Array) {
  return readSource(name, { cwd: await temporaryFolder({ [name]: content }) })
}

const brief = ({ diagnostics }: Awaited<ReturnType<typeof readSource>>) =>
  diagnostics.map(({ code, position }) =>
    position === undefined ? code : `${position.line}:${position.column} ${code}`,
  )

describe('a YAML file', () => {
  test('returns its value and the position of each field', async () => {
    const source = await read('a.yaml', 'name: Ada\nconfig:\n  speech:\n    ttsData:\n      - voice: x\n')
    expect(source).toMatchObject({ file: 'a.yaml', format: 'yaml', diagnostics: [] })
    expect(source.value).toEqual({ name: 'Ada', config: { speech: { ttsData: [{ voice: 'x' }] } } })
    const path = ['config', 'speech', 'ttsData', 0, 'voice']
    expect(source.positionOf(path, 'key')).toEqual({ line: 5, column: 9 })
    expect(source.positionOf(path, 'value')).toEqual({ line: 5, column: 16 })
  })

  test('places a missing field at its nearest existing ancestor', async () => {
    const source = await read('a.yaml', 'customer:\n  name: x\nfaq:\n  - answer: y\n')
    expect(source.positionOf(['customer', 'number'], 'value')).toEqual({ line: 1, column: 1 })
    expect(source.positionOf(['faq', 0, 'question'], 'value')).toEqual({ line: 4, column: 5 })
    expect(source.positionOf(['nothing', 'at', 'all'], 'value')).toEqual({ line: 1, column: 1 })
  })

  test('reads a list after a byte order mark', async () => {
    const folder = await temporaryFolder({ 'a.yaml': '\ufeff- { id: p1 }\n- { id: p2 }\n' })
    const source = await readSource('a.yaml', { cwd: folder })
    expect(source).toMatchObject({ value: [{ id: 'p1' }, { id: 'p2' }], diagnostics: [] })
    expect(source.positionOf([1, 'id'], 'value')).toEqual({ line: 2, column: 9 })
  })

  test('keeps a byte order mark in the text and out of the columns', async () => {
    const source = await read('a.yaml', '\uFEFFname: Ada\nasync: 1\n')
    expect(source.text.startsWith('\uFEFFname')).toBe(true)
    expect(source.positionOf(['name'], 'key')).toEqual({ line: 1, column: 1 })
    expect(source.positionOf(['name'], 'value')).toEqual({ line: 1, column: 7 })
    expect(source.positionOf(['async'], 'value')).toEqual({ line: 2, column: 8 })
  })

  test('counts lines of CRLF files', async () => {
    const source = await read('a.yaml', 'a: 1\r\nb: "x\r\n  y"\r\nc: 3\r\n')
    expect(source.value).toEqual({ a: 1, b: 'x y', c: 3 })
    expect(source.positionOf(['c'], 'value')).toEqual({ line: 4, column: 4 })
    const table = await read('a.csv', 'question,answer\r"a\rb",c\r\nd,e,f\r')
    expect(table.diagnostics).toMatchObject([{ code: 'wrong-cell-count', position: { line: 4, column: 1 } }])
  })

  test('is YAML 1.2: yes and no are text, dates are text', async () => {
    const { value } = await read('a.yaml', 'a: yes\nb: 2024-01-01\nc: 0o17\nd: 1_000\n')
    expect(value).toEqual({ a: 'yes', b: '2024-01-01', c: 15, d: '1_000' })
  })

  test('shares the value of an alias, and uses the position of the alias', async () => {
    const source = await read('a.yaml', 'one: &x {a: 1}\ntwo: *x\n')
    expect(source.value).toEqual({ one: { a: 1 }, two: { a: 1 } })
    expect(source.positionOf(['two', 'a'], 'value')).toEqual({ line: 2, column: 1 })
  })

  test.each([
    ['a: b: c\n', ['1:4 broken-yaml']],
    ['a:\n\t- b\n', ['2:1 broken-yaml']],
    ['a: "x\n', ['2:1 broken-yaml']],
    ['a: @x\n', ['1:4 broken-yaml']],
    ['a: 1\nb: 2\na: 3\n', ['3:1 duplicate-key']],
    ['x: {a: 1, "a": 2, a: 3}\n', ['1:11 duplicate-key', '1:19 duplicate-key']],
    ['a: 1\n---\nb: 2\n', ['2:1 several-documents']],
    ['---\na: 1\n...\n---\n', ['4:1 several-documents']],
    ['', ['empty-file']],
    ['  \n\n', ['empty-file']],
    ['\uFEFF', ['empty-file']],
    ['# nothing\n', ['empty-file']],
    ['1: x\n', ['1:1 key-not-text']],
    ['true: x\n', ['1:1 key-not-text']],
    ['? [a]\n: 3\n', ['1:3 key-not-text']],
    ['a: &x b\n*x : c\n', ['2:1 key-not-text']],
    ['a: !!binary aGk=\n', ['1:13 tag']],
    ['a: !custom {b: 1}\n', ['1:12 tag']],
    ['a: !!timestamp 2020-01-01\n', ['1:16 tag']],
    ['a: &x {b: 1}\nc:\n  <<: *x\n', ['3:3 merge-key']],
    ['a: *x\n', ['1:4 unknown-anchor']],
    ['a: &x [*x]\n', ['1:8 recursive-alias']],
    ['a: .inf\nb: .nan\n', ['1:4 not-json', '2:4 not-json']],
    ['a: 12345678901234567890\n', ['1:4 imprecise-number']],
    ['__proto__: {a: 1}\n', ['1:1 unknown-key']],
    ['%YAML 1.1\n---\na: yes\n', ['1:1 yaml-version']],
  ])('%j gives %j', async (content, expected) => {
    expect(brief(await read('a.yaml', content))).toEqual(expected)
  })

  test('returns the position of a field that is not allowed', async () => {
    const source = await read('a.yaml', 'a:\n  b: 1\n  __proto__: 2\n')
    expect(source.positionOf(['a', '__proto__'], 'key')).toEqual({ line: 3, column: 3 })
  })

  test('accepts redundant tags', async () => {
    const source = await read('a.yaml', 'a: !!str 3\nb: !!map {}\nc: ! x\n')
    expect(source.diagnostics).toEqual([])
    expect(source.value).toEqual({ a: '3', b: {}, c: 'x' })
  })

  test('keeps a duplicate prototype accessor as data', async () => {
    const { value } = await read('a.yaml', 'constructor: 1\ntoString: 2\n')
    expect(value).toEqual(
      Object.fromEntries([
        ['constructor', 1],
        ['toString', 2],
      ]),
    )
  })

  test.each(['yaml', 'json'])('reports excessive nesting: %s', async extension => {
    for (const open of ['[', '{"a":']) {
      expect(brief(await read(`a.${extension}`, open.repeat(100_000)))).toEqual([
        expect.stringMatching(/too-deep$/),
      ])
    }
  })

  test('reports excessive block nesting', async () => {
    const nested = Array.from({ length: 3000 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join('')
    expect(brief(await read('a.yaml', nested))).toEqual([expect.stringMatching(/too-deep$/)])
    expect(brief(await read('a.yaml', '- '.repeat(50_000)))).toEqual([expect.stringMatching(/too-deep$/)])
  })

  test('limits nested anchors', async () => {
    const laughs = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]']
    for (let level = 1; level < 12; level += 1) {
      laughs.push(`a${level}: &a${level} [${Array.from({ length: 10 }, () => `*a${level - 1}`).join(', ')}]`)
    }
    const source = await read('a.yaml', laughs.join('\n'))
    expect(source.value).toBeUndefined()
    expect(source.diagnostics.map(({ code }) => code)).toEqual(['alias-explosion'])
  })
})

describe('a JSON file', () => {
  test('returns its value and the position of each field, with and without a byte order mark', async () => {
    const text =
      '\uFEFF{\r\n\t"faq": [ { "question": "a\\n\\u00e9 \\ud83d\\ude00", "n": -1.5e3 } ],\r\n\t"x": [true, false, null, []]\r\n}\r\n'
    const source = await read('a.json', text)
    expect(source.diagnostics).toEqual([])
    expect(source.value).toEqual(JSON.parse(text.slice(1)))
    expect(source.positionOf(['faq', 0, 'question'], 'key')).toEqual({ line: 2, column: 13 })
    expect(source.positionOf(['x', 2], 'value')).toEqual({ line: 3, column: 21 })
    expect(source.positionOf(['faq', 0], 'value')).toEqual({ line: 2, column: 11 })
  })

  test.each([
    ['{a: 1}', ['1:2 broken-json']],
    ["{'a': 1}", ['1:2 broken-json']],
    ['{"a": 1,}', ['1:9 broken-json']],
    ['[1, 2,]', ['1:7 broken-json']],
    ['{"a": 1} x', ['1:10 broken-json']],
    ['{"a" 1}', ['1:6 broken-json']],
    ['{"a": yes}', ['1:7 broken-json']],
    ['// c\n{}', ['1:1 broken-json']],
    ['{"a": 01}', ['1:8 broken-json']],
    ['{"a": "x\ny"}', ['1:7 broken-json']],
    ['{"a": "\\x"}', ['1:7 broken-json']],
    ['{"a": ', ['1:7 broken-json']],
    ['{"a": 1', ['1:8 broken-json']],
    ['a: 1\n', ['1:1 broken-json']],
    ['{"a": NaN}', ['1:7 broken-json']],
    ['{"a": 1, "b": {"c": 1, "c": 2}}', ['1:24 duplicate-key']],
    ['{"__proto__": 1}', ['1:2 unknown-key']],
    ['{"a": 1e999}', ['1:7 not-json']],
    ['', ['empty-file']],
  ])('%j gives %j', async (content, expected) => {
    expect(brief(await read('a.json', content))).toEqual(expected)
  })

  test('reads a file of many megabytes', async () => {
    for (const part of ['x', '\\n']) {
      const long = part.repeat(8_000_000)
      const { value, diagnostics } = await read('a.json', `{"a": "${long}"}`)
      expect(diagnostics).toEqual([])
      expect(value).toEqual({ a: JSON.parse(`"${long}"`) })
    }
  })

  test('<< is an ordinary name in JSON', async () => {
    expect((await read('a.json', '{"<<": 1}')).value).toEqual({ '<<': 1 })
  })
})

test.each([
  ['a no-break space', 'model:\n\u00a0\u00a0provider: x\n', '2:1', 'U+00A0 (no-break space)'],
  ['spaces and one', 'model:\n \u00a0provider: x\n', '2:2', 'U+00A0'],
  ['an em space', 'a: 1\n\u2003b: 2\n', '2:1', 'U+2003 (em space)'],
  ['an ideographic space', 'list:\n\u3000- a\n', '2:1', 'U+3000'],
  ['a zero width space', 'list:\n  - \u200ba: 1\n', '2:5', 'U+200B'],
  ['a second byte order mark', 'a: 1\n\ufeffb: 2\n', '2:1', 'U+FEFF'],
])('names %s in the place of indentation', async (_, content, at, name) => {
  const source = await read('a.yaml', content)
  expect(brief(source)).toEqual([`${at} odd-indentation`])
  expect(source.diagnostics[0]?.message).toContain(name)
})

test.each(['\u00a0', '\u2007', '\u202f', '\u3000', '\ufeff', '\u200b'])(
  'names %j next to a colon',
  async space => {
    const name = `U+${space.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
    const found = async (content: string) => {
      const source = await read('a.yaml', content)
      expect(source.diagnostics[0]?.message).toContain(name)
      return brief(source)
    }
    expect(await found(`name: A\nmodel:${space}x\n`)).toEqual(['2:7 odd-space'])
    expect(await found(`model:${space}x\nname: A\n`)).toEqual(['1:7 odd-space'])
    expect(await found(`model:${space}x\n`)).toEqual(['1:7 odd-space'])
    expect(await found(`name: A\nlist:\n  - model${space}: x\n`)).toEqual(['3:10 odd-space'])
    expect(await found(`name: A\nmodel ${space} : x\n`)).toEqual(['2:7 odd-space'])
  },
)

test('an invisible character in text is text', async () => {
  const { value, diagnostics } = await read('a.yaml', 'a: |\n  \u00a0b: c\n  \u3000d\n')
  expect({ value, diagnostics }).toEqual({ value: { a: '\u00a0b: c\n\u3000d\n' }, diagnostics: [] })
  const french = await read('a.yaml', 'a: |\n  Note\u00a0: b\n  Note:\u00a0c\nb:\n  - Merci\u00a0: non\n')
  expect(french.diagnostics.length).toBe(1)
  const plain = await read('a.yaml', 'a: |\n  Note\u00a0: b\n  Note:\u00a0c\nb:\n  - Note:\u00a0c\n')
  expect(plain.diagnostics).toEqual([])
})

test.each([
  ['welcomeMessage: {{name}} there', '1:17', '"{{name}} there"'],
  ['a: 1\nlist:\n  - {{name}} there\n', '3:5', '"{{name}} there"'],
  ['welcomeMessage: {{name}}', '1:17', '"{{name}}"'],
  ['a: 1\nwelcomeMessage:\n  {{ name }}\n', '3:3', '"{{ name }}"'],
  ['welcomeMessage: {{name}}, welcome', '1:17', '"{{name}}, welcome"'],
  ['welcomeMessage: {{#if vip}}dear {{/if}} # a greeting\nname: A\n', '1:17', '"{{#if vip}}dear {{/if}}"'],
  ['welcomeMessage: {{#if vip}}dear {{/if}}\n', '1:17', '"{{#if vip}}dear {{/if}}"'],
  ['a: {{name}}, it\'s "Al"\n', '1:4', `'{{name}}, it''s "Al"'`],
  ['hints: [a, {{name}} there]\n', '1:12', '"{{name}} there"'],
  ['a: { b: {{c}}, d: e }\n', '1:9', '"{{c}}"'],
])('says that text in %j must be in quotes', async (content, at, quoted) => {
  const source = await read('a.yaml', content)
  expect(brief(source)).toEqual([`${at} broken-yaml`])
  expect(source.diagnostics[0]?.hint).toContain(quoted)
})

test('reports each text that must be in quotes once, and other errors', async () => {
  const content = 'a: {{b}}\nc: {{#if d}}e{{/if}}\nlist:\n  - {{f}} g\n'
  const texts = ['1:4 broken-yaml', '2:4 broken-yaml', '4:5 broken-yaml']
  const found = async (more: string) => brief(await read('a.yaml', content + more))
  expect(await found('a: 1\n')).toEqual([...texts, '5:1 duplicate-key'])
  expect(await found('  - "h: {{i}}" j\n')).toEqual([...texts.slice(1), '5:16 broken-yaml'])
})

describe('a file that cannot be read', () => {
  test.each([
    [
      'half a character of UTF-16',
      Buffer.from('\uFEFFa: 1\nb: x', 'utf16le').subarray(0, -1),
      ['2:4 wrong-encoding'],
    ],
    ['Latin-1', Buffer.from('name: x\nhint: caf\u00e9 \uFFFD', 'latin1'), ['2:10 wrong-encoding']],
    ['a cut character', Buffer.from('a: \uFFFD\u00e9').subarray(0, 7), ['1:5 wrong-encoding']],
    ['binary', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 1, 2]), ['binary-file']],
  ])('%s', async (_name, content, expected) => {
    expect(brief(await read('a.yaml', content))).toEqual(expected)
  })

  test('a folder, a missing file, a file as a folder', async () => {
    const cwd = await temporaryFolder({ 'support.yaml': 'a: 1\n' })
    await mkdir(join(cwd, 'sub'))
    expect(brief(await readSource('sub', { cwd }))).toEqual(['is-a-folder'])
    const missing = await readSource('suport.yaml', { cwd })
    expect(missing.diagnostics).toMatchObject([
      { code: 'missing-file', file: 'suport.yaml', hint: 'did you mean support.yaml?' },
    ])
    expect(missing.value).toBeUndefined()
    await symlink('gone.yaml', join(cwd, 'link.yaml'))
    const [broken] = (await readSource('link.yaml', { cwd })).diagnostics
    expect(broken).toMatchObject({ code: 'unreadable', message: expect.stringContaining('symbolic link') })
    expect(broken?.hint).toBe('restore that file, or replace the link')
    expect(brief(await readSource('nowhere/a.yaml', { cwd }))).toEqual(['missing-file'])
    expect(brief(await readSource('support.yaml/a.yaml', { cwd }))).toEqual(['missing-file'])
    expect(brief(await readSource(`${'a'.repeat(300)}.yaml`, { cwd }))).toEqual(['missing-file'])
    expect(brief(await readSource('a\0.yaml', { cwd }))).toEqual(['unreadable'])
  })

  test.skipIf(process.getuid?.() === 0)('a file without permission', async () => {
    const cwd = await temporaryFolder({ 'a.yaml': 'a: 1\n' })
    await chmod(join(cwd, 'a.yaml'), 0)
    expect(brief(await readSource('a.yaml', { cwd }))).toEqual(['unreadable'])
  })

  test('more than 50 MB', async () => {
    expect(brief(await read('a.yaml', Buffer.alloc(50 * 1024 * 1024 + 1, 'a')))).toEqual(['too-large'])
  })

  test('has a relative display name inside the working folder, an absolute one outside', async () => {
    const cwd = await temporaryFolder({ 'a.yaml': 'a: 1\n' })
    expect((await readSource(join(cwd, 'a.yaml'), { cwd })).file).toBe('a.yaml')
    expect((await readSource('../nothing.yaml', { cwd })).file).toBe(join(cwd, '..', 'nothing.yaml'))
  })
})

describe('an unresolved merge conflict', () => {
  const conflict = (one: string, other: string) =>
    `<<<<<<< HEAD\n${one}\n=======\n${other}\n>>>>>>> feature\n`

  test.each([
    ['a.yaml', `name: Ada\n${conflict('async: true', 'async: false')}`, '2:1'],
    ['list.yaml', `faq:\n  - question: a\n${conflict('    answer: b', '    answer: c')}`, '3:1'],
    ['block.yaml', `prompt: |\n  Hello\n${conflict('  Ada', '  Eve')}`, '3:1'],
    ['whole.yaml', conflict('', ''), '1:1'],
    ['half.yaml', 'name: Ada\n=======\nname: Eve\n', '2:1'],
    ['base.yaml', 'name: Ada\n||||||| base\nname: Eve\n', '2:1'],
    ['windows.yaml', `name: Ada\r\n${conflict('a: 1', 'a: 2').replaceAll('\n', '\r\n')}`, '2:1'],
    ['a.json', `{\n${conflict('"async": true', '"async": false')}}\n`, '2:1'],
    ['a.csv', `question,answer\na,b\n${conflict('c,d', 'c,e')}`, '3:1'],
    ['cell.csv', `question,answer\na,"b\n${conflict('c', 'd')}"\n`, '3:1'],
    ['half.csv', 'question,answer\na,b\n>>>>>>> feature\n', '3:1'],
  ])('in %s is the only finding, at its first marker', async (name, content, position) => {
    expect(brief(await read(name, content))).toEqual([`${position} merge-conflict`])
  })

  test('is not confused with similar text', async () => {
    const same = 'prompt: |\n  Title\n  =======\n  <<<<<<< HEAD\n'
    expect((await read('a.yaml', same)).value).toEqual({ prompt: 'Title\n=======\n<<<<<<< HEAD\n' })
    const table = 'question,answer\na,"Title\n=======\nb"\n'
    expect((await read('a.csv', table)).value).toEqual({
      faq: [{ question: 'a', answer: 'Title\n=======\nb' }],
    })
  })
})
