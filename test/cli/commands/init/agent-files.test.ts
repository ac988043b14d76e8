import { lstat, mkdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { agentFiles, agentLinks } from '../../../../src/cli/commands/agent-files.ts'
import { writeProject } from '../../../../src/cli/commands/write-project.ts'
import { temporaryFolder } from '../../../helpers/folders.ts'
import { testCli } from '../../../helpers/test-cli.ts'
import { buildTree, commandsForPerson } from '../help/tree.ts'

const skillFile = '.agents/skills/callyard/SKILL.md'
const link = '.claude/skills/callyard'
const files = await agentFiles(await buildTree())
const noLinks = { links: agentLinks, link: () => Promise.reject(new Error('links need a privilege')) }

test('AGENTS.md has at most 30 lines, the workflow, and what is left to the person', () => {
  const lines = files['AGENTS.md']?.trimEnd().split('\n') ?? []
  expect(lines.length).toBeLessThanOrEqual(30)
  const order = ['callyard validate .', 'callyard test', 'callyard plan', 'Never run `callyard apply`']
  const found = order.map(command => lines.findIndex(line => line.includes(command)))
  expect(found).toEqual([...found].sort((one, other) => one - other))
  expect(found).not.toContain(-1)
})

test('every command in AGENTS.md exists', async () => {
  const cli = await testCli()
  for (const [, words = ''] of files['AGENTS.md']?.matchAll(/`callyard ([a-z ]+?)(?: [.<-].*?)?`/g) ?? [])
    if (words !== 'help')
      expect(await cli.run('help', ...words.split(' ')), words).toMatchObject({ exitCode: 0 })
})

test('the skill has a valid front matter, fits 150 lines and leaves dangerous commands to the person', async () => {
  const skill = files[skillFile] ?? ''
  const cli = await testCli()
  expect(await cli.run('help', '--skill')).toEqual({ exitCode: 0, stdout: skill, stderr: '' })
  expect(JSON.parse((await cli.run('help', '--skill', '--json')).stdout)).toEqual({ skill })
  expect(await cli.run('help', 'plan', '--skill')).toMatchObject({ exitCode: 2, stdout: '' })
  expect(skill.trimEnd().split('\n').length).toBeLessThanOrEqual(150)
  const { name, description, metadata } = (await import('yaml')).parse(skill.split('---\n')[1] ?? '')
  expect(name).toBe('callyard')
  expect(description.length).toBeLessThanOrEqual(1024)
  expect(`${metadata.version}\n`).toBe((await cli.run('--version')).stdout)
  expect(skill).not.toMatch(/\{\w+\}/)
  const [, person = ''] = skill.split('## Left to the person')
  for (const command of await commandsForPerson()) expect(person).toContain(`- \`${command}\`: `)
})

test('init links the skill for agents that look elsewhere', async () => {
  const cli = await testCli()
  await cli.run('init')
  expect(await readlink(join(cli.folder, link))).toBe(join('..', '..', dirname(skillFile)))
  expect(await cli.read(`${link}/SKILL.md`)).toBe(await cli.read(skillFile))
  expect(await cli.read('CLAUDE.md')).toBe('@AGENTS.md\n')
})

test('init keeps a folder or a file of that name, and a link that leads nowhere', async () => {
  const file = await testCli({ [link]: 'mine\n' })
  expect(JSON.parse((await file.run('init', '--json')).stdout).kept).toEqual([link])
  expect(await file.read(link)).toBe('mine\n')
  const cli = await testCli({ [`${link}/SKILL.md`]: 'mine\n', '.agents/x': '' })
  await cli.run('init')
  expect(await cli.read(`${link}/SKILL.md`)).toBe('mine\n')
  const other = await testCli({ '.claude/skills/x': '' })
  await symlink('nowhere', join(other.folder, link))
  expect(JSON.parse((await other.run('init', '--json')).stdout).kept).toEqual([link])
  expect(await readlink(join(other.folder, link))).toBe('nowhere')
})

test('copies the skill where links do not work; a second run keeps the copy', async () => {
  const folder = await temporaryFolder()
  const copy = join(link, 'SKILL.md')
  expect((await writeProject(folder, files, noLinks)).written).toEqual([...Object.keys(files), copy])
  expect((await lstat(join(folder, link))).isDirectory()).toBe(true)
  expect(await readFile(join(folder, copy), 'utf8')).toBe(files[skillFile])
  await writeFile(join(folder, copy), 'mine\n')
  expect(await writeProject(folder, files, { links: agentLinks })).toEqual({
    written: [],
    kept: [...Object.keys(files), copy],
  })
  expect(await readFile(join(folder, copy), 'utf8')).toBe('mine\n')
})

test('completes a copy that was interrupted after its folder', async () => {
  const folder = await temporaryFolder()
  await mkdir(join(folder, link), { recursive: true })
  expect((await writeProject(folder, files, noLinks)).written).toContain(join(link, 'SKILL.md'))
})
