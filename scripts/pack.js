// node scripts/pack.js: packs what is built, once for publint, attw and every test that installs it.
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { lastChange, modified } from './build-stamp.js'

/**
 * The path of the tarball. Several processes may ask at once: each that finds none packs one, and all are the same.
 * @throws Error for files of package.json that do not exist, which npm would leave out
 */
export async function packedPackage(root = join(import.meta.dirname, '..')) {
  const folder = join(root, '.packed')
  const tarball = join(folder, 'callyard.tgz')
  if (await isCurrent(root, tarball)) return tarball
  await mkdir(folder, { recursive: true })
  const own = await mkdtemp(join(folder, 'new-'))
  // No scripts: `prepack` would build again.
  await execa('npm', ['pack', '--ignore-scripts', '--pack-destination', own], { cwd: root })
  const [name = ''] = await readdir(own)
  await rename(join(own, name), tarball)
  await rm(own, { recursive: true })
  return tarball
}

/** True if nothing that npm packs has changed since. A build begins with removing dist/, and ends with the types of the library. */
async function isCurrent(root, tarball) {
  const { files } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const sources = ['package.json', 'README.md', 'LICENSE', ...files.map(name => name.replace(/\/\*.*/, ''))]
  const times = await Promise.all(sources.map(name => lastChange(join(root, name))))
  return (await modified(tarball)) > Math.max(...times)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await packedPackage()
