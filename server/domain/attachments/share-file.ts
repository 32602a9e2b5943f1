import type { Attachment, AttachmentRecordType } from '../../../client/contract.gen.ts'
import type { WriteCall } from '../../platform/calls/call.ts'
import { assertIfMatch } from '../../platform/calls/etag.ts'
import { conflict } from '../../platform/problems/problem.ts'
import * as attachments from './queries.ts'
import { isSharedByDefault } from './record-types.ts'

/** Returns whether vendors will see a file of such a record. Throws `conflict` if it cannot be shared. */
export function decideShared(type: AttachmentRecordType, requested: boolean | undefined): boolean {
  const defaults = isSharedByDefault(type)
  if (requested === true && defaults === null)
    throw conflict('not_suitable', `Files of type ${type} cannot be shared: the portal does not show them to vendors.`)
  return requested ?? defaults ?? false
}

/** Shares a file with vendors, or stops sharing it. */
export async function shareFile(
  call: WriteCall,
  before: Attachment,
  shared: boolean,
  ifMatch: string | undefined,
): Promise<Attachment> {
  assertIfMatch(ifMatch, before)
  if (before.archivedAt !== null) throw conflict('archived', 'Cannot change the file: it has been deleted.')
  if (decideShared(before.recordType, shared) === before.shared) return before
  if (before.createdBy.type === 'vendor')
    throw conflict('fixed', 'Cannot stop sharing the file: the vendor uploaded it.')
  await attachments.changeShared(call, before.id, shared)
  return attachments.find(call, before.id)
}
