// Bundled and run by build.js, which writes the page to dist/man/.
import { manPage } from '../src/commands/help/man-page.ts'
import { buildProgram } from '../src/commands/program.ts'

const nowhere = { columns: 80, write: () => true }

/** The manual page of the command line of this version. */
export function callwrightManPage(version: string): Promise<string> {
  return manPage(
    buildProgram(async () => {}, { stdout: nowhere, stderr: nowhere }),
    version,
  )
}
