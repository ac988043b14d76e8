/** Why a field or an entry is sent although the files may not show it. */
export const notes = {
  unansweredUpdate: 'what the service has is unknown, so it is sent again',
  /** For references to variables, such as `${env:TOKEN}`. */
  changedValue: (references: readonly string[]) => `the value of ${references.join(' or ')} changed`,
  /** For a reference whose id is known only once it is applied. */
  newId: (reference: string) => `${reference} gets a new id`,
  /** `id` is undefined if it may be secret. */
  changedId: (reference: string, id: string | undefined) =>
    `${reference} is now ${id ?? 'another knowledge base'}`,
  changedIds: 'the id of a referenced resource changed',
  notRecorded: 'it has an id but no earlier push is recorded, so it is updated',
}
