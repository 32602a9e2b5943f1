const MOST_CHARACTERS = 200

/**
 * The name under which a file can be saved anywhere: without the folders in front, without characters that turn the
 * reading direction around (with which "exe.pdf" can be made to look like "fdp.exe" and the other way round), and
 * without what Windows does not take.
 */
export function cleanFileName(given: string): string {
  const base =
    given
      .normalize('NFC')
      .split(/[/\\]/)
      .findLast((part) => part.trim() !== '') ?? ''
  const plain = base
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .replace(/[<>:"|?*]/g, '-')
    .replace(/^[\s.]+|[\s.]+$/g, '')
  return plain === '' ? 'file' : shortened(plain)
}

/** What follows the last dot stays, because programs go by it. */
function shortened(name: string): string {
  if (name.length <= MOST_CHARACTERS) return name
  const [ending = ''] = /\.[^.\s]{1,10}$/.exec(name) ?? []
  return (
    name
      .slice(0, MOST_CHARACTERS - ending.length)
      .toWellFormed()
      .replace(/\ufffd$/, '') + ending
  )
}
