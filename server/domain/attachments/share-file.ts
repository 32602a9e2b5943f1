import type {
  Attachment,
  AttachmentKind,
  AttachmentRecordType,
  AttachmentStage,
  AttachmentUpdate,
} from '../../../client/contract.gen.ts'
import type { WriteCall } from '../../platform/calls/call.ts'
import { assertIfMatch } from '../../platform/calls/etag.ts'
import { conflict, validationFailed } from '../../platform/problems/problem.ts'
import * as attachments from './queries.ts'
import { isSharedByDefault } from './record-types.ts'

/**
 * Returns whether vendors can see a new file of this kind of record. Throws `conflict` if such a file cannot be shared.
 */
export function decideSharing(type: AttachmentRecordType, requested: boolean | undefined): boolean {
  const defaults = isSharedByDefault(type)
  if (requested === true && defaults === null)
    throw conflict(
      'not_suitable',
      `Cannot share the file: the portal does not show vendors the files of records of type ${type}.`,
    )
  return requested ?? defaults ?? false
}

/** Changes who can see a file, its stage, and its caption. */
export async function changeFile(
  call: WriteCall,
  before: Attachment,
  { shared = before.shared, ...fields }: AttachmentUpdate,
  ifMatch: string | undefined,
): Promise<Attachment> {
  assertIfMatch(ifMatch, before)
  if (before.archivedAt !== null) throw conflict('archived', 'Cannot change the file: it has been deleted.')
  if (fields.sharedWithOwner === true) assertHasHome(before.homeId)
  assertStageFitsKind(before.kind, fields.stage ?? null, '/stage')
  const isShareChanged = shared !== before.shared && decideSharing(before.recordType, shared) !== before.shared
  if (isShareChanged && before.createdBy.type === 'vendor')
    throw conflict('fixed', 'Cannot stop sharing the file: the vendor uploaded it.')
  const changed = await attachments.update(call, before, fields)
  if (!isShareChanged) return changed
  await attachments.updateSharing(call, before.id, shared)
  return attachments.find(call, before.id)
}

/** Throws unless the file belongs to a home, because only the owners of its home can see a file. */
export function assertHasHome(homeId: string | null): void {
  if (homeId === null)
    throw conflict('not_suitable', 'Cannot share the file with home owners: its record does not belong to a home.')
}

export function assertStageFitsKind(kind: AttachmentKind, stage: AttachmentStage | null, pointer: string): void {
  if (stage !== null && kind !== 'photo')
    throw validationFailed([{ pointer, code: 'exclusive', message: 'can only be set when kind is photo' }])
}
