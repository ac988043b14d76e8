// URLs of the project in static files, which come from package.json.
import manifest from '../package.json' with { type: 'json' }
import { repositoryPage } from '../src/lib/text/repository-page.ts'

/** Files with a URL or the path of the repository. */
export const filesWithUrls: readonly string[] = [
  '.github/ISSUE_TEMPLATE/bug.yml',
  '.github/ISSUE_TEMPLATE/config.yml',
  'docs/ci.md',
]

/** A file with the URLs of this repository: links to its pages, the source of its pre-commit hooks, and of its action. */
export function withProjectUrls(text: string, repository: string = manifest.repository.url): string {
  const page = repositoryPage(repository)
  return text
    .replace(/https:[^\s()]+(?=\/blob\/main\/)/g, page)
    .replace(/(?<=^ *- repo: )https:\S+/gm, page)
    .replace(/(?<=^ *- uses: )\S+(?=@v\d+$)/gm, new URL(page).pathname.slice(1))
}
