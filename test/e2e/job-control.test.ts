import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/folders.ts'
import { listenOnLoopback } from '../helpers/loopback.ts'
import { bin } from '../helpers/run-bin.ts'
import { startShell } from '../helpers/terminal.ts'

const hideCursor = '\x1b[?25l'
const showCursor = '\x1b[?25h'

test('Ctrl-Z during a progress bar gives the shell the cursor back, and fg continues', async () => {
  let respond = () => {}
  const mayRespond = new Promise<void>(resolve => {
    respond = resolve
  })
  const { origin } = await listenOnLoopback(
    createServer(async (request, response) => {
      request.resume()
      if (request.method === 'GET') return void response.writeHead(404).end()
      await mayRespond
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('{"faq":[{"id":"e1","question":"When?","answer":"Now."}]}')
    }),
  )
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'callyard.yaml'), '')
  await writeFile(
    join(folder, 'kb.yaml'),
    'knowledgeBaseId: k1\nfaq:\n  - { question: When?, answer: Now. }\n',
  )
  const env = {
    ...{
      CALLYARD_BASE_URL: origin,
      CALLYARD_API_KEY: 'key',
      CALLYARD_CONFIG_DIR: join(folder, 'config'),
    },
    ...{ PS1: '$ ', LC_ALL: 'C', NODE: process.execPath, BIN: bin },
  }
  const shell = startShell({ cwd: folder, env })
  await shell.shows(/\$ $/)
  shell.type('"$NODE" "$BIN" faq push kb.yaml\r')
  await shell.shows(/\x1b\[\?25l[\s\S]*0\/1[\s\S]*\x1b\[\?2026l/)
  shell.type('\x1a')
  await shell.shows(/Stopped[\s\S]*\$ $/)
  const stopped = shell.screen
  expect(stopped.lastIndexOf(showCursor)).toBeGreaterThan(stopped.lastIndexOf(hideCursor))
  expect(stopped.indexOf('Stopped')).toBeGreaterThan(stopped.lastIndexOf(showCursor))
  shell.type('fg\r')
  await shell.shows(/Stopped[\s\S]*\x1b\[\?25l/)
  respond()
  await shell.shows(/Stopped[\s\S]*\x1b\[\?25h[\s\S]*\$ $/)
  shell.type('echo "exit code $?"; exit\r')
  await shell.shows(/exit code 0\r\n/)
})
