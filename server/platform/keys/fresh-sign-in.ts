import type { Call } from '../calls/call.ts'
import { problem } from '../problems/problem.ts'
import { requireSignedIn } from './principals.ts'

/** Long enough for several changes in a row, but short enough to protect a browser that is left open. */
const FRESH_SIGN_IN_MS = 10 * 60_000

/**
 * Throws `fresh_sign_in_required` unless the caller has signed in within the last few minutes. For operations that
 * create or extend access, so that a stolen or forgotten session cannot create access that lasts longer than the
 * session. These operations must have the session scheme.
 */
export function requireFreshSignIn(call: Pick<Call, 'principal' | 'now'>): void {
  if (!isFreshSignIn(requireSignedIn(call).session, call.now))
    throw problem(
      'fresh_sign_in_required',
      'You signed in more than 10 minutes ago. Sign in again, then repeat the request.',
    )
}

export function isFreshSignIn({ createdAt }: { createdAt: Date }, now: Date): boolean {
  return now.getTime() - createdAt.getTime() <= FRESH_SIGN_IN_MS
}
