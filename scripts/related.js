// npm run related: the tests of each folder that changed since the last commit. Tests have the same paths as their source.
import { dirname } from 'node:path'
import { execa } from 'execa'
import { root } from './run-bundled.js'

const lines = async (...argv) => (await execa('git', argv, { cwd: root, lines: true })).stdout
const changed = [
  ...(await lines('diff', '--name-only', 'HEAD')),
  ...(await lines('ls-files', '--others', '--exclude-standard')),
]
const tests = changed.flatMap(file => {
  if (file.startsWith('src/')) return `${dirname(file).replace(/^src/, 'test')}/`
  return /^test\/.*\.test\.ts$/.test(file) ? file : []
})
if (tests.length > 0) {
  const argv = ['run', '--passWithNoTests', ...new Set(tests)]
  const { exitCode } = await execa('vitest', argv, {
    cwd: root,
    stdio: 'inherit',
    preferLocal: true,
    reject: false,
  })
  process.exitCode = exitCode ?? 1
}
