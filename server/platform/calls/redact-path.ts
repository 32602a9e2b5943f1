const MAX_PATH_LENGTH = 200

/** Returns the path of a URL without its query and without secrets, such as those in portal links. */
export function redactPath(url: string): string {
  const [path = ''] = url.split('?', 1)
  return path
    .slice(0, MAX_PATH_LENGTH)
    .replaceAll(/(_[0-9a-z]{20,26})(?:\.|%2e)[^/]*/gi, '$1.…')
    .replaceAll(/\b(plb|ses|sk|whsec)_[\w-]{20,}/g, '$1_…')
}
