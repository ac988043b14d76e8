export function isBuilt(root: string): Promise<boolean>
export function noteBuilding(root: string): Promise<void>
export function noteBuilt(root: string, startedAt: number): Promise<void>
export function modified(path: string): Promise<number>
export function lastChange(path: string): Promise<number>
