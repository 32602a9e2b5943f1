import { root } from '../../api/plumbline.ts'

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

/** The URL to open after the sign-in: a page of this service, wherever the link of the sign-in page wants to lead. */
export function addressAfter(params: URLSearchParams): string {
  const home = new URL(`${root}/`, location.origin)
  const to = params.get('to') ?? keptAddress() ?? '/'
  // The URL parser decides where an address leads, because it drops tabs and line breaks and reads \ as /.
  if (!to.startsWith('/') || !URL.canParse(root + to, location.origin)) return home.href
  const wanted = new URL(root + to, location.origin)
  return wanted.origin === home.origin && wanted.pathname.startsWith(home.pathname) ? wanted.href : home.href
}
