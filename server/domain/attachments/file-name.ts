const MAX_CHARACTERS = 200

/**
 * Returns a name under which the file can be saved on every operating system. Removes folders, characters that change
 * the direction of text (which can make "exe.pdf" look like "fdp.exe"), and characters that Windows does not allow.
 */
export function cleanFileName(provided: string): string {
  const base =
    provided
      .normalize('NFC')
      .split(/[/\\]/)
      .findLast((part) => part.trim() !== '') ?? ''
  const plain = base
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .replace(/[<>:"|?*]/g, '-')
    .replace(/^[\s.]+|[\s.]+$/g, '')
  return plain === '' ? 'file' : shortenName(plain)
}

/** Shortens the name but keeps its extension, because programs rely on the extension. */
function shortenName(name: string): string {
  if (name.length <= MAX_CHARACTERS) return name
  const [ending = ''] = /\.[^.\s]{1,10}$/.exec(name) ?? []
  return (
    name
      .slice(0, MAX_CHARACTERS - ending.length)
      .toWellFormed()
      .replace(/\ufffd$/, '') + ending
  )
}
