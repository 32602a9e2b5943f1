import { root } from '../../api/plumbline.ts'

/** Returns the URL of the sign-in page, with the page to open afterwards. */
export function signInAddress(from: string): string {
  return from === '/' || from.startsWith('/sign-in') ? '/sign-in' : `/sign-in?${new URLSearchParams({ to: from })}`
}

/** A link in an email opens in a new window, which does not know the page that the user wanted. */
const KEPT = 'after sign-in'
const KEPT_MS = 15 * 60_000

/** Stores the page to open until the link arrives, for as long as the link is valid. */
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

/**
 * Returns the URL to open after the sign-in. It is always a page of this service, whatever the link of the sign-in page
 * contains.
 */
export function addressAfter(params: URLSearchParams): string {
  const home = new URL(`${root}/`, location.origin)
  const to = params.get('to') ?? keptAddress() ?? '/'
  // The URL parser decides where the path leads, because it drops tabs and line breaks and reads \ as /.
  if (!to.startsWith('/') || !URL.canParse(root + to, location.origin)) return home.href
  const wanted = new URL(root + to, location.origin)
  return wanted.origin === home.origin && wanted.pathname.startsWith(home.pathname) ? wanted.href : home.href
}
