import { isProblem } from '../../client/problem.ts'
import { sessionEnd } from './session-end.ts'

/** The reason why a user must sign in: the session has ended, or the change requires a recent sign-in. */
export type SignInReason = 'ended' | 'not fresh'

/** Shows the dialog. Resolves to true if the user has signed in again, and to false if the user canceled. */
type ShowDialog = (reason: SignInReason) => Promise<boolean>

let showDialog: ShowDialog | null = null
let openDialog: Promise<boolean> | null = null

/** Registers the dialog that asks the user to sign in again. Returns a function that unregisters it. */
export function registerSignInDialog(dialog: ShowDialog): () => void {
  showDialog = dialog
  return () => {
    if (showDialog === dialog) showDialog = null
  }
}

/**
 * Wraps fetch, so that pages do not need to handle the end of a session. If the service requires a sign-in, asks the
 * user to sign in and repeats the request with the same Idempotency-Key. If the user cancels, the caller gets the
 * error, and the sign-in page opens if there is no session.
 */
export function createRepeatAfterSignIn(
  send: (request: Request) => Promise<Response>,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const first = await send(request)
    const reason = await findSignInReason(request, first)
    if (reason === null) return first
    // All requests that fail at the same time share one dialog.
    openDialog ??=
      showDialog?.(reason).finally(() => {
        openDialog = null
      }) ?? null
    const isSignedIn = openDialog !== null && (await openDialog)
    const response = isSignedIn ? await send(request) : first
    if (response.status === 401) sessionEnd.announce()
    return response
  }
}

async function findSignInReason({ url, method }: Request, response: Response): Promise<SignInReason | null> {
  const { pathname } = new URL(url)
  // A user who signs out should not have to sign in again first.
  if (method === 'DELETE' && pathname.endsWith('/api/admin/session')) return null
  // A 401 in response to a sign-in is an error of the sign-in itself.
  if (response.status === 401) return pathname.includes('/api/admin/sign-in/') ? null : 'ended'
  if (response.status !== 403) return null
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null)
  return isProblem(body) && body.code === 'fresh_sign_in_required' ? 'not fresh' : null
}
