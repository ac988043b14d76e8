/** Returns the web page of a repository, without the prefix and suffix that npm adds to its URL. */
export function repositoryPage(url: string): string {
  return url.replace(/^git\+|\.git$/g, '')
}
