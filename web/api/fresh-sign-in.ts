import { isProblem } from '../../client/problem.ts'

/** Shows the dialog. Resolves to whether the user signed in again. */
type ShowDialog = () => Promise<boolean>

let showDialog: ShowDialog | null = null
let openDialog: Promise<boolean> | null = null

/** Registers the dialog that asks the user to sign in again. Returns the function that removes it. */
export function registerFreshSignInDialog(dialog: ShowDialog): () => void {
  showDialog = dialog
  return () => {
    if (showDialog === dialog) showDialog = null
  }
}

/**
 * Wraps fetch: when the service requires a fresh sign-in, it asks the user to sign in again and repeats the request, so
 * that pages need not. If the user cancels, the caller gets the error.
 */
export function withFreshSignIn(
  send: (request: Request) => Promise<Response>,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const response = await send(request)
    if (showDialog === null || response.status !== 403 || !(await isFreshSignInRequired(response))) return response
    // Requests that fail at the same time share one dialog.
    openDialog ??= showDialog().finally(() => {
      openDialog = null
    })
    return (await openDialog) ? send(request) : response
  }
}

async function isFreshSignInRequired(response: Response): Promise<boolean> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null)
  return isProblem(body) && body.code === 'fresh_sign_in_required'
}
