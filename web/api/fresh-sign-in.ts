import { isProblem } from '../../client/problem.ts'

/** Shows the dialog. Resolves to whether the user signed in again. */
type Show = () => Promise<boolean>

let show: Show | null = null
let shown: Promise<boolean> | null = null

/** Registers the dialog that asks the user to sign in again. Returns the function that removes it. */
export function showFreshSignInBy(dialog: Show): () => void {
  show = dialog
  return () => {
    if (show === dialog) show = null
  }
}

/**
 * Wraps fetch: when the service requires a fresh sign-in, it asks the user to sign in again and repeats the request, so
 * that pages need not. If the user cancels, the caller gets the error.
 */
export function askingForFreshSignIn(
  send: (request: Request) => Promise<Response>,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const response = await send(request)
    if (show === null || response.status !== 403 || !(await isFreshSignInRequired(response))) return response
    // Requests that fail at the same time share one dialog.
    shown ??= show().finally(() => {
      shown = null
    })
    return (await shown) ? send(request) : response
  }
}

async function isFreshSignInRequired(response: Response): Promise<boolean> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null)
  return isProblem(body) && body.code === 'fresh_sign_in_required'
}
