import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder, writeFiles } from '../helpers/folders.ts'
import { starterFiles } from '../helpers/resources.ts'
import { runBin } from '../helpers/run-bin.ts'
import { startToolServer } from '../helpers/tool-server.ts'

async function starterProject() {
  const cwd = await temporaryFolder(starterFiles())
  return { cwd, env: { CALLYARD_CONFIG_DIR: join(cwd, '.config') } }
}

test('faq ask finds the entry that call chat replies with', async () => {
  const project = await starterProject()
  const question = 'When are you open?'
  const asked = await runBin(['faq', 'ask', question, '--json'], project)
  expect(asked).toMatchObject({ exitCode: 0, stderr: '' })
  const { says, entries } = JSON.parse(asked.stdout)
  expect(entries[0]).toMatchObject({ file: 'knowledge-bases/workshop.yaml', line: 5, answer: says })
  const chat = await runBin(['call', 'chat', 'front-desk', '--var', 'name=Ada', '--json'], {
    ...project,
    input: `${question}\n`,
  })
  expect(chat.stdout).toContain(JSON.stringify(says))
  expect(await runBin(['faq', 'ask', 'Is it raining?'], project)).toMatchObject({ exitCode: 8 })
})

test('tool try calls a tool’s server once', async () => {
  const project = await starterProject()
  const server = await startToolServer({ json: { message: 'Friday it is.' } })
  const tool = starterFiles()['tools/book-appointment.yaml'] ?? ''
  await writeFiles(project.cwd, {
    'tools/book-appointment.yaml': tool.replace(/url: .*/, `url: ${server.url}`),
  })
  const tried = await runBin(['tool', 'try', 'book-appointment', '--args', '{"day":"2026-01-02"}'], project)
  expect(tried).toMatchObject({ exitCode: 0, stderr: '' })
  expect(tried.stdout).toContain('"message": "Friday it is."')
  expect(server.requests).toHaveLength(1)
  expect(await runBin(['tool', 'try', 'book-appointment'], project)).toMatchObject({ exitCode: 3 })
  expect(server.requests).toHaveLength(1)
})
