import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { lines, runBin, startBin, temporaryFolder } from '../helpers/run-bin.ts'

const readySchema = z.object({ baseUrl: z.string(), apiKey: z.string() })
const lockedId = /^ {6}assistant\/front-desk:\n(?: {8}.*\n)*? {8}id: (\S+)$/m

/** A project from `init`, and a sandbox in a process of its own. */
async function starterAtSandbox() {
  const folder = await temporaryFolder()
  const project = join(folder, 'bikes')
  const env = { CALLYARD_CONFIG_DIR: join(folder, 'config'), HOME: folder }
  const run = (...argv: string[]) => runBin(argv, { cwd: project, env })
  expect(await runBin(['init', 'bikes'], { cwd: folder, env })).toMatchObject({ exitCode: 0 })
  const sandbox = startBin(['sandbox', 'start', '--port', '0', '--pace', '0', '--json'], { env })
  const { value } = await lines(sandbox.stdout).next()
  const { baseUrl, apiKey } = readySchema.parse(JSON.parse(value ?? ''))
  Object.assign(env, { CALLYARD_BASE_URL: baseUrl, CALLYARD_API_KEY: apiKey })
  return { project, run }
}

test('calls and follows a deployed assistant by name until its file changes', async () => {
  const { project, run } = await starterAtSandbox()
  const call = ['call', 'start', '--from', '+1 202 555 0100', '--to', '+1 (202) 555-0123'] as const
  const caller = ['--metadata', 'caller=["When are you open?", "Goodbye"]', '--var', 'name=Ada']
  const named = [...call, '--assistant', 'front-desk', ...caller]

  const early = await run(...named)
  expect(early.exitCode).toBe(2)
  expect(early.stderr).toContain(
    'create it there: callyard apply; or send the file unchanged: --assistant assistants/front-desk.yaml',
  )

  expect(await run('apply', '--yes')).toMatchObject({ exitCode: 0 })
  const id = lockedId.exec(await readFile(join(project, 'callyard.lock.yaml'), 'utf8'))?.[1] ?? ''
  const { stdout: request } = await run(...named, '--dry-run', '--json')
  expect(JSON.parse(request)).toMatchObject({
    body: { userNumber: '+12025550123', assistantNumber: '+12025550100', assistantId: id },
  })
  expect(await run(...call, '--assistant', id.slice(0, 8))).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(
      /^Call CC-\S+ placed \+12025550100 → \+12025550123\non \S+: no phone rings$/,
    ),
  })

  const followed = await run(...named, '--follow')
  expect(followed).toMatchObject({ exitCode: 0 })
  expect(followed.stderr).not.toContain('warning')
  expect(followed.stdout).toContain('assistant  Hello Ada, this is the front desk')
  expect(followed.stdout).toContain('assistant  We are open Monday to Friday')
  expect(followed.stdout).toContain('user       Goodbye')

  const file = join(project, 'assistants/front-desk.yaml')
  await writeFile(file, (await readFile(file, 'utf8')).replace('How can I help?', 'Hello?'))
  const changed = await run(...named, '--follow')
  expect(changed).toMatchObject({ exitCode: 9, stdout: '' })
  expect(changed.stderr).toMatch(
    /assistant\/front-desk at target \S+ in callyard\.lock\.yaml: welcomeMessage; nothing was sent/,
  )
  const asItIs = await run(...call, ...caller, '--assistant', 'assistants/front-desk.yaml', '--follow')
  expect(asItIs.stdout).toContain('Spoke and Chain. Hello?')
}, 60_000)
