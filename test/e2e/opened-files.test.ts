import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/folders.ts'
import { assistantText, knowledgeBaseText, toolText } from '../helpers/resources.ts'
import { runBin, startBuiltSandbox } from '../helpers/run-bin.ts'

const more = 'welcomeMessage: Hello\nassistantPredefinedTools: { knowledgeBase: true }\n'
const project = {
  'callyard.yaml': '',
  'prompts/style.md': 'Be brief.\n',
  'tools/book.yaml': toolText('book'),
  'tools/cancel.yaml': toolText('cancel'),
  'knowledge-bases/hours.yaml': knowledgeBaseText('hours', { 'When are you open?': 'From nine to six.' }),
  'knowledge-bases/prices.yaml': knowledgeBaseText('prices', { 'How much is a repair?': 'Ten dollars.' }),
  'assistants/desk.yaml': assistantText('Desk', {
    tools: ['book'],
    knowledgeBases: ['hours'],
    more: `${more}assistantSystemPrompt: \${file:../prompts/style.md}\n`,
  }),
  'assistants/billing.yaml': assistantText('Billing', {
    tools: ['cancel'],
    knowledgeBases: ['prices'],
    more,
  }),
  'tests/desk.test.yaml':
    'assistant: desk\nturns: [{ user: "When are you open?", expect: { knows: "When are you open?" } }]\n',
  'tests/billing.test.yaml': 'assistant: billing\nturns: [{ user: Hello, expect: { says: Hello } }]\n',
}
const reached = ['assistants/desk.yaml', 'knowledge-bases/hours.yaml', 'prompts/style.md', 'tools/book.yaml']
/** Only its first lines, which say that it has another id. */
const peeked = 'knowledge-bases/prices.yaml'

/** Loaded before the command: writes the names of the project's files that it opens to a file at its end. */
const recorder = `
  import fs from 'node:fs'
  const folder = process.cwd() + '/'
  const opened = []
  for (const [owner, name] of [
    ...['open', 'openSync', 'readFile', 'readFileSync'].map(name => [fs, name]),
    ...['open', 'readFile'].map(name => [fs.promises, name]),
  ]) {
    const original = owner[name]
    owner[name] = function (path, ...rest) {
      if (String(path).startsWith(folder)) opened.push(String(path).slice(folder.length))
      return original.call(this, path, ...rest)
    }
  }
  const { writeFileSync } = fs
  process.on('exit', () => writeFileSync(process.env.OPENED_FILES, JSON.stringify(opened)))
`

async function openProject() {
  const folder = await temporaryFolder(inFolder('desk', project))
  const settings = { cwd: join(folder, 'desk'), env: { CALLYARD_CONFIG_DIR: join(folder, 'config') } }
  return {
    settings,
    /** Files of the project that a command opens, sorted; each as often as it opens it. */
    async opened(argv: readonly string[], env: Readonly<Record<string, string>> = {}, input = '') {
      const output = join(folder, 'opened.json')
      const options = `--import="data:text/javascript,${encodeURIComponent(recorder)}"`
      const result = await runBin(argv, {
        ...settings,
        input,
        env: { ...settings.env, ...env, NODE_OPTIONS: options, OPENED_FILES: output },
      })
      expect(result).toMatchObject({ exitCode: 0 })
      const files: string[] = JSON.parse(await readFile(output, 'utf8'))
      return files.filter(name => !name.startsWith('.callyard/')).sort()
    },
  }
}

function inFolder(folder: string, files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]))
}

test('a test opens the files that it reaches, each once', async () => {
  const { opened } = await openProject()
  expect(await opened(['test', 'tests/desk.test.yaml'])).toEqual(
    [...reached, peeked, 'callyard.yaml', 'tests/desk.test.yaml'].sort(),
  )
})

test('a chat opens the files that its assistant reaches, and each knowledge base and tool once', async () => {
  const { opened } = await openProject()
  const files = await opened(['call', 'chat', 'desk'], {}, 'When are you open?\n')
  expect([...new Set(files)]).toEqual([...reached, peeked, 'callyard.yaml'].sort())
  expect(files.filter(name => /^(?:knowledge-bases|tools)/.test(name))).toEqual(
    ['knowledge-bases/hours.yaml', peeked, 'tools/book.yaml'].sort(),
  )
})

test('call start opens no file of an assistant that it knows by its name', async () => {
  const sandbox = await startBuiltSandbox()
  const { opened, settings } = await openProject()
  const env = { ...settings.env, ...sandbox.env }
  expect(await runBin(['apply', '--yes'], { ...settings, env })).toMatchObject({ exitCode: 0 })
  const start = ['call', 'start', '--from', '+12025550100', '--to', '+12025550123', '--yes']
  expect(await opened([...start, '--assistant', 'desk'], sandbox.env)).toEqual([
    'callyard.lock.yaml',
    'callyard.yaml',
  ])
})
