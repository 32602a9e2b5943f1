import { createHash } from 'node:crypto'
import { Problem } from './problem.ts'

/** A resource's version is its ETag; what has none (a computed sheet) is named by a digest of its text. */
export function etagOf(body: object, text: () => string): string {
  if ('version' in body && typeof body.version === 'number') return `"${body.version}"`
  // When a sheet was computed says nothing about what is on it.
  const content = 'asOf' in body ? JSON.stringify({ ...body, asOf: null }) : text()
  return `"${createHash('sha1').update(content).digest('base64url')}"`
}

/** Whether an If-Match or If-None-Match header names the ETag. */
export function matchesEtag(header: string, etag: string): boolean {
  if (header.trim() === '*') return true
  return header.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag)
}

/** Refuses a change that the caller based on an older version. Called under the row's lock. */
export function checkIfMatch(ifMatch: string | undefined, current: { version: number }): void {
  if (ifMatch === undefined || matchesEtag(ifMatch, `"${current.version}"`)) return
  throw new Problem(
    'precondition_failed',
    `Its ETag is now "${current.version}".`,
    { currentVersion: current.version },
    { ETag: `"${current.version}"` },
  )
}
