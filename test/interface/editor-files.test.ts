import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ValidateFunction } from 'ajv'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { jsonSchema } from '../../src/files/formats/file-schema.ts'
import { checkFile } from '../../src/files/source/index.ts'
import { sharedFolder, writeFiles } from '../helpers/folders.ts'
import { strictAjv } from '../helpers/strict-ajv.ts'
import { startYamlLanguageServer } from '../helpers/yaml-language-server.ts'
import { type EditorFile, editorFiles } from './editor-files.ts'

const folder = sharedFolder()
beforeAll(() => writeFiles(folder, { 'prompt.txt': 'Be kind.\n' }))

const title = ({ kind, name }: EditorFile) => `${kind}: ${name}`
const isJson = ({ text }: EditorFile) => text.startsWith('{')

test('the table has good and bad files of every kind', () => {
  expect(editorFiles.length).toBeGreaterThanOrEqual(60)
  expect(new Set(editorFiles.map(title)).size).toBe(editorFiles.length)
  for (const { passes, validateOnly } of editorFiles) expect(passes && validateOnly !== undefined).toBe(false)
})

describe('validate', () => {
  test.each(editorFiles.map(file => [title(file), file] as const))('%s', async (_title, file) => {
    const path = join(folder, `v${editorFiles.indexOf(file)}.${isJson(file) ? 'json' : 'yaml'}`)
    await writeFile(path, file.text)
    const { diagnostics, body } = await checkFile(path, file.kind, {
      cwd: folder,
      env: {},
      vocabulary: file.vocabulary ?? {},
      resource: ({ name }) => (name === 'known' ? { text: 't1' } : { problem: 'no such tool' }),
    })
    const errors = diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message)
    expect(errors.length === 0, errors.join('\n')).toBe(file.passes)
    if (file.passes) expect(Object.keys(body ?? {})).not.toContain('$schema')
  })
})

describe('the yaml-language-server', () => {
  const found = new Map<EditorFile, string[]>()

  // All at once: the server waits before it looks at a file, in case that more is typed.
  beforeAll(async () => {
    const server = await startYamlLanguageServer()
    try {
      await Promise.all(
        editorFiles.map(async (file, index) => {
          const schema = `${file.kind}${file.vocabulary === undefined ? '' : index}.schema.json`
          await writeFile(join(folder, schema), JSON.stringify(jsonSchema(file.kind, file.vocabulary)))
          const text = `# yaml-language-server: $schema=./${schema}\n${file.text}`
          found.set(file, await server.open(pathToFileURL(join(folder, `e${index}.yaml`)).href, text))
        }),
      )
    } finally {
      await server.close()
    }
  })

  test.each(editorFiles.map(file => [title(file), file] as const))('%s', (_title, file) => {
    const messages = found.get(file) ?? ['the server said nothing']
    expect(messages.length === 0, messages.join('\n')).toBe(file.passes || file.validateOnly !== undefined)
  })
})

describe('ajv in strict mode', () => {
  const validators = new Map<string, ValidateFunction>()
  const values = editorFiles
    .filter(({ ofText }) => ofText !== true)
    .flatMap(file => {
      try {
        const value: unknown = isJson(file) ? JSON.parse(file.text) : parse(file.text)
        return value === null ? [] : [[title(file), file, value] as const]
      } catch {
        // A text that is not a value is not checked by a JSON Schema.
        return []
      }
    })

  test.each(values)('%s', (_title, { kind, vocabulary, passes, validateOnly }, value) => {
    const key = JSON.stringify([kind, vocabulary])
    const validate =
      validators.get(key) ?? strictAjv({ allErrors: true }).compile(jsonSchema(kind, vocabulary))
    validators.set(key, validate)
    expect(validate(value), JSON.stringify(validate.errors)).toBe(passes || validateOnly !== undefined)
  })
})
