import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { testCli } from '../../../helpers/test-cli.ts'
import { startYamlLanguageServer } from '../../../helpers/yaml-language-server.ts'

const settingsSchema = z.object({
  'yaml.schemas': z.record(z.string(), z.array(z.string())),
  'json.schemas': z.array(z.object({ fileMatch: z.array(z.string()), url: z.string() })),
})

const files = [
  'callyard.yaml',
  'assistants/front-desk.yaml',
  'tools/book-appointment.yaml',
  'knowledge-bases/workshop.yaml',
  'tests/opening-hours.test.yaml',
  'tests/booking.test.yaml',
  'tests/questions.test.yaml',
]

test('an editor finds nothing in the starter, and what is wrong with each file once it is edited', async () => {
  const cli = await testCli()
  await cli.run('init')
  const server = await startYamlLanguageServer()
  try {
    const open = (name: string, text: string) => server.open(pathToFileURL(join(cli.folder, name)).href, text)
    for (const file of files) {
      const text = await cli.read(file)
      expect(await open(file, text), file).toEqual([])
      expect(await open(file.replace('.yaml', '2.yaml'), `${text}\nnoField: 1\n`)).toEqual([
        'Property noField is not allowed.',
      ])
    }
    const overrides = '# yaml-language-server: $schema=../schemas/overrides.schema.json\nwelcomeMessage: 1\n'
    expect(await open('overrides/night.yaml', overrides)).toEqual(['Incorrect type. Expected "string".'])
  } finally {
    await server.close()
  }
})

test('VS Code finds the schema of a file without a modeline by its path', async () => {
  const cli = await testCli()
  await cli.run('init')
  const settings: unknown = JSON.parse(await cli.read('.vscode/settings.json'))
  const { 'yaml.schemas': schemas, 'json.schemas': ofJson } = settingsSchema.parse(settings)
  const server = await startYamlLanguageServer({ folder: cli.folder, settings: { schemas } })
  try {
    for (const [file, text] of [
      ['assistants/night/desk.yaml', 'name: Night\n'],
      ['tools/book.yml', 'type: function\n'],
      ['knowledge-bases/kb.yaml', 'faq: []\n'],
      ['overrides/night.yaml', 'welcomeMessage: Hello\n'],
      ['tests/deep/a.test.yaml', 'assistant: front-desk\nturns: [{ user: Hello }]\n'],
      ['batches/monday.yaml', 'list: people.csv\nfrom: "+12025550100"\n'],
      ['guards/calls.yml', 'rules: [{ name: silence, when: no events for 15m }]\n'],
      ['callyard.yaml', 'profile: work\n'],
    ] as const) {
      const { href } = pathToFileURL(join(cli.folder, file))
      expect(await server.open(href, `${text}noField: 1\n`), file).toEqual([
        'Property noField is not allowed.',
      ])
    }
    const { href } = pathToFileURL(join(cli.folder, 'tests/turns.yaml'))
    expect(await server.open(href, 'noField: 1\n')).toEqual([])
  } finally {
    await server.close()
  }
  const urls = ofJson.map(({ url }) => url)
  expect(urls).toContain('./schemas/assistant.schema.json')
  for (const url of [...urls, ...Object.keys(schemas)]) expect(await cli.read(url)).toContain('$schema')
})
