/** Credentials, which are never exported wherever they occur. Old events may contain one. */
const SECRET = new Set(['portalUrl', 'secret', 'previousSecret'])

/** A record as a line of an export or an archive. */
export function line(kind: string, data: object): string {
  const text = JSON.stringify({ kind, data }, (name, value: unknown) => (SECRET.has(name) ? undefined : value))
  return `${text}\n`
}
