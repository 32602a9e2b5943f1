import { Problem } from '../problems/problem.ts'

/** Returns the token of an `Authorization: Bearer …` header; null if the header has another format. */
export function readBearerToken(authorization: string): string | null {
  return /^Bearer ([!-~]+)$/i.exec(authorization)?.[1] ?? null
}

export function createAuthenticationProblem(
  code: 'missing_key' | 'invalid_key' | 'expired_key' | 'revoked_key' | 'expired_token' | 'revoked_token',
  detail: string,
): Problem {
  const error = code === 'missing_key' ? '' : ', error="invalid_token"'
  return new Problem(code, detail, {}, { 'WWW-Authenticate': `Bearer realm="plumbline"${error}` })
}

export function createSignInProblem(detail: string): Problem {
  return new Problem('not_signed_in', detail, {}, { 'WWW-Authenticate': 'Session realm="plumbline"' })
}
