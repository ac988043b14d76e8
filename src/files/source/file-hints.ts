import { kindNames } from '../../interface/words.ts'
import { type Kind, kinds } from '../formats/kinds.ts'

/** Folders whose files all have the kind of the folder, whatever their names. */
const unmixedFolders = Object.values<Kind>(kinds).flatMap(({ folder, suffix }) =>
  folder === undefined || suffix !== undefined ? [] : [folder],
)

/** Hints of findings, by which commands add how to follow them. */
export const fileHints = {
  /** For a file outside of any project. */
  useProject:
    'names refer to resources of a project, the folder with callyard.yaml; move the file there, use an id, or create a project',
  /** For files of unknown kind. */
  giveKind: 'give its kind',
  /** For one file of unknown kind; `give` is how the kind is given. */
  moveOrGiveKind: (give = 'give its kind') =>
    `move it to ${unmixedFolders.map(folder => `${folder}/`).join(', ')}, or ${give} (${kindNames.join(', ')}); a test is called *.test.yaml`,
} as const
