// Notes when dist/ was built, so that `npm test` does not build again what `npm ci` has built.
import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Files and folders that the build reads. */
const sources = [
  'src',
  'docs',
  'scripts',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.browser.json',
]
/** npm writes it when it has installed packages; another program that installs them does not. */
const installed = 'node_modules/.package-lock.json'

const stampOf = root => join(root, 'node_modules/.cache/callyard/built')

/**
 * True if dist/ is there, and nothing that the build reads has changed since it began.
 * @throws Error for a source that does not exist
 */
export async function isBuilt(root) {
  if ((await modified(join(root, 'dist'))) === 0) return false
  const times = await Promise.all(sources.map(name => lastChange(join(root, name))))
  times.push(await modified(join(root, installed)))
  return (await modified(stampOf(root))) > Math.max(...times)
}

/** Notes that a build begins; dist/ is not complete until `noteBuilt`. */
export async function noteBuilding(root) {
  await rm(stampOf(root), { force: true })
}

/** Notes that dist/ has what was there at a time in milliseconds. */
export async function noteBuilt(root, startedAt) {
  const stamp = stampOf(root)
  await mkdir(dirname(stamp), { recursive: true })
  await writeFile(stamp, '')
  await utimes(stamp, startedAt / 1000, startedAt / 1000)
}

/**
 * The latest change of a file, or of a folder and what is in it: a folder changes when an entry is removed.
 * @throws Error if it does not exist: a change of what replaced it would be missed
 */
export async function lastChange(path) {
  if ((await modified(path)) === 0) throw new Error(`${path} does not exist, but a build depends on it`)
  const entries = await readdir(path, { recursive: true }).catch(() => [])
  const times = ['', ...entries].map(entry => modified(join(path, entry)))
  return Math.max(...(await Promise.all(times)))
}

/** Milliseconds of the last change; 0 if there is no such file. */
export async function modified(path) {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
}
