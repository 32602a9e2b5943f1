import { root } from '../../api/plumbline.ts'

/** Returns the URL of the sign-in page. The URL contains the page to open afterward. */
export function toSignInPageUrl(from: string): string {
  return from === '/' || from.startsWith('/sign-in') ? '/sign-in' : `/sign-in?${new URLSearchParams({ to: from })}`
}

/** The link in an email opens a new window, which does not know the page that the user wanted to open. */
const STORAGE_KEY = 'after sign-in'
const STORED_FOR_MS = 15 * 60_000

/** Stores the page to open after the user has used the emailed link, for as long as the link is valid. */
export function storeReturnUrl(params: URLSearchParams): void {
  const to = params.get('to')
  if (to === null) localStorage.removeItem(STORAGE_KEY)
  else localStorage.setItem(STORAGE_KEY, JSON.stringify({ to, until: Date.now() + STORED_FOR_MS }))
}

function readStoredAddress(): string | null {
  try {
    const { to, until } = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}') as { to?: string; until?: number }
    return to !== undefined && until !== undefined && until > Date.now() ? to : null
  } catch {
    return null
  } finally {
    localStorage.removeItem(STORAGE_KEY)
  }
}

/**
 * Returns the URL to open after the sign-in. The URL is always a page of this service, even if the query of the sign-in
 * page contains another URL.
 */
export function chooseReturnUrl(params: URLSearchParams): string {
  const home = new URL(`${root}/`, location.origin)
  const to = params.get('to') ?? readStoredAddress() ?? '/'
  // Uses the URL parser to find the target of a path, because the parser ignores tabs and line breaks and treats \ as
  // /.
  if (!to.startsWith('/') || !URL.canParse(root + to, location.origin)) return home.href
  const requested = new URL(root + to, location.origin)
  return requested.origin === home.origin && requested.pathname.startsWith(home.pathname) ? requested.href : home.href
}
