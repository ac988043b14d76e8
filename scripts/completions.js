// Writes completions/ from the built command line, for `npm run completions`. A test fails when they are stale.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const files = {
  bash: 'callyard.bash',
  zsh: '_callyard',
  fish: 'callyard.fish',
  powershell: 'callyard.ps1',
}

mkdirSync(join(root, 'completions'), { recursive: true })
for (const [shell, file] of Object.entries(files)) {
  const script = execFileSync(process.execPath, [join(root, 'bin/callyard.js'), 'completion', shell])
  writeFileSync(join(root, 'completions', file), script)
}
