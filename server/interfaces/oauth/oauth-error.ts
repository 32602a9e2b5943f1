import { Problem } from '../../platform/problems/problem.ts'

/** An error as defined by the OAuth standards. The code is for apps, and the description is for developers. */
export class OauthError extends Error {
  readonly code: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(code: string, description: string, status = 400, headers: Record<string, string> = {}) {
    super(description)
    this.code = code
    this.status = status
    this.headers = headers
  }
}

/** Converts any error to an OAuth error. */
export function toOauthError(error: unknown): OauthError {
  if (error instanceof OauthError) return error
  if (error instanceof Problem) {
    const code = error.status >= 500 || error.status === 429 ? 'temporarily_unavailable' : 'invalid_request'
    return new OauthError(code, error.message, error.status, { ...error.headers })
  }
  const { status = 500 } = error as { status?: number }
  if (status === 413)
    return new OauthError('invalid_request', `The body exceeds the limit of ${MAX_REQUEST_BYTES} bytes.`, 413)
  if (status >= 400 && status < 500) return new OauthError('invalid_request', 'The body is not valid.', 400)
  return new OauthError('server_error', 'Something went wrong on our side. Try again later.', 500)
}

/**
 * The maximum size of a request, in bytes. The longest legitimate request is a registration with a few redirect URIs
 * and links.
 */
export const MAX_REQUEST_BYTES = 16 * 1024
