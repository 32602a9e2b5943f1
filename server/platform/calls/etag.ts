import { createHash } from 'node:crypto'
import { conflict, Problem } from '../problems/problem.ts'

/**
 * Returns the ETag: the record's version, or a digest of the text if it has no version (a computed sheet). Fields that
 * other records affect (`follows`) add a digest to the version, because 304 would otherwise hide their changes.
 */
export function computeEtag(body: object, text: () => string, follows: readonly string[] = []): string {
  if ('version' in body && typeof body.version === 'number') {
    if (follows.length === 0) return `"${body.version}"`
    return `"${body.version}.${digestText(JSON.stringify(Object.entries(body).filter(([field]) => follows.includes(field))))}"`
  }
  // The time at which a sheet was computed is not part of its content.
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
 * Throws `precondition_failed` for a change that is based on an older version. Call it under the row's lock. The digest
 * of followed fields is ignored, because a caller cannot change them.
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

/** Throws `conflict` unless the record still has the given version. Does nothing without one. */
export function assertVersionSeen(version: number | undefined, current: { number: string; version: number }): void {
  if (version !== undefined && version !== current.version)
    throw conflict(
      'changed_meanwhile',
      `${current.number} was changed: its version is now ${current.version}, not ${version}. Read it again before you decide.`,
    )
}
