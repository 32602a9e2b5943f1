import { createHash } from 'node:crypto'
import { conflict, Problem } from '../problems/problem.ts'

/**
 * Returns the ETag of a body. This is the version of the record or, if there is no version (for example in a calculated
 * sheet), a digest of the text. If fields can change together with other records (`follows`), the ETag also contains a
 * digest of these fields. Otherwise, a 304 response would hide their changes.
 */
export function computeEtag(body: object, text: () => string, follows: readonly string[] = []): string {
  if ('version' in body && typeof body.version === 'number') {
    if (follows.length === 0) return `"${body.version}"`
    return `"${body.version}.${digestText(JSON.stringify(Object.entries(body).filter(([field]) => follows.includes(field))))}"`
  }
  // Ignore the time at which a sheet was calculated.
  return `"${digestText('asOf' in body ? JSON.stringify({ ...body, asOf: null }) : text())}"`
}

function digestText(content: string): string {
  return createHash('sha1').update(content).digest('base64url')
}

/** Returns whether an If-Match or If-None-Match header contains the ETag. */
export function matchesEtag(header: string, etag: string): boolean {
  if (header.trim() === '*') return true
  return header.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag)
}

/**
 * Throws `precondition_failed` if a change is based on another version. The caller must have locked the row. Ignores
 * the digest of `follows` fields, because they do not belong to the record itself.
 */
export function assertIfMatch(ifMatch: string | undefined, current: { version: number }): void {
  if (ifMatch === undefined || matchesEtag(ifMatch.replace(/(?<="\d+)\.[\w-]+(?=")/g, ''), `"${current.version}"`))
    return
  throw new Problem(
    'precondition_failed',
    `The record was changed: its ETag is now "${current.version}". Read it again, then repeat the request with the new ETag.`,
    { currentVersion: current.version },
    { ETag: `"${current.version}"` },
  )
}

/** Throws `conflict` if the record no longer has the given version. Does nothing if no version is given. */
export function assertVersionSeen(version: number | undefined, current: { number: string; version: number }): void {
  if (version !== undefined && version !== current.version)
    throw conflict(
      'changed_meanwhile',
      `${current.number} was changed: its version is now ${current.version}, not ${version}. Read the record again before you try again.`,
    )
}
