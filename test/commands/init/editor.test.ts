import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { testCli } from '../../helpers/test-cli.ts'
import { startYamlLanguageServer } from '../../helpers/yaml-language-server.ts'

const files = [
  'callwright.yaml',
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
}, 60_000)
