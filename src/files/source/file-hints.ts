/** Hints of findings, by which commands add how to follow them. */
export const fileHints = {
  /** For a file outside of any project. */
  useProject:
    'names refer to resources of a project, the folder with callyard.yaml; move the file there, use an id, or create a project',
  /** For files of unknown kind. */
  giveKind: 'give its kind',
} as const
