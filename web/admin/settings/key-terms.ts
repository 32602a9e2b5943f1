const DAY_MS = 86_400_000

/** The possible lifetimes of an API key in days, including one without an end. */
export const KEY_TERMS = [
  { value: '30', word: 'In 30 days' },
  { value: '90', word: 'In 90 days' },
  { value: '365', word: 'In a year' },
  { value: 'never', word: 'Never' },
] as const

export function toExpiresAt(term: string): string | null {
  return term === 'never' ? null : new Date(Date.now() + Number(term) * DAY_MS).toISOString()
}
