/** The path of the packed package, made from what is built. */
export function packedPackage(root?: string): Promise<string>
