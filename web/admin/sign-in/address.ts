/** The sign-in, and where to go from there. */
export function signInAddress(from: string): string {
  return from === '/' || from.startsWith('/sign-in') ? '/sign-in' : `/sign-in?${new URLSearchParams({ to: from })}`
}

/** A link that is mailed opens in a window of its own, which does not know where its reader wanted to go. */
const KEPT = 'after sign-in'
const KEPT_MS = 15 * 60_000

/** Keeps where to go until the link is there, which is good for as long. */
export function keepAddress(params: URLSearchParams): void {
  const to = params.get('to')
  if (to === null) localStorage.removeItem(KEPT)
  else localStorage.setItem(KEPT, JSON.stringify({ to, until: Date.now() + KEPT_MS }))
}

function keptAddress(): string | null {
  try {
    const { to, until } = JSON.parse(localStorage.getItem(KEPT) ?? '{}') as { to?: string; until?: number }
    return to !== undefined && until !== undefined && until > Date.now() ? to : null
  } catch {
    return null
  } finally {
    localStorage.removeItem(KEPT)
  }
}

/** Where to go after the sign-in: only pages of this service, never an address that somebody put in a link. */
export function addressAfter(params: URLSearchParams): string {
  const to = params.get('to') ?? keptAddress() ?? '/'
  return /^\/(?![/\\])/.test(to) ? to : '/'
}
