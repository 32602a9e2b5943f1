/** A usual input has some hundred bytes; what is longer is a file or an import, and is found in what it made. */
const MOST_KEPT_BYTES = 16 * 1024

/** Fields that are kept nowhere but sealed, or open a door. */
const LEFT_OUT: ReadonlySet<string> = new Set(['taxId', 'secret', 'token', 'password'])

/** The input as it is kept: without secrets, or null if it is too long. */
export function keptInput(input: unknown): Record<string, unknown> | null {
  const kept = withoutSecrets(input ?? {}) as Record<string, unknown>
  return Buffer.byteLength(JSON.stringify(kept)) > MOST_KEPT_BYTES ? null : kept
}

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (typeof value !== 'object' || value === null) return value
  const shown = Object.entries(value).filter(([field]) => !LEFT_OUT.has(field))
  return Object.fromEntries(shown.map(([field, inner]) => [field, withoutSecrets(inner)]))
}
