import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from './folders.ts'

/** More than a pipe holds: the writer waits until the reader under test has opened the pipe. */
const blankLines = `${' '.repeat(98)}\n`.repeat(2700)

/** Path of a pipe with the given lines, as a shell passes `<(…)`: `/dev/fd/<n>`, readable once. */
export async function shellPipe(lines: string): Promise<string> {
  const path = join(await temporaryFolder(), 'pipe')
  await execa('mkfifo', [path])
  const writer = execa('sh', ['-c', 'cat > "$0"', path], { input: lines + blankLines, reject: false })
  const reader = await open(path)
  onTestFinished(async () => {
    writer.kill('SIGKILL')
    await reader.close()
  })
  return `/dev/fd/${reader.fd}`
}
