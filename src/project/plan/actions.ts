/** Actions that an apply carries out, and those that are blocked. */
export const pendingActions = ['create', 'update', 'replace', 'blocked'] as const

export const planActions = [...pendingActions, 'unchanged', 'orphaned'] as const

/** True if an apply would change something or be blocked. */
export function isPending({ action }: { readonly action: (typeof planActions)[number] }): boolean {
  return pendingActions.some(candidate => candidate === action)
}
