/** The members of a union that may have this word in the field that tells its members apart. */
type CaseOf<Union, Key extends string, Word> =
  Union extends Readonly<Record<Key, infer Words>> ? (Word extends Words ? Union : never) : never

/**
 * Applies the function of a table that handles a member of a union, selected by the discriminating field: `byCase('kind', event, { up: … })`. The
 * compiler asks for each of them.
 */
export function byCase<Key extends string, Union extends Readonly<Record<Key, string>>, Result>(
  key: Key,
  member: Union,
  table: { readonly [Word in Union[Key]]: (member: CaseOf<Union, Key, Word>) => Result },
): Result {
  const make: (member: never) => Result = table[member[key]]
  // Each key maps to the function for its members.
  return make(member as never)
}
